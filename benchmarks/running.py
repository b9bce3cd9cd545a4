"""Servers as processes, and calls to them over HTTP.

The service is started as an operator starts it, in a temporary folder; nothing is imported.
"""

import base64
import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from figures import MIB, status

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
NO_HEADERS: dict[str, str] = {}
_CPUCLOCK_SCHED = 2  # of Linux, as clock_getcpuclockid(3) puts it into the clock of a process
Body = bytes | Iterable[bytes]  # of another form than bytes: with Content-Length in the headers
ACCOUNT = {"email": "bench@example.com", "password": "correct horse battery"}
BEPASTY = """
import sys
from bepasty.app import create_app
from waitress import serve
serve(create_app(), listen=f"127.0.0.1:{sys.argv[1]}", threads=16)
"""
BEPASTY_CONFIG = """
STORAGE = "filesystem"
STORAGE_FILESYSTEM_DIRECTORY = {folder!r}
SECRET_KEY = "only for this run, only on this machine"
DEFAULT_PERMISSIONS = "create,read,list,delete"
MAX_ALLOWED_FILE_SIZE = 5 * 1000 ** 3
"""
HELLO = """
import sys
from flask import Flask
from waitress import serve
app = Flask("bare")
app.get("/")(lambda: {"hello": "world"})
serve(app, listen=f"127.0.0.1:{sys.argv[1]}", threads=16)
"""

SAME_STACK = """
import sqlite3, sys
from waitress import serve
from benchmarks.plain_stack import create_app
app = create_app(50, sqlite3.connect(sys.argv[2], check_same_thread=False))
serve(app, listen=f"127.0.0.1:{sys.argv[1]}", threads=16)
"""
SLOW_DISK = """
import os, time
sync = os.fdatasync
def sync_slowly(descriptor):
    time.sleep({seconds})
    sync(descriptor)
os.fdatasync = sync_slowly
import app
app.main()
"""
FILES = """
import os, sys, uuid
from waitress import serve
def app(environ, start):
    body = b""
    if environ["REQUEST_METHOD"] == "POST":
        body = f"/{uuid.uuid4().hex}".encode()
        with open(sys.argv[2] + body.decode(), "wb", buffering=0) as file:
            while block := environ["wsgi.input"].read(1 << 20):
                file.write(block)
            os.fdatasync(file.fileno())
    start("200 OK", [("Content-Length", str(len(body)))])
    return [body]
serve(app, listen=f"127.0.0.1:{sys.argv[1]}", threads=16)
"""


@dataclass
class Answer:
    status: int
    body: bytes
    headers: http.client.HTTPMessage
    seconds: float

    @property
    def json(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.body)
        return read


class Connection:
    """A connection to a server that is kept."""

    def __init__(self, port: int) -> None:
        self._client = http.client.HTTPConnection("127.0.0.1", port, timeout=300)

    def call(
        self,
        method: str,
        path: str,
        body: Body | None = None,
        headers: dict[str, str] = NO_HEADERS,
    ) -> Answer:
        start = time.perf_counter()
        self._client.request(method, path, body, headers)
        answer = self._client.getresponse()
        read = answer.read()
        return Answer(answer.status, read, answer.headers, time.perf_counter() - start)

    def close(self) -> None:
        self._client.close()


