"""One connection: requests come in on the server's thread, answers are made by workers.

A worker makes an answer as long as the client takes it. When the client lags behind, the worker
leaves the answer and serves others; when what was made is nearly sent, some worker goes on with
it. So a slow client costs a connection and `waiting_bytes` and a piece of memory, never a worker.
"""

import contextlib
import fcntl
import math
import socket
import sys
import termios
import time
from typing import Any

from waitress.channel import ClientDisconnected, HTTPChannel

from .limits import Limits, Stopwatch
from .request_parser import Parser
from .response import Answer, Lagging, ProblemTask
from .send_buffer import JOINED_BYTES, SendBuffer

HEAD_RECV_BYTES = 16 << 10  # so few requests come in one go that reading them keeps nobody waiting
BODY_RECV_BYTES = 1 << 20  # of what surely is a body's


class Channel(HTTPChannel):
    parser_class, error_task_class = Parser, ProblemTask

    def __init__(self, server: Any, sock: Any, addr: Any, adj: Any, map: Any) -> None:
        self.limits: Limits = adj.limits
        self.lags = False  # an answer is begun, and no worker is at it
        self._ended = False  # what still comes from the client is thrown away
        self._answer: Answer | None = None
        self._answers = self._moved_bytes = 0
        self._watch = Stopwatch(time.monotonic())
        super().__init__(server, sock, addr, adj, map)
        self.outbufs = [SendBuffer()]

    # On the server's thread

    def handle_read(self) -> None:
        expected = self.request.body_bytes_expected() if self.request else 0
        try:
            data = self.recv(min(max(expected, HEAD_RECV_BYTES), BODY_RECV_BYTES))
        except OSError:
            self.handle_close()
            return
        self._moved_bytes += len(data)
        if not self._ended:
            self.received(data)

    def writable(self) -> bool:
        return bool(self.lags or super().writable())

    def handle_write(self) -> None:
        if self.socket is not None:
            self.flush(do_close=True)
        if self.socket is None:  # closed, by what was read a moment ago or by this
            return
        if self.close_when_flushed and not self.total_outbufs_len:
            self._end()
        if self.will_close:
            self.handle_close()
        elif self.lags and self.total_outbufs_len <= self.limits.waiting_bytes // 4:
            self.lags = False
            self.server.add_task(self)

    def _end(self) -> None:
        """The client may be sending still: cut off, it would never read why it was refused."""
        self.close_when_flushed, self._ended = False, True
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)

    def handle_close(self) -> None:
        with self.outbuf_lock:
            super().handle_close()
            if self.lags:
                self._let_go()
            self.lags = False
            if self.request:  # what came of its body goes back at once, not when memory is swept
                self.request.close()

    def is_busy(self) -> bool:
        """Whether a request is being received, worked on or answered."""
        return bool(self.requests or self.request or self.total_outbufs_len)

    def is_idle(self) -> bool:
        return not self.is_busy()

    def waits_since(self, now: float) -> float:
        """When the client's turn began; now, if it is ours."""
        return now if self.requests and not self.lags else self._watch.since

    def is_too_slow(self, now: float) -> bool:
        """Whether the client has not done in time what it has to do next."""
        what, seconds = self._turn()
        moved = self._moved_bytes - self._unsent_bytes()
        turn, paced = (what, self._answers), what in ("body", "answer")
        moves_on = paced and moved - self._watch.moved_bytes >= self.limits.pace_bytes
        if turn != self._watch.turn or moves_on:
            self._watch.begin(turn, now, moved)
        return now - self._watch.since >= seconds

    def _turn(self) -> tuple[str, float]:
        """What the client has to do, and within how many seconds."""
        limits = self.limits
        if self.requests and not self.lags:
            return "nothing", math.inf
        if self.total_outbufs_len:
            return "answer", limits.pace_seconds
        if self._ended:
            return "end", limits.linger_seconds
        if self.request is None:
            return "begin", limits.idle_seconds if self._answers else limits.head_seconds
        in_body = self.request.headers_finished
        return ("body", limits.pace_seconds) if in_body else ("head", limits.head_seconds)

    def _unsent_bytes(self) -> int:
        """What the system keeps for a client that has not taken it."""
        held = bytearray(4)
        with contextlib.suppress(OSError):
            fcntl.ioctl(self.socket, termios.TIOCOUTQ, held)
        return int.from_bytes(held, sys.byteorder)

    # On a worker's thread

    def service(self) -> None:
        left = self._answer
        try:
            super().service()
        except Lagging:
            self._leave()
        else:
            if left and not self.connected:
                left.close()

    def task_class(self, _channel: "Channel", request: Any) -> Answer:
        """The answer to this request: a new one, or the one that was left."""
        if self._answer is None or self._answer.request is not request:
            self._answer = Answer(self, request)
            self._answers += 1
        return self._answer

    def _leave(self) -> None:
        with self.outbuf_lock:
            self.lags = self.connected
            if not self.lags:
                self._let_go()
        self.server.pull_trigger()

    def _let_go(self) -> None:
        if self._answer:
            self._answer.close()
            self._answer.request.close()

    def write_soon(self, data: bytes) -> int:
        with self.outbuf_lock:
            if not self.connected:
                raise ClientDisconnected
            self.outbufs[0].append(data)
            self.total_outbufs_len += len(data)
            if self.total_outbufs_len >= JOINED_BYTES:
                self.flush()
        return len(data)

    def refuse_to_heap(self) -> None:
        """Stop the worker that makes more than the client takes."""
        if self.total_outbufs_len > self.limits.waiting_bytes:
            raise Lagging

    _flush_outbufs_below_high_watermark = refuse_to_heap  # where waitress would make it wait

    def flush(self, *, do_close: bool = False) -> None:
        """Send as much as the client takes now."""
        with self.outbuf_lock:
            self._flush_exception(self._flush_some, do_close)

    def _flush_some(self, do_close: bool = False) -> None:
        outbox = self.outbufs[0]
        while self.total_outbufs_len and (sent := self.send(outbox.first(), do_close)):
            outbox.skip(sent)
            self.total_outbufs_len -= sent
            self._moved_bytes += sent
