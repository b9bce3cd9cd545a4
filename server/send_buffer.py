"""Sends a connection's responses as fast as its client takes them."""

import socket
from collections import deque

JOINED_BYTES = 80 << 10  # a document of 64 KiB and its head are sent in one call


class ResponseSuspended(BaseException):
    """Not an error: the buffer is full, so the worker leaves the response for later."""


class ClientDisconnected(Exception):
    """Nothing more can be sent."""


class SendBuffer:
    """What is not sent yet; short pieces are joined, so that head and body leave in one packet."""

    def __init__(self, client: socket.socket, limit_bytes: int) -> None:
        self._client, self._limit_bytes = client, limit_bytes
        self._pieces: deque[bytes] = deque()
        self._length = self._sent_of_first = 0
        self.sent_bytes = 0
        self.is_ended = False  # by the client, or because of it

    def __len__(self) -> int:
        return self._length

    def write(self, data: bytes) -> None:
        """Send it, or keep it to be sent. Raises `ClientDisconnected`."""
        if self.is_ended:
            raise ClientDisconnected
        self._length += len(data)
        if self._pieces and len(self._pieces[-1]) + len(data) <= JOINED_BYTES:
            self._pieces[-1] += data
        else:
            self._pieces.append(data)
        if self._length >= JOINED_BYTES:
            self.flush()

    def flush(self) -> None:
        """Send as much as the client takes now."""
        try:
            while self._pieces:
                self._skip(self._client.send(memoryview(self._pieces[0])[self._sent_of_first :]))
        except BlockingIOError:
            pass
        except OSError:
            self.is_ended = True

    def is_full(self) -> bool:
        return self._length > self._limit_bytes

    def is_nearly_empty(self) -> bool:
        return self._length <= self._limit_bytes // 4

    def suspend_if_full(self) -> None:
        """Backpressure: raises `ResponseSuspended`."""
        if self.is_full():
            raise ResponseSuspended

    def end(self) -> None:
        """Forget what is not sent; nothing more can be."""
        self.is_ended = True
        self._pieces.clear()
        self._length = self._sent_of_first = 0

    def _skip(self, sent_bytes: int) -> None:
        self.sent_bytes += sent_bytes
        self._length -= sent_bytes
        self._sent_of_first += sent_bytes
        if self._sent_of_first == len(self._pieces[0]):
            self._pieces.popleft()
            self._sent_of_first = 0