@dataclass
class Server:
    """A server that takes `POST /v1/documents` with base64 in JSON: the service, or plain.py."""

    name: str
    port: int
    pid: int
    headers: dict[str, str] = field(default_factory=dict)
    start_seconds: float = 0  # from the process's start to its first answer

    def call(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """Send one request on a new connection; its time includes the connection's."""
        start = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        try:
            connection.request(method, path, body, self.headers if headers is None else headers)
            answer = connection.getresponse()
            read = answer.read()
        finally:
            connection.close()
        return Answer(answer.status, read, answer.headers, time.perf_counter() - start)

    def good(self, method: str, path: str, body: bytes | None = None) -> Answer:
        answer = self.call(method, path, body)
        assert answer.status < 300, (self.name, answer.status, answer.body[:500])
        return answer

    def upload(
        self, raw: bytes, content_type: str = "application/octet-stream"
    ) -> tuple[float, str]:
        """Upload bytes. Return the seconds, without encoding, and the path of the document."""
        body = document(raw, content_type)
        answer = self.good("POST", "/v1/documents", body)
        return answer.seconds, "/v1/documents/" + answer.json["id"]

    def content(self, path: str) -> Answer:
        return self.good("GET", path + "/content")

    def delete(self, path: str) -> None:
        self.good("DELETE", path)

    def delete_large(self, path: str, size: int) -> None:
        """Delete a large document; a small one stays.

        A deletion cuts the log that the next upload writes to.
        """
        if size > MIB:
            self.delete(path)

    def cpu_seconds(self) -> float:
        """Return the processor time of the process, its threads and its children until now."""
        return sum(map(_cpu_seconds, _tree(self.pid)))

    def read_bytes(self) -> int:
        """Return how much the process and its children have read of files, from caches or disks."""
        return sum(map(_read_bytes, _tree(self.pid)))

    def memory_mib(self, name: str = "VmHWM") -> float:
        """Return memory in MiB: `VmHWM` is the peak since the start, `VmRSS` the present value."""
        return status(self.pid, name) / 1024

    def forget_peak(self) -> float:
        """Let the peak of memory begin anew at the present value, in MiB, and return that."""
        Path(f"/proc/{self.pid}/clear_refs").write_text("5")
        return self.memory_mib()


class SameStack(Server):
    """The server plain_stack.py, which deletes nothing."""

    def delete(self, path: str) -> None:
        pass


class Files(SameStack):
    """A server that writes a file for each upload: the body as it is, without base64."""

    def upload(self, raw: bytes, content_type: str = "") -> tuple[float, str]:  # noqa: ARG002
        answer = self.good("POST", "/", raw)
        return answer.seconds, answer.body.decode()


def bepasty_item(raw: bytes) -> tuple[bytes, dict[str, str]]:
    """Return the body and the headers that store a file at bepasty."""
    encoded, size = base64.b64encode(raw), len(raw)
    headers = {
        "Content-Range": f"bytes 0-{size - 1}/{size}",
        "Content-Type": "application/octet-stream",
        "Content-Filename": "x.bin",
        "Content-Length": str(len(encoded)),
    }
    return encoded, headers


class Bepasty(Server):
    """A bepasty server: the same calls in its REST interface, which takes base64 too."""

    def upload(self, raw: bytes, content_type: str = "") -> tuple[float, str]:  # noqa: ARG002
        answer = self.call("POST", "/apis/rest/items", *bepasty_item(raw))
        assert answer.status == 201, answer.body[:500]
        item = answer.headers["Content-Location"] or answer.headers["Location"]
        return answer.seconds, item.rstrip("/")

    def content(self, path: str) -> Answer:
        return self.good("GET", path + "/download")

    def delete(self, path: str) -> None:
        self.good("POST", path + "/delete")


def document(raw: bytes, content_type: str = "application/octet-stream") -> bytes:
    """Return the body of an upload."""
    encoded = base64.b64encode(raw)
    return b'{"contentType":"%b","payload":"%b"}' % (content_type.encode(), encoded)


@contextlib.contextmanager
def ours(
    folder: str, sync_ms: float = 0, checkout: Path = ROOT, **environment: str
) -> Iterator[Server]:
    """Run the service with an account of its own, whose API key is in the headers.

    Each sync of its write-ahead log takes `sync_ms` longer. Another `checkout` runs with the
    environment of its own, `.venv`.
    """
    instance = f"{folder}/ours-{free_port()}"
    with service(instance, sync_ms, checkout, **environment) as server:
        server.headers["X-API-Key"] = api_key(server)
        yield server


@contextlib.contextmanager
def service(
    instance: str, sync_ms: float = 0, checkout: Path = ROOT, **environment: str
) -> Iterator[Server]:
    """Run the service with the folder of an instance, as `ours` does, without an account."""
    environment = {"DOCSERVICE_RATE_LIMITS": "off"} | environment
    port = free_port()
    environment["DOCSERVICE_INSTANCE_PATH"] = instance
    environment["DOCSERVICE_LISTEN"] = f"127.0.0.1:{port}"
    start = time.perf_counter()
    python = sys.executable if checkout == ROOT else str(checkout / ".venv/bin/python")
    command = [python, "app.py"]
    if sync_ms:
        command = [python, "-c", SLOW_DISK.format(seconds=sync_ms / 1000)]
    with started(command, port, "/healthz", environment, checkout=checkout) as pid:
        server = Server("ours", port, pid, {"Content-Type": "application/json"})
        server.start_seconds = time.perf_counter() - start
        yield server


def api_key(server: Server, account: dict[str, str] = ACCOUNT) -> str:
    """Register an account, and return a key of it."""
    body = json.dumps(account).encode()
    server.good("POST", "/v1/auth/register", body)
    token = server.good("POST", "/v1/auth/login", body).json["accessToken"]
    signed_in = server.headers | {"Authorization": f"Bearer {token}"}
    key: str = server.call("POST", "/v1/api-keys", b"{}", signed_in).json["key"]
    return key


@contextlib.contextmanager
def plain(python: str, folder: str) -> Iterator[Server]:
    """Run plain.py, whose writers wait for each other by SQLite's `busy_timeout`."""
    port = free_port()
    environment = {"DATABASE": f"{folder}/plain-{port}.sqlite"}
    command = [python, "-m", "uvicorn", "--port", str(port), "--app-dir", str(HERE), "plain:app"]
    with started(command, port, "/openapi.json", environment) as pid:
        yield Server("plain", port, pid, {"Content-Type": "application/json"})


@contextlib.contextmanager
def bepasty(python: str, folder: str) -> Iterator[Server]:
    port, config, files = free_port(), Path(folder) / "bepasty.py", Path(folder) / "bepasty"
    files.mkdir()
    config.write_text(BEPASTY_CONFIG.format(folder=str(files)))
    command = [python, "-c", BEPASTY, str(port)]
    with started(command, port, "/", {"BEPASTY_CONFIG": str(config)}) as pid:
        yield Bepasty("bepasty", port, pid)


@contextlib.contextmanager
def same_stack(folder: str) -> Iterator[Server]:
    port, headers = free_port(), {"Content-Type": "application/json"}
    headers["X-API-Key"] = "pk_live_" + "0" * 38
    command = [sys.executable, "-c", SAME_STACK, str(port), f"{folder}/stack.sqlite"]
    with started(command, port, "/v1/documents?limit=1", {}, headers) as pid:
        yield SameStack("same stack", port, pid, headers)


@contextlib.contextmanager
def files(folder: str) -> Iterator[Server]:
    port, stored = free_port(), Path(folder) / "files"
    stored.mkdir()
    with started([sys.executable, "-c", FILES, str(port), str(stored)], port, "/", {}) as pid:
        yield Files("files", port, pid)


@contextlib.contextmanager
def bare_flask() -> Iterator[Server]:
    port = free_port()
    with started([sys.executable, "-c", HELLO, str(port)], port, "/", {}) as pid:
        yield Server("bare Flask", port, pid)


@contextlib.contextmanager
def started(
    command: Sequence[str],
    port: int,
    path: str,
    environment: dict[str, str],
    headers: dict[str, str] | None = None,
    checkout: Path = ROOT,
) -> Iterator[int]:
    """Run a server, wait for its first answer, and stop it at the end.

    A server that crashed fails the benchmark.
    """
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(
        command, cwd=checkout, env=os.environ | environment, stdout=quiet, stderr=quiet
    )
    try:
        while not _answers(port, path, headers or {}):
            assert process.poll() is None, f"{command} ended"
            time.sleep(0.005)
        yield process.pid
    finally:
        process.terminate()
        ended = process.wait()
    assert ended in (0, -signal.SIGTERM), f"{command} ended with {ended}"


def _answers(port: int, path: str, headers: dict[str, str]) -> bool:
    try:
        return Server("", port, 0, headers).call("GET", path).status == 200
    except OSError:
        return False


def _tree(pid: int) -> list[int]:
    """Return the process, its children, theirs, and so on."""
    found = [pid]
    for one in found:
        for path in Path(f"/proc/{one}/task").glob("*/children"):
            with contextlib.suppress(OSError):  # it has ended
                found += map(int, path.read_text().split())
    return found


def _cpu_seconds(pid: int) -> float:
    """Return the processor time of a process, with that of its threads that have ended.

    /proc/<pid>/task has only those that run; a long upload begins one of its own.
    """
    with contextlib.suppress(OSError):  # it has ended
        return time.clock_gettime((~pid << 3) | _CPUCLOCK_SCHED)
    return 0.0


def _read_bytes(pid: int) -> int:
    with contextlib.suppress(OSError):  # it has ended
        return int(Path(f"/proc/{pid}/io").read_text().partition("rchar: ")[2].split()[0])
    return 0


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port
