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
import threading
from collections import deque

from .context import Context
from .request_parser import RequestParser
from .response import (
    ClientDisconnected,
    RequestPostponed,
    Response,
    ResponseInterrupted,
    ResponseSuspended,
    SendBuffer,
)
from .shares import Names

HEAD_RECV_BYTES = 16 << 10  # bounds the pipelined requests parsed at once, which delay others
BODY_RECV_BYTES = 1 << 20  # for bytes that certainly belong to a body
RECVS_AT_ONCE = 8  # while more of a body has come
TOO_MANY_WAIT = "Too many requests wait. Send fewer at the same time, and this one again."


class ProgressTimer:
    """The time for which the client has owed the same action without enough progress."""

    def __init__(self, now: float) -> None:
        self.started_at = now
        self._action: object = None
        self._progress_bytes = 0

    def elapsed(self, action: object, progress_bytes: int, pace_bytes: int, now: float) -> float:
        """Return the seconds of an action, from its begin or its last `pace_bytes` on."""
        if action != self._action or progress_bytes - self._progress_bytes >= pace_bytes:
            self._action, self._progress_bytes, self.started_at = action, progress_bytes, now
        return now - self.started_at


class Connection:
    """A connection. `requests` wait for a response, the first one may have begun; `request` is
    being received.

    `caller` is that of the first request, once the application has named it; `counted` the caller
    for which the worker that serves it is counted.
    """

    def __init__(
        self, accepted: socket.socket, address: tuple[str, int | None], context: Context
    ) -> None:
        self.socket: socket.socket | None = accepted
        self.address, self.context = address, context
        self.requests = deque[RequestParser]()
        self.request: RequestParser | None = None
        self.is_suspended = False  # a response has begun, and no worker runs it
        self.is_held = False  # a response is made, and waits for a sync (`held.py`)
        self.caller: Names = ()
        self.counted: Names = ()
        self.is_refused = False  # too many requests wait
        self._ends_when_sent = False
        self._is_lingering = False  # all is sent; further bytes of the client are discarded
        self._unsent = SendBuffer(accepted, context.limits.send_buffer_bytes)
        self._closing = threading.Lock()
        self._response: Response | None = None
        self._response_count = self._received_bytes = 0
        self._timer = ProgressTimer(context.clock())
        context.connections[accepted.fileno()] = self

    # On the worker that this connection belongs to

    def handle_event(self) -> None:
        """Receive bytes that the client has sent, or send bytes that it takes now."""
        if self.is_sending():
            self._go_on_sending()
        else:
            self._receive()

    def has_request(self) -> bool:
        """Return whether a request, or the rest of a suspended response, is to be served now."""
        waits = self.is_suspended or self.is_held
        return bool(self.requests) and self.socket is not None and not waits

    def was_served(self) -> bool:
        """Return whether the first request was begun before.

        It was postponed or interrupted, or is a further step.
        """
        step = self.requests[0].step
        return self._response is not None or (step is not None and step.start > 0)

    def network(self) -> str:
        """Return the network of the client whose request is the first one."""
        return self.context.network_of(self.address[0], self.requests[0].headers)

    def needs_no_worker(self) -> bool:
        """Return whether the next request waits for nothing."""
        if not self.has_request() or self._response is not None:
            return False
        return self.requests[0].needs_no_worker()

    def is_sending(self) -> bool:
        """Return whether the client has to take more next, or the connection to be closed."""
        ends = self._ends_when_sent or self._unsent.is_ended
        return self.is_suspended or ends or bool(self._unsent)

    def serve(self) -> None:
        """Serve the next request, or continue the response to it."""
        if self._response is None:
            self._response = Response(
                self.context, self._unsent, self.requests[0], self.address, self._serve_for
            )
            self._response_count += 1
        try:
            self._respond(self._response)
        except ResponseSuspended:
            self.is_suspended = True
        except (ResponseInterrupted, RequestPostponed):
            pass  # it is requested again
        else:
            self.is_held = self._response.is_held
            if not self.is_held:
                self._end_response(self._response)

    def is_streamed(self) -> bool:
        """Return whether the pieces of the response are made while it is sent."""
        return self._response is not None and self._response.is_streamed

    def release(self) -> None:
        """Send the response that was held: what it tells of is on disk, or failed to get there."""
        self.is_held = False
        if self._response is not None and self.socket is not None:
            self._response.release()
            self.serve()

    def close(self) -> None:
        with self._closing:
            if self.socket is None:
                return
            del self.context.connections[self.socket.fileno()]
            self.socket.close()
            self.socket = None
        self._unsent.end()
        if self.is_suspended or self.is_held:
            if self._response:
                self._response.close()
            self._discard_requests()
        self.is_suspended = self.is_held = False
        if self.request:  # frees its body now, not when it is garbage-collected
            self.request.close()

    def _receive(self) -> None:
        """Receive the bytes of a request that have come; RECVS_AT_ONCE bound what others wait for
        it.
        """
        for _ in range(RECVS_AT_ONCE):
            expected = self.request.body_bytes_expected() if self.request else 0
            data = self._receive_once(min(max(expected, HEAD_RECV_BYTES), BODY_RECV_BYTES))
            if data == b"":
                self._end()
            if not data:
                break
            self._received_bytes += len(data)
            if not self._is_lingering:
                self._parse(data)
            if not (self.request and self.request.body_bytes_expected()):
                break
        self._free_unused()

    def _free_unused(self) -> None:
        """Free the memory that a step of a body does not need, unless more of it has come."""
        request = self.request
        is_partial = request is not None and request.is_stepped and request.step is None
        if request and is_partial and self._receive_once(1, socket.MSG_PEEK) is None:
            request.wait()

    def _receive_once(self, most_bytes: int, flags: int = 0) -> bytes | None:
        """Return received bytes; `b""` if the client has disconnected, None if nothing has come."""
        try:
            return self.socket.recv(most_bytes, flags) if self.socket else b""
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def _parse(self, data: bytes) -> None:
        while data:
            request = self.request = self.request or RequestParser(self.context)
            consumed = request.received(data)
            self._ask_for_body()
            if request.completed:
                self.request = None
                if not request.empty:
                    self.requests.append(request)
            elif request.step:
                self.requests.append(request)
            data = data[consumed:]

    def _ask_for_body(self) -> None:
        """Send `100 Continue` if the client waits for it, after the responses before it."""
        request = self.request
        if request and request.awaits_continue and not (request.completed or self.requests):
            request.awaits_continue = False
            with contextlib.suppress(ClientDisconnected):
                self._unsent.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                self._unsent.flush()

    def _respond(self, response: Response) -> None:
        request = response.request
        with contextlib.suppress(ClientDisconnected):
            try:
                if request.error:
                    response.refuse(request.error.code, request.error.body)
                elif self.is_refused and not response.has_begun:
                    response.refuse(503, TOO_MANY_WAIT)
                else:
                    self.is_refused = False
                    response.send()
                return
            except ClientDisconnected:
                pass
            except Exception as error:
                self.context.on_failure(request.path, error)
                if not response.has_begun:
                    response.refuse(500)
        response.is_last = True

    def _serve_for(self, caller: Names) -> None:
        """Count a worker for this caller. Raises `RequestPostponed`."""
        if caller == self.counted:
            return
        self.context.shares.leave(self)
        self.caller = caller
        if not self.context.shares.enter(self):
            raise RequestPostponed

    def _end_response(self, response: Response) -> None:
        self._response = None
        self.caller = ()
        if response.is_of_cut_body():
            self._discard_requests()
            self.close()
        elif response.is_last:
            self._ends_when_sent = True
            self._discard_requests()
        elif response.is_swallowed:
            self.requests.popleft().go_on()
            self._receive()  # if nothing has come meanwhile, memory of the step is freed
        else:
            self.requests.popleft().close()
            self.is_suspended = bool(self.requests) and self._unsent.is_full()
            self._ask_for_body()

    def _discard_requests(self) -> None:
        while self.requests:
            self.requests.popleft().close()
        if self.request:
            self.request.close()
            self.request = None

    def _go_on_sending(self) -> None:
        self._unsent.flush()
        if self._ends_when_sent and not self._unsent:
            self._linger()
        if self._unsent.is_ended:
            self._end()
        elif self._unsent.is_nearly_empty():
            self.is_suspended = False

    def _end(self) -> None:
        """Close the connection; before that serve what has come of a body in steps."""
        if self.request and not self.requests and self.request.cut():
            self.requests.append(self.request)
            self.request = None
        else:
            self.close()

    def _linger(self) -> None:
        """Close the sending side only: a reset might discard the response the client must read."""
        self._ends_when_sent, self._is_lingering = False, True
        with contextlib.suppress(OSError):
            if self.socket:
                self.socket.shutdown(socket.SHUT_WR)

    # On the thread that checks the time limits

    def shut_down(self) -> None:
        """Shut the socket down: that wakes a worker, which closes it."""
        with self._closing:  # not during `close`: the descriptor might be another's then
            self._unsent.is_ended = True
            if self.socket is not None:
                with contextlib.suppress(OSError):
                    self.socket.shutdown(socket.SHUT_RDWR)

    def cut_long_body(self) -> None:
        """Shut the socket down if the next of several steps is being received."""
        request = self.request
        if request and not self.requests and request.has_many_steps():
            self.shut_down()

    def is_busy(self) -> bool:
        """Return whether a request is being received, processed or answered."""
        return bool(self.requests or self.request or self._unsent)

    def waiting_since(self, now: float) -> float:
        """Return since when the client owes its next action; `now` while a worker is busy."""
        return now if self.requests and not self.is_suspended else self._timer.started_at

    def is_too_slow(self, now: float) -> bool:
        """Return whether the client has exceeded the time limit of its next action."""
        action, seconds = self._expected_action()
        is_paced = action in ("send body", "read response", "close")
        progress_bytes = self._moved_bytes() - self._unacknowledged_bytes() if is_paced else 0
        owed = action, self._response_count
        return self._timer.elapsed(owed, progress_bytes, self._pace_bytes(), now) >= seconds

    def _pace_bytes(self) -> int:
        """Return the pace of the client, which is higher for a body whose place others wait for."""
        request = self.request
        asked = request.admission.pace_bytes() if request else 0
        return max(self.context.limits.pace_bytes, asked)

    def _expected_action(self) -> tuple[str, float]:
        """Return the client's next action, and the seconds until it must happen or progress."""
        limits, request = self.context.limits, self.request
        if self.requests and not self.is_suspended:
            return "wait", math.inf
        if self._unsent:
            return "read response", limits.pace_seconds
        if self._is_lingering:
            return "close", limits.linger_seconds
        if request is None:
            is_idle = self._response_count > 0
            return "send request", limits.idle_seconds if is_idle else limits.head_seconds
        if request.headers_finished:
            return "send body", limits.pace_seconds
        return "send head", limits.head_seconds

    def _moved_bytes(self) -> int:
        """Return how many bytes were received and sent."""
        return self._received_bytes + self._unsent.sent_bytes

    def _unacknowledged_bytes(self) -> int:
        """Return how many bytes the kernel holds that the client has not acknowledged."""
        count = bytearray(4)
        with self._closing, contextlib.suppress(OSError):
            if self.socket is not None:
                fcntl.ioctl(self.socket, termios.TIOCOUTQ, count)
        return int.from_bytes(count, sys.byteorder)
