"""The whole house: what is built, from what, in which order; and the server before it."""

import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import waitress.server
from flask import Flask
from waitress import wasyncore
from waitress.buffers import OverflowableBuffer
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.task import ErrorTask

from blueprints import BLUEPRINTS
from blueprints.access_log import speak
from blueprints.body import SMALL_BODY_BYTES
from blueprints.errors import HouseApi, answer_fault, answer_refusal
from blueprints.hooks import hang_up
from blueprints.openapi import described
from blueprints.operations import VERSION
from blueprints.settings import WrongSetting, read_settings
from blueprints.strict import body_bytes
from crypto import Keyring, KeyringError
from models import house, sweeper
from models.errors import Refusal
from models.quota import Quota

HOME = Path(__file__).resolve().parent
MEMORY = Path("/dev/shm")  # noqa: S108  a folder in memory, where there is one
DRAIN_SECONDS = 20


def create_app(config: Mapping[str, Any] | None = None) -> Flask:
    """The service as a WSGI application. `config` takes the settings' names without prefix."""
    os.umask(0o077)
    config = config or {}
    settings = read_settings(os.environ, config, HOME)
    app = Flask("docservice", static_folder=None, root_path=str(HOME))
    app.config.update({**config, **settings})
    app.config["MAX_BODY_BYTES"] = body_bytes(settings["MAX_DOCUMENT_BYTES"])
    app.config["MAX_FORM_MEMORY_SIZE"] = SMALL_BODY_BYTES
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.config.update(API_TITLE="Document Service", API_VERSION=VERSION, OPENAPI_VERSION="3.1.0")
    app.url_map.merge_slashes = False
    app.json.sort_keys = app.json.ensure_ascii = False  # type: ignore[attr-defined]
    _open_house(settings)
    hang_up(app)
    app.register_error_handler(Refusal, answer_refusal)
    app.register_error_handler(Exception, answer_fault)
    _register(app)
    return app


def _open_house(settings: Mapping[str, Any]) -> None:
    house.open_database(settings["DATABASE"])
    house.use(
        _keyring(settings),
        rate_limits=settings["RATE_LIMITS"] == "on",
        reserve_bytes=settings["RESERVE_BYTES"],
        quota=Quota(settings["QUOTA_BYTES"], settings["QUOTA_DOCUMENTS"]),
    )


def _keyring(settings: Mapping[str, Any]) -> Keyring:
    if settings["KEYRING_COMMAND"]:
        return Keyring.from_command(settings["KEYRING_COMMAND"])
    if settings["KEYRING"]:
        return Keyring(text=settings["KEYRING"])
    if settings["KEYRING_FILE"]:
        return Keyring(Path(settings["KEYRING_FILE"]))
    return house.open_keyring(Path(settings["INSTANCE_PATH"]) / "keyring")


def _register(app: Flask) -> None:
    api = HouseApi(app)
    for blueprint in BLUEPRINTS:
        api.register_blueprint(blueprint)
    known: list[dict[str, Any]] = []

    def description() -> dict[str, Any]:
        if not known:
            known.append(described(app, api))
        return known[0]

    app.extensions["description"] = description


class BoundedBuffer(OverflowableBuffer):
    """A request's body. Past the limit it is counted, not kept: to refuse earlier would cut the
    connection while the client still writes.
    """

    limit_bytes = 0

    def __init__(self, overflow: int) -> None:
        super().__init__(overflow)
        self._received = 0

    def append(self, data: bytes) -> None:
        self._received += len(data)
        if self._received <= self.limit_bytes:
            super().append(data)

    def __len__(self) -> int:
        return self._received


class Parser(HTTPRequestParser):
    body_rcv: Any
    expect_continue: bool

    def parse_header(self, header_plus: bytes) -> None:
        super().parse_header(header_plus)
        if self.body_rcv is not None:
            self.body_rcv.buf = BoundedBuffer(self.adj.inbuf_overflow)
        if self.content_length > BoundedBuffer.limit_bytes and self.expect_continue:
            self.body_rcv, self.expect_continue = None, False  # answered before it is sent
            self.connection_close = True


