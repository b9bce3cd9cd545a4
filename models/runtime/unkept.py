"""Previews that could not be stored, in memory for some minutes: few views make them anew."""

import time
from threading import Lock

MOST_BYTES = 48 << 20  # of all of them; a converted PDF has at most 32 MiB
KEPT_SECONDS = 600


class UnkeptPreviews:
    """Those that came last, by id."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[float, bytes]] = {}  # until when; the oldest first
        self._lock = Lock()

    def put(self, id: str, made: bytes) -> None:
        with self._lock:
            self._held.pop(id, None)
            self._held[id] = time.monotonic() + KEPT_SECONDS, made
            while sum(len(held) for _, held in self._held.values()) > MOST_BYTES:
                self._held.pop(next(iter(self._held)))
        self.forget_old()

    def get(self, id: str) -> bytes | None:
        end, made = self._held.get(id, (0.0, None))
        return made if end > time.monotonic() else None

    def forget_old(self) -> None:
        with self._lock:
            for id, (end, _) in list(self._held.items()):
                if end <= time.monotonic():
                    del self._held[id]
