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

from tests.service import free_port
from tests.waiting import until

ACCESS_KEY, SECRET = "AKIATESTSOFTHISSUITE", "a-secret-that-no-log-may-hold"
START_SECONDS = 60
LONGEST_SECONDS = 5400  # it ends by itself if the tests were killed
PORTS = ("master", "volume", "filer", "s3")
OPTIONS = (
    *("-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-master.telemetry=false", "-volume.max=8"),
    *("-master.volumeSizeLimitMB=1024", "-s3", "-s3.autoCreateBucket=false", "-s3.iam=false"),
    *("-s3.port.iceberg=0", "-s3.port.lance=0", "-s3.localSocket="),
)


class Gateway:
    """A running server. Its `bucket` is there; each test uses a prefix of its own in it."""

    bucket = "documents"

    def __init__(self, ports):
        self.ports = ports
        self.url = f"http://127.0.0.1:{ports['s3']}"

    def address(self, prefix=None):
        """A value of the setting PAYLOADS: nobody else has objects there."""
        return f"s3://{self.bucket}/{prefix or uuid.uuid4().hex}"

    def environment(self, url=None, secret=SECRET):
        return {
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": secret,
            "AWS_ENDPOINT_URL": url or self.url,
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
        }

    def unfinished_uploads(self):
        """How many multipart uploads have begun and not ended, in the whole bucket."""
        listed = self._filer("GET", f"/buckets/{self.bucket}/.uploads/?limit=1000")
        return len(json.loads(listed)["Entries"] or ()) if listed else 0

    def create_bucket(self):
        self._filer("POST", f"/buckets/{self.bucket}/")

    def answers(self):
        with contextlib.suppress(OSError, http.client.HTTPException):
            return _exchange(self.ports["s3"], "GET", "/")[0] == 403
        return False

    def _filer(self, method, path):
        status, body = _exchange(self.ports["filer"], method, path)
        assert status in {200, 201, 404}, (status, body)
        return body if status == 200 else b""


def _exchange(port, method, path):
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as server:
        server.request(method, path, headers={"Accept": "application/json"})
        answer = server.getresponse()
        return answer.status, answer.read()


def _program():
    return shutil.which("weed", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")


def _start(folder):
    ports = {f"{name}{kind}": free_port() for name in PORTS for kind in ("", ".grpc")}
    (data := folder / "data").mkdir()
    credentials = [{"accessKey": ACCESS_KEY, "secretKey": SECRET}]
    actions = ["Admin", "Read", "Write", "List", "Tagging"]
    identity = {"name": "tests", "credentials": credentials, "actions": actions}
    (config := folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
    listen = [
        f"-{name}.port{kind}={ports[name + kind]}" for name in PORTS for kind in ("", ".grpc")
    ]
    command = ["timeout", "-s", "KILL", str(LONGEST_SECONDS), _program(), "server", f"-dir={data}"]
    to_log = (os.POSIX_SPAWN_OPEN, 1, str(folder / "log"), os.O_WRONLY | os.O_CREAT, 0o600)
    pid = os.posix_spawnp(  # not Popen: another process may end it
        command[0],
        [*command, f"-s3.config={config}", *OPTIONS, *listen],
        os.environ,
        file_actions=[to_log, (os.POSIX_SPAWN_DUP2, 1, 2)],
        setsid=True,
    )
    gateway = Gateway(ports)
    until(gateway.answers, START_SECONDS)
    gateway.create_bucket()
    return {"ports": ports, "pid": pid, "users": 0}


@contextlib.contextmanager
def shared_gateway(folder):
    """The server of all processes that name the same folder."""
    if not (_program() and importlib.util.find_spec("obstore")):
        end = pytest.fail if "s3" in os.environ.get("TESTS_REQUIRE", "") else pytest.skip
        end("There is no S3 server here: pip install -e '.[s3,gateway]'")
    folder.mkdir(exist_ok=True)
    with _state(folder) as state:
        state.update(state or _start(folder))
        state["users"] += 1
        gateway = Gateway(state["ports"])
    yield gateway
    with _state(folder) as state:
        state["users"] -= 1
        if not state["users"]:
            os.killpg(state["pid"], signal.SIGKILL)
            shutil.rmtree(folder / "data", ignore_errors=True)
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
        self._listener.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if not self.is_open:
                    client.close()
                    continue
                server = socket.create_connection(("127.0.0.1", self._port))
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
