"""The server: one thread that receives and sends, workers that answer, and its end.

waitress, with requests read strictly, plaintext kept off the disk, no worker and no connection
left to a slow client, and a SIGTERM that lets requests finish.
"""

import resource
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import waitress
from waitress import wasyncore

from .body_spool import MemoryBudget
from .connection import Channel
from .limits import Limits

DRAIN_SECONDS = 20
TURN_SECONDS = 0.2
LOOK_SECONDS = 0.5
DESCRIPTORS = 4096
_NEVER = 10**9


class Server:
    def __init__(
        self,
        app: Any,
        config: Mapping[str, Any],
        limits: Limits | None = None,
        on_rejected: Callable[[str, int, int], None] = lambda *_: None,
    ) -> None:
        self._stopping = False
        self._looked_at = 0.0
        self._limits = limits or Limits(body_bytes=config["MAX_BODY_BYTES"])
        self._proxy = config["TRUSTED_PROXY"]
        self._map: dict[int, Any] = {}
        server = waitress.create_server(app, map=self._map, **_options(config, self._limits))
        self._workers = server.task_dispatcher
        self._listeners = [one for one in self._map.values() if hasattr(one, "active_channels")]
        room = MemoryBudget(self._limits.bodies * self._limits.body_bytes)
        for listener in self._listeners:
            listener.channel_class = Channel
            listener.adj.limits, listener.adj.room = self._limits, room
            listener.adj.on_rejected = on_rejected

    def run(self) -> None:
        """Serve until the process is told to stop."""
        _allow_descriptors()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.stop)
        self.serve()

    def serve(self) -> None:
        while not self._stopping:
            self._turn()
        self._drain()

    def stop(self, *_: Any) -> None:
        self._stopping = True

    def _turn(self) -> None:
        wasyncore.loop(timeout=TURN_SECONDS, use_poll=True, map=self._map, count=1)
        now = time.monotonic()
        full = len(self._map) >= self._limits.connections
        if full or now - self._looked_at >= LOOK_SECONDS:
            self._looked_at = now
            self._end_slow(now)
        if full:
            self._make_room(now)

    def _channels(self) -> list[Channel]:
        return [one for one in self._map.values() if isinstance(one, Channel)]

    def _end_slow(self, now: float) -> None:
        for channel in self._channels():
            if channel.is_too_slow(now):
                channel.handle_close()

    def _make_room(self, now: float) -> None:
        """When all connections are taken, those who have most give up what they leave waiting.

        Behind a proxy everybody has its address: of its connections only idle ones are given up.
        """
        channels = self._channels()
        held = Counter(channel.addr[0] for channel in channels)
        waiting = [
            channel
            for channel in channels
            if now - channel.waits_since(now) >= self._limits.newcomer_seconds
            and (channel.is_idle() or not self._is_shared(channel.addr))
        ]
        waiting.sort(key=lambda one: (-held[one.addr[0]], one.waits_since(now)))
        for channel in waiting[: self._limits.connections // 20 + 1]:
            channel.handle_close()

    def _is_shared(self, address: tuple[Any, Any]) -> bool:
        """Whether many clients come from there: a trusted proxy, or a Unix socket."""
        return address[1] is None or self._proxy in (address[0], "*")

    def _drain(self) -> None:
        """No new connections; what has begun is finished, for some seconds."""
        for listener in self._listeners:
            wasyncore.dispatcher.close(listener)
        deadline = time.monotonic() + DRAIN_SECONDS
        while time.monotonic() < deadline and any(one.is_busy() for one in self._channels()):
            self._turn()
        self._workers.shutdown()
        for one in list(self._map.values()):
            one.handle_close()


def _allow_descriptors() -> None:
    """Beside its connection, a request may have its body and the database open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < DESCRIPTORS:
        wanted = DESCRIPTORS if hard < 0 else min(DESCRIPTORS, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _options(config: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    listen = config["LISTEN"]
    unix = listen.startswith("unix:")
    options = {
        "unix_socket" if unix else "listen": listen.removeprefix("unix:"),
        "threads": config["THREADS"],
        "ident": None,
        "max_request_body_size": max(16 * limits.body_bytes, 4 << 30),
        "max_request_header_size": limits.head_bytes,
        "channel_timeout": _NEVER,  # there is a stricter one here
        "connection_limit": limits.connections,
        "clear_untrusted_proxy_headers": True,
    }
    if config["TRUSTED_PROXY"]:
        options |= {
            "trusted_proxy": config["TRUSTED_PROXY"],
            "trusted_proxy_count": 1,
            "trusted_proxy_headers": {"x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"},
        }
    return options
