"""The server: its listeners, the time limits of its connections, and a graceful shutdown.

waitress, but each worker receives, serves and sends (`workers.py`), requests are parsed strictly,
bodies stay in memory, slow clients hold no worker and no connection for long, and SIGTERM lets
running requests finish.
"""

import math
import resource
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import waitress

from .body_buffer import MemoryBudget
from .connection import Connection
from .limits import Limits
from .request_parser import FORWARDED_HOST
from .workers import Workers

DRAIN_SECONDS = 20
CHECK_SECONDS = 0.2
DRAIN_CHECK_SECONDS = 0.02
MIN_DESCRIPTORS = 4096


class Server:
    _stopping = False

    def __init__(
        self,
        application: Any,
        limits: Limits,
        *,
        listen: str,
        threads: int,
        trusted_proxy: str | None = None,
        forwarded_host: bool = False,
        on_rejected: Callable[[str, int, int], None] = lambda *_: None,
        may_send_long_body: Callable[[str, Mapping[str, str]], bool] = lambda *_: True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`listen` is `host:port` or `unix:path`. `on_rejected(request_id, status, body_bytes)` is
        called for each error of the server's own. `may_send_long_body(path, headers)` decides if
        more than `unverified_body_bytes` are received (header names as `X_API_KEY`).
        """
        self._limits, self._proxy, self._clock = limits, trusted_proxy, clock
        self._map: dict[int, Any] = {}  # of waitress: listeners and connections
        options = _options(limits, listen) | _proxy(trusted_proxy, forwarded_host)
        waitress.create_server(application, map=self._map, **options)
        self._workers = Workers(threads, self._map)
        self._listeners = [one for one in self._map.values() if hasattr(one, "active_channels")]
        budget = MemoryBudget(limits.concurrent_bodies * limits.body_bytes)
        for listener in self._listeners:
            _leave_out_workers(listener)
            adj = listener.adj
            adj.limits, adj.memory_budget, adj.clock = limits, budget, clock
            adj.on_rejected, adj.may_send_long_body = on_rejected, may_send_long_body

    @property
    def port(self) -> int:
        return int(self._listeners[0].effective_port)

    @property
    def connections(self) -> list[Connection]:
        return [one for one in list(self._map.values()) if isinstance(one, Connection)]

    def run(self) -> None:
        """Serve until SIGTERM or SIGINT; call on the main thread."""
        _raise_descriptor_limit()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.stop)
        self.serve()

    def serve(self) -> None:
        """Serve until `stop` is called, on this thread or another."""
        self._workers.start(self._listeners)
        while not self._stopping:
            time.sleep(CHECK_SECONDS)
            self._check_connections()
        self._drain()

    def stop(self, *_: Any) -> None:
        self._stopping = True

    def _check_connections(self) -> None:
        now = self._clock()
        self._close_slow(now)
        if len(self._map) >= self._limits.connections:
            self._evict(now)

    def _close_slow(self, now: float) -> None:
        for one in self.connections:
            if one.is_too_slow(now):
                one.shut_down()

    def _evict(self, now: float) -> None:
        """Close connections that wait for their clients, first of the address that has most.

        All clients of a proxy share its address: of its connections only idle ones are closed.
        """
        connections = self.connections
        held = Counter(one.addr[0] for one in connections)
        evictable = [
            one
            for one in connections
            if now - one.waiting_since(now) >= self._limits.evictable_after_seconds
            and not (one.is_busy() and self._is_shared(one.addr))
        ]
        evictable.sort(key=lambda one: (-held[one.addr[0]], one.waiting_since(now)))
        for connection in evictable[: self._limits.connections // 4 + 1]:
            connection.shut_down()

    def _is_shared(self, address: tuple[Any, Any]) -> bool:
        """Whether many clients have this address: a trusted proxy's, or a Unix socket's."""
        return address[1] is None or self._proxy in (address[0], "*")

    def _drain(self) -> None:
        """Accept no more connections; finish the running requests, up to DRAIN_SECONDS."""
        self._workers.close_listeners()
        deadline = time.monotonic() + DRAIN_SECONDS
        while time.monotonic() < deadline and any(one.is_busy() for one in self.connections):
            time.sleep(DRAIN_CHECK_SECONDS)
            self._check_connections()
        self._workers.stop()
        for one in list(self._map.values()):
            one.handle_close()


def _leave_out_workers(listener: Any) -> None:
    """Leave out waitress's own workers, and its timeouts: `is_too_slow` is stricter."""
    listener.add_task = listener.pull_trigger = lambda *_: None
    listener.next_channel_cleanup = math.inf


def _raise_descriptor_limit() -> None:
    """Besides its connection, a request may need descriptors for its body and the database."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < MIN_DESCRIPTORS:
        wanted = MIN_DESCRIPTORS if hard < 0 else min(MIN_DESCRIPTORS, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _options(limits: Limits, listen: str) -> dict[str, Any]:
    return {
        "unix_socket" if listen.startswith("unix:") else "listen": listen.removeprefix("unix:"),
        "threads": 0,  # of waitress; `Workers` has its own
        "ident": None,
        "max_request_body_size": max(16 * limits.body_bytes, 4 << 30),
        "max_request_header_size": limits.head_bytes,
        "connection_limit": limits.connections,
        "clear_untrusted_proxy_headers": True,
    }


def _proxy(address: str | None, forwarded_host: bool) -> dict[str, Any]:
    """The proxy whose forwarding headers count; `X-Forwarded-Host` only if it sets that itself."""
    if address is None:
        return {}
    headers = {"x-forwarded-for", "x-forwarded-proto"}
    if forwarded_host:
        headers.add(FORWARDED_HOST)
    return {"trusted_proxy": address, "trusted_proxy_count": 1, "trusted_proxy_headers": headers}
