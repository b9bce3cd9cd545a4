"""The server: its listeners, the time limits of its connections, and a graceful shutdown.

waitress parses the heads of requests. Each worker receives, serves and sends (`workers.py`), what a
trusted proxy says of its clients is read in `forwarding.py`, ambiguous requests are refused, bodies
stay in memory, slow clients hold no worker and no connection for long, and SIGTERM lets running
requests finish.
"""

import resource
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from .connection import Connection
from .context import (
    UNHURRIED,
    AdmitLongBody,
    Context,
    FieldsOfRefusal,
    IsStepped,
    Limits,
    NeedsNoWorker,
    log_exception,
)
from .forwarding import Forwarding, TrustedProxy
from .workers import Workers
from .workers import listen as open_listeners

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
        proxy: TrustedProxy | None = None,
        on_rejected: Callable[[str, int, int], None] = lambda *_: None,
        admit_long_body: AdmitLongBody = lambda *_: UNHURRIED,
        is_stepped: IsStepped = lambda *_: False,
        needs_no_worker: NeedsNoWorker = lambda *_: False,
        on_failure: Callable[[str, Exception], None] = log_exception,
        on_early_end: Callable[[str, int, int], None] = lambda *_: None,
        fields_of_refusal: FieldsOfRefusal = lambda _: [],
        network_of: Callable[[str], str] = str,
        sync: Callable[[], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Make a server that listens at `host:port` or `unix:path`.

        `on_rejected(request_id, status, sent_bytes)` is called before each error of the server's
        own; its body has `sent_bytes`, none after a HEAD. `fields_of_refusal` returns by the path
        which further header fields such an error has. `admit_long_body` is asked before more than
        `unverified_body_bytes` are received; of a body that is refused then, the application gets
        nothing but `server.has_refused_body` in its environment. A body that `is_stepped`, by
        method and path, is served while it is received: `Step` says how. A request that
        `needs_no_worker` is answered while all workers wait; the application, which
        `server.needs_no_worker` in its environment tells so, must not wait for anything then.
        A response that the application has held (`Response.hold`) is sent behind a call of `sync`,
        one for many responses, on a thread of its own; without `sync` none can be held.
        `on_failure(path, error)` is called for each exception of the application,
        `on_early_end(request_id, written_bytes, bytes)` for each response of which fewer bytes were
        written than announced. `network_of` says by the address of a client in whose line a request
        waits.
        """
        self._limits, self._clock = limits, clock
        self._forwarding = Forwarding(proxy, clock)
        self._network_of = lru_cache(maxsize=4096)(network_of)
        self._context = Context(
            self._forwarding.around(application),
            limits,
            clock,
            on_rejected,
            admit_long_body,
            workers=threads,
            is_stepped=is_stepped,
            needs_no_worker=needs_no_worker,
            on_failure=on_failure,
            on_early_end=on_early_end,
            fields_of_refusal=fields_of_refusal,
            network_of=self._network_of_client,
            sync=sync,
        )
        self._listen = listen
        self._listeners = open_listeners(listen)
        self._workers = Workers(self._context)

    @property
    def port(self) -> int:
        return int(self._listeners[0].getsockname()[1])

    @property
    def listens_on(self) -> str:
        """The address in the form of `listen`, with the port that was given for port 0."""
        if self._listen.startswith("unix:"):
            return self._listen
        host, _, port = self._listen.rpartition(":")
        return f"{host}:{self.port}" if int(port) == 0 else self._listen

    @property
    def connections(self) -> list[Connection]:
        return list(self._context.connections.values())

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

    def let_others_in(self) -> None:
        """Have another worker lead, if the thread that calls this leads: it is about to wait."""
        self._workers.lead.give_away()

    def stop(self, *_: Any) -> None:
        self._stopping = True

    def _network_of_client(self, address: str, headers: Mapping[str, str]) -> str:
        return self._network_of(self._forwarding.client(address, headers.get("X_FORWARDED_FOR")))

    def _check_connections(self) -> None:
        now = self._clock()
        for one in self.connections:
            if one.is_too_slow(now):
                one.shut_down()
        if len(self.connections) >= self._limits.connections:
            self._evict(now)

    def _evict(self, now: float) -> None:
        """Close connections that wait for their clients, first of the address that has most.

        All clients of a proxy share its address: of its connections only idle ones are closed.
        """
        connections = self.connections
        held = Counter(one.address[0] for one in connections)
        evictable = [
            one
            for one in connections
            if now - one.waiting_since(now) >= self._limits.evictable_after_seconds
            and not (one.is_busy() and self._is_shared(one.address))
        ]
        evictable.sort(key=lambda one: (-held[one.address[0]], one.waiting_since(now)))
        for connection in evictable[: self._limits.connections // 4 + 1]:
            connection.shut_down()

    def _is_shared(self, address: tuple[Any, Any]) -> bool:
        """Return whether many clients have this address: a trusted proxy's, or a Unix socket's."""
        return address[1] is None or self._forwarding.trusts(address[0])

    def _drain(self) -> None:
        """Accept no more connections; finish running requests and end, within DRAIN_SECONDS.

        Bodies of several steps are cut: what has come of them is kept.
        """
        self._workers.close_listeners()
        deadline = time.monotonic() + DRAIN_SECONDS
        while time.monotonic() < deadline and any(one.is_busy() for one in self.connections):
            for one in self.connections:
                one.cut_long_body()
            time.sleep(DRAIN_CHECK_SECONDS)
            self._check_connections()
        self._workers.stop(deadline)
        for one in self.connections:
            one.close()


def _raise_descriptor_limit() -> None:
    """Raise the limit: a request may need descriptors for its body and the database, too."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < MIN_DESCRIPTORS:
        wanted = MIN_DESCRIPTORS if hard < 0 else min(MIN_DESCRIPTORS, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