class ProblemTask(ErrorTask):
    """What the server itself refuses, in the shape of every other error."""

    def execute(self) -> None:
        error = self.request.error
        title = error.reason
        facts = {"type": "about:blank", "title": title, "status": error.code, "detail": error.body}
        code = "payload_too_large" if error.code == 413 else title.lower().replace(" ", "_")
        facts |= {"code": code, "requestId": os.urandom(8).hex()}
        body = json.dumps(facts).encode()
        self.status = f"{error.code} {title}"
        self.response_headers += [
            ("Content-Type", "application/problem+json"),
            ("X-Request-Id", facts["requestId"]),
            ("X-Content-Type-Options", "nosniff"),
            ("Cache-Control", "private, no-store"),
        ]
        self.content_length = len(body)
        self.set_close_on_finish()
        self.write(body)


class Channel(HTTPChannel):
    parser_class, error_task_class = Parser, ProblemTask

    def is_busy(self) -> bool:
        """Whether a request is being received, worked on or answered."""
        return bool(self.requests or self.request or self.total_outbufs_len)


class Server:
    """waitress, with plaintext kept off the disk, and a SIGTERM that lets requests finish."""

    def __init__(self, app: Flask) -> None:
        self._stopping = False
        self._map: dict[int, Any] = {}
        waitress.server.BaseWSGIServer.channel_class = Channel
        BoundedBuffer.limit_bytes = app.config["MAX_BODY_BYTES"]
        self._server = waitress.create_server(app, map=self._map, **_options(app.config))

    def run(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        while not self._stopping:
            wasyncore.loop(timeout=0.2, use_poll=True, map=self._map, count=1)
        self._drain()

    def _stop(self, *_: Any) -> None:
        self._stopping = True

    def _drain(self) -> None:
        """No new connections; what has begun is finished, for some seconds."""
        for listener in [one for one in self._map.values() if hasattr(one, "active_channels")]:
            wasyncore.dispatcher.close(listener)
        for _ in range(DRAIN_SECONDS * 10):
            if not any(isinstance(one, Channel) and one.is_busy() for one in self._map.values()):
                break
            wasyncore.loop(timeout=0.1, use_poll=True, map=self._map, count=1)
        self._server.task_dispatcher.shutdown()


def _options(config: Mapping[str, Any]) -> dict[str, Any]:
    """waitress spools large bodies to temporary files: in memory, or not at all."""
    room = shutil.disk_usage(MEMORY).free if os.access(MEMORY, os.W_OK) else 0
    in_memory = room >= 4 * config["MAX_BODY_BYTES"]  # a container may give it 64 MiB
    if in_memory:
        tempfile.tempdir = str(MEMORY)
    listen = config["LISTEN"]
    options = {
        "threads": config["THREADS"],
        "ident": None,
        "recv_bytes": 262_144,
        "inbuf_overflow": 4 << 20 if in_memory else 2 * config["MAX_BODY_BYTES"],
        "outbuf_high_watermark": 1 << 20,
        "outbuf_overflow": 8 << 20,
        "max_request_body_size": max(16 * config["MAX_BODY_BYTES"], 4 << 30),
        "max_request_header_size": 32_768,
        "channel_timeout": 60,
        "connection_limit": 500,
        "asyncore_use_poll": True,
        "clear_untrusted_proxy_headers": True,
    }
    unix = listen.startswith("unix:")
    options |= {"unix_socket": listen.removeprefix("unix:")} if unix else {"listen": listen}
    if config["TRUSTED_PROXY"]:
        options |= {
            "trusted_proxy": config["TRUSTED_PROXY"],
            "trusted_proxy_count": 1,
            "trusted_proxy_headers": {"x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"},
        }
    return options


def main() -> None:
    """Run the service until it is told to stop."""
    try:
        app = create_app()
        server = Server(app)
    except (WrongSetting, KeyringError, OSError) as error:
        sys.exit(f"Document Service does not start. {error}")
    speak(app.config["LOG"])
    swept = sweeper.start()
    print(  # noqa: T201
        f"Document Service {VERSION} listens on {app.config['LISTEN']}; its data lies in "
        f"{app.config['INSTANCE_PATH']}. Back up the keyring apart from the database.",
        file=sys.stderr,
        flush=True,
    )
    server.run()
    swept.set()
    house.close_all()


if __name__ == "__main__":
    main()
