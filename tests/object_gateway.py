"""A real S3 server, SeaweedFS, in one process on this machine; and a proxy that can fail before it.

All workers of a session share one server: the first that needs it starts it, the last one ends it.
"""

import contextlib
import fcntl
import http.client
import importlib.util
import json
import os
import shutil
import signal
import socket
import sys
import threading
import uuid
from pathlib import Path

import pytest

from tests.requirements import skip_unless_required
from tests.service import free_port
from tests.waiting import until

ACCESS_KEY, SECRET = "AKIATESTSOFTHISSUITE", "a-secret-that-no-log-may-hold"
START_SECONDS = 60
LONGEST_SECONDS = 5400  # it ends by itself if the tests were killed
PROGRAMS = ("master", "volume", "filer", "s3")
PORTS = [f"{name}.port{kind}" for name in PROGRAMS for kind in ("", ".grpc")]
ATTEMPTS = 3
OPTIONS = (
    "-ip=127.0.0.1",
    "-ip.bind=127.0.0.1",
    "-master.telemetry=false",
    "-volume.max=32",
    "-master.volumeSizeLimitMB=1024",
    "-s3",
    "-s3.autoCreateBucket=false",
    "-s3.iam=false",
    "-s3.port.iceberg=0",
    "-s3.port.lance=0",
    "-s3.localSocket=",
)


class Gateway:
    """A running server with two buckets; each test uses a prefix of its own in one of them.

    Uploads that are killed, and so leave a part that no list shows, never go to `TIDY`.
    """

    BUCKET, TIDY = "documents", "tidy"

    def __init__(self, ports):
        self.ports = ports
        self.port = ports["s3.port"]
        self.url = f"http://127.0.0.1:{self.port}"

    def address(self, bucket=BUCKET):
        """A value of the setting PAYLOADS: nobody else has objects there."""
        return f"s3://{bucket}/{uuid.uuid4().hex}"

    def environment(self, url=None, secret=SECRET):
        return {
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": secret,
            "AWS_ENDPOINT_URL": url or self.url,
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
        }

    def unfinished_uploads(self):
        """How many multipart uploads of all tests have begun in `TIDY` and not ended."""
        listed = self._filer("GET", f"/buckets/{self.TIDY}/.uploads/?limit=1000")
        return len(json.loads(listed)["Entries"] or ()) if listed else 0

    def create_buckets(self):
        for bucket in (self.BUCKET, self.TIDY):
            self._filer("POST", f"/buckets/{bucket}/")

    def answers(self):
        with contextlib.suppress(OSError, http.client.HTTPException):
            if _exchange(self.port, "GET", "/")[0] == 403:
                return "answers"
        return None

    def _filer(self, method, path):
        status, body = _exchange(self.ports["filer.port"], method, path)
        assert status in {200, 201, 404}, (status, body)
        return body if status == 200 else b""


def _exchange(port, method, path):
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as server:
        server.request(method, path, headers={"Accept": "application/json"})
        answer = server.getresponse()
        return answer.status, answer.read()


def _program():
    return shutil.which("weed", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")


def _start(folder):
    """Start the server: again, if it ended because somebody else has taken one of its ports."""
    for _ in range(ATTEMPTS):
        gateway = Gateway(_free_ports())
        pid = _spawn(folder, gateway.ports)
        if until(lambda: gateway.answers() or _has_ended(pid), START_SECONDS) == "answers":  # noqa: B023
            gateway.create_buckets()
            return {"ports": gateway.ports, "pid": pid, "users": 0}
    return pytest.fail(f"The S3 server ends at its start:\n{(folder / 'log').read_text()[-3000:]}")


def _free_ports():
    numbers = set()
    while len(numbers) < len(PORTS):
        numbers.add(free_port())
    return dict(zip(PORTS, numbers, strict=True))


def _spawn(folder, ports):
    """The server's process id; not a Popen, because another process may end it."""
    (data := folder / "data").mkdir(exist_ok=True)
    credentials = [{"accessKey": ACCESS_KEY, "secretKey": SECRET}]
    actions = ["Admin", "Read", "Write", "List", "Tagging"]
    identity = {"name": "tests", "credentials": credentials, "actions": actions}
    (config := folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
    listen = [f"-{name}={number}" for name, number in ports.items()]
    command = ["timeout", "-s", "KILL", str(LONGEST_SECONDS), _program(), "server", f"-dir={data}"]
    to_log = (os.POSIX_SPAWN_OPEN, 1, str(folder / "log"), os.O_WRONLY | os.O_CREAT, 0o600)
    return os.posix_spawnp(
        command[0],
        [*command, f"-s3.config={config}", *OPTIONS, *listen],
        os.environ,
        file_actions=[to_log, (os.POSIX_SPAWN_DUP2, 1, 2)],
        setsid=True,
    )


def _has_ended(pid):
    return "ended" if os.waitpid(pid, os.WNOHANG) != (0, 0) else None


def _end(folder, state):
    os.killpg(state["pid"], signal.SIGKILL)
    shutil.rmtree(folder / "data", ignore_errors=True)
    for number in state["ports"].values():
        for socket_file in Path("/tmp").glob(f"seaweedfs-*-{number}.sock"):
            socket_file.unlink(missing_ok=True)


@contextlib.contextmanager
def shared_gateway(folder):
    """The server of all processes that name the same folder."""
    if not (_program() and importlib.util.find_spec("obstore")):
        skip_unless_required("s3", "no S3 server here: pip install -e '.[s3,gateway]'")
    folder.mkdir(exist_ok=True)
    with _state(folder) as state:
        state.update(state or _start(folder))
        state["users"] += 1
        gateway = Gateway(state["ports"])
    try:
        yield gateway
    finally:
        with _state(folder) as state:
            state["users"] -= 1
            if not state["users"]:
                _end(folder, state)
                state.clear()


@contextlib.contextmanager
def _state(folder):
    """What the processes share: a dict in a file, which one at a time may change."""
    with (folder / "state.json").open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        state = json.loads(file.read() or "{}")
        yield state
        file.truncate(0)
        file.write(json.dumps(state))


class Proxy:
    """Passes connections on to the server; while `is_open` is False it takes none.

    `break_after` bytes of what is sent to the server, all connections end.
    """

    def __init__(self, port):
        self._port, self.is_open, self.break_after = port, True, None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self.is_open = False
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # ends the thread that accepts
        self._listener.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if not self.is_open:
                    client.close()
                    continue
                try:
                    server = socket.create_connection(("127.0.0.1", self._port))
                except OSError:
                    client.close()
                    continue
                for pair in ((client, server), (server, client)):
                    threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _pass_on(self, source, target):
        with contextlib.suppress(OSError), source, target:
            while self.is_open and (data := source.recv(1 << 16)):
                target.sendall(data)
                if self.break_after is not None:
                    self.break_after -= len(data)
                    if self.break_after < 0:
                        self.is_open = False
            for one in (source, target):
                one.shutdown(socket.SHUT_RDWR)
