"""Memory that many share: bodies while they are received, responses while they are sent."""

import threading


class MemoryBudget:
    """A number of bytes; a reservation that does not fit is refused."""

    def __init__(self, size_bytes: int) -> None:
        self._size_bytes = size_bytes
        self._free_bytes = size_bytes
        self._guard = threading.Lock()

    def reserve(self, wanted_bytes: int) -> bool:
        """Return whether so much was free; if not, nothing is reserved.

        If nothing else is reserved, more than the whole budget is free.
        """
        with self._guard:
            is_free = wanted_bytes <= self._free_bytes or self._free_bytes == self._size_bytes
            if is_free:
                self._free_bytes -= wanted_bytes
        return is_free

    def release(self, reserved_bytes: int) -> None:
        with self._guard:
            self._free_bytes += reserved_bytes
