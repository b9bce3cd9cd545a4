"""The bytes of a connection's responses that are not sent yet."""

from collections import deque

JOINED_BYTES = 80 << 10  # a document of 64 KiB and its head are sent in one call


class SendBuffer:
    """A queue of bytes; short pieces are joined, so that head and body leave in one packet."""

    def __init__(self) -> None:
        self._pieces: deque[bytes] = deque()
        self._sent = 0  # of the first piece

    def append(self, piece: bytes) -> None:
        if self._pieces and len(self._pieces[-1]) + len(piece) <= JOINED_BYTES:
            self._pieces[-1] += piece
        else:
            self._pieces.append(piece)

    def first(self) -> memoryview:
        return memoryview(self._pieces[0])[self._sent :]

    def skip(self, sent_bytes: int) -> None:
        self._sent += sent_bytes
        if self._sent == len(self._pieces[0]):
            self._pieces.popleft()
            self._sent = 0

    def close(self) -> None:
        self._pieces.clear()
        self._sent = 0
