"""One client connection, which belongs to one worker at a time (`workers.py`).

A worker makes a response only as fast as the client takes it. When the send buffer is full, the
worker suspends the response and serves other requests; when the buffer has drained, any worker
resumes it. So a slow client costs a connection and `send_buffer_bytes` of memory, never a worker.
"""

import contextlib
import fcntl
import math
import socket
import sys
import termios
from typing import Any

from waitress.channel import ClientDisconnected, HTTPChannel

from .limits import Limits, ProgressTimer
from .request_parser import RequestParser
from .response import ProblemTask, ResponseSuspended, ResponseTask
from .send_buffer import JOINED_BYTES, SendBuffer

HEAD_RECV_BYTES = 16 << 10  # bounds the pipelined requests parsed at once, which delay others
BODY_RECV_BYTES = 1 << 20  # for bytes that certainly belong to a body
RECVS_AT_ONCE = 32  # while more of a body has come


class Connection(HTTPChannel):
    parser_class, error_task_class = RequestParser, ProblemTask

    def __init__(self, server: Any, sock: Any, addr: Any, adj: Any, map: Any) -> None:
        self.limits: Limits = adj.limits
        self.is_suspended = False  # a response has begun, and no worker runs it
        self._is_lingering = False  # all is sent; what the client still sends is discarded
        self._response: ResponseTask | None = None
        self._response_count = self._moved_bytes = 0
        self._timer = ProgressTimer(adj.limits.pace_bytes, adj.clock())
        self.addr, self.requests = addr, list[Any]()  # before others find it in the map
        super().__init__(server, sock, addr, adj, map)
        self.outbufs = [SendBuffer()]

    # On the worker that this connection belongs to

    def handle_event(self) -> None:
        """Receive what the client has sent, or send what it takes now."""
        if self.writable():
            self.handle_write()
        else:
            self.handle_read()

    def has_request(self) -> bool:
        """Whether a request, or the rest of a suspended response, is to be served now."""
        return bool(self.requests) and self.connected and not self.is_suspended

    def handle_read(self) -> None:
        """Receive what has come of a request; RECVS_AT_ONCE bound what others wait for it."""
        for _ in range(RECVS_AT_ONCE):
            expected = self.request.body_bytes_expected() if self.request else 0
            try:
                data = self.recv(min(max(expected, HEAD_RECV_BYTES), BODY_RECV_BYTES))
            except BlockingIOError:
                return
            except OSError:
                self.handle_close()
                return
            if not self._is_lingering:
                self.received(data)
            self._moved_bytes += len(data)
            if not (data and self.request and self.request.body_bytes_expected()):
                return

    def writable(self) -> bool:
        return bool(self.is_suspended or super().writable())

    def handle_write(self) -> None:
        self.flush(do_close=True)
        if self.socket is None:  # closed by the flush
            return
        if self.close_when_flushed and not self.total_outbufs_len:
            self._linger()
        if self.will_close:
            self.handle_close()
        elif self.is_suspended and self.total_outbufs_len <= self.limits.send_buffer_bytes // 4:
            self.is_suspended = False

    def _linger(self) -> None:
        """Close the sending side only: a reset might discard the response the client must read."""
        self.close_when_flushed, self._is_lingering = False, True
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)

    def handle_close(self) -> None:
        with self.outbuf_lock:
            super().handle_close()
            if self.is_suspended:
                self._release()
            self.is_suspended = False
            if self.request:  # frees its body now, not when it is garbage-collected
                self.request.close()

    def service(self) -> None:
        resumed = self._response
        try:
            super().service()
        except ResponseSuspended:
            self._suspend()
        else:
            if resumed and not self.connected:
                resumed.close()

    def task_class(self, _channel: "Connection", request: Any) -> ResponseTask:
        """The response to this request: a new one, or the suspended one."""
        if self._response is None or self._response.request is not request:
            self._response = ResponseTask(self, request)
            self._response_count += 1
        return self._response

    def _suspend(self) -> None:
        self.is_suspended = self.connected
        if not self.is_suspended:
            self._release()

    def _release(self) -> None:
        if self._response:
            self._response.close()
            self._response.request.close()

    def write_soon(self, data: bytes) -> int:
        if not self.connected:
            raise ClientDisconnected
        self.outbufs[0].append(data)
        self.total_outbufs_len += len(data)
        if self.total_outbufs_len >= JOINED_BYTES:
            self.flush()
        return len(data)

    def suspend_if_backlogged(self) -> None:
        """Backpressure: raises ResponseSuspended if the send buffer is full."""
        if self.total_outbufs_len > self.limits.send_buffer_bytes:
            raise ResponseSuspended

    _flush_outbufs_below_high_watermark = suspend_if_backlogged  # waitress would block the worker

    def flush(self, *, do_close: bool = False) -> None:
        """Send as much as the client takes now."""
        self._flush_exception(self._flush_some, do_close)

    def _flush_some(self, do_close: bool = False) -> None:
        buffer = self.outbufs[0]
        while self.total_outbufs_len and (sent := self.send(buffer.first(), do_close)):
            buffer.skip(sent)
            self.total_outbufs_len -= sent
            self._moved_bytes += sent

    # On the thread that checks the time limits

    def shut_down(self) -> None:
        """Shut the socket down: that wakes a worker, which closes it."""
        with self.outbuf_lock:  # not during `handle_close`: the descriptor might be another's then
            self.will_close = True
            if self.socket is not None:
                with contextlib.suppress(OSError):
                    self.socket.shutdown(socket.SHUT_RDWR)

    def is_busy(self) -> bool:
        """Whether a request is being received, processed or answered."""
        return bool(self.requests or self.request or self.total_outbufs_len)

    def waiting_since(self, now: float) -> float:
        """Since when the client has owed its next action; `now` while a worker is busy."""
        return now if self.requests and not self.is_suspended else self._timer.started_at

    def is_too_slow(self, now: float) -> bool:
        """Whether the client has exceeded the time limit of its next action."""
        action, seconds = self._expected_action()
        is_paced = action in ("send body", "read response", "close")
        progress_bytes = self._moved_bytes - self._unsent_bytes() if is_paced else 0
        return self._timer.elapsed((action, self._response_count), progress_bytes, now) >= seconds

    def _expected_action(self) -> tuple[str, float]:
        """The client's next action, and within how many seconds it must happen or progress."""
        limits, request = self.limits, self.request
        if self.requests and not self.is_suspended:
            return "wait", math.inf
        if self.total_outbufs_len:
            return "read response", limits.pace_seconds
        if self._is_lingering:
            return "close", limits.linger_seconds
        if request is None:
            is_idle = self._response_count > 0
            return "send request", limits.idle_seconds if is_idle else limits.head_seconds
        if request.headers_finished:
            return "send body", limits.pace_seconds
        return "send head", limits.head_seconds

    def _unsent_bytes(self) -> int:
        """How many bytes the kernel holds that the client has not acknowledged."""
        count = bytearray(4)
        with self.outbuf_lock, contextlib.suppress(OSError):
            if self.socket is not None:
                fcntl.ioctl(self.socket, termios.TIOCOUTQ, count)
        return int.from_bytes(count, sys.byteorder)
