"""Who the contract tests are told with: a live service, the people who call it, what it answers."""

import base64
import contextlib
import http.client
import json as json_format
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 30
PASSWORD = "correct horse battery staple"
ABSENT = object()


def b64(content):
    """Base64 as an upload wants it."""
    return base64.b64encode(content).decode()


def moment(**later):
    """A time in the contract's format, so much later than now."""
    time_then = datetime.now(UTC) + timedelta(**later)
    return time_then.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time_then.microsecond // 1000:03d}Z"


def instant(text):
    """A time of the contract as a datetime; anything else is refused."""
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text), text
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def until(happened, seconds=10):
    """Wait until something is so."""
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def over(call, expires_at):
    """Ask until the answer is no longer 200; it never is after this time."""
    while True:
        asked = instant(moment())
        answer = call()
        if answer.status != 200:
            return answer
        assert asked <= instant(expires_at), answer
        time.sleep(0.01)


DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ALPHABETS = [DIGITS, DIGITS[:10] + DIGITS[36:] + DIGITS[10:36], DIGITS[10:] + DIGITS[:10]]


def checksums(text):
    """The base62 CRC-32 of a text, in each usual order of the digits."""
    for alphabet in ALPHABETS:
        number, digits = zlib.crc32(text.encode()), ""
        for _ in range(6):
            number, digit = divmod(number, 62)
            digits = alphabet[digit] + digits
        yield digits


def unknown(like):
    """A credential of the same form, checksum included, that nobody was given."""
    order = list(checksums(like[:-6])).index(like[-6:])
    text = like[:-38] + "".join(secrets.choice(DIGITS) for _ in range(32))
    return text + list(checksums(text))[order]


class Answer:
    """What came back."""

    def __init__(self, response, body):
        self.status, self.headers, self.body = response.status, response.headers, body

    @property
    def text(self):
        return self.body.decode()

    @property
    def json(self):
        return json_format.loads(self.body)

    @property
    def kind(self):
        """The media type without parameters."""
        return self.headers.get("Content-Type", "").partition(";")[0]

    @property
    def policy(self):
        """The Content-Security-Policy as directive -> sources."""
        directives = [part.split() for part in self.headers["Content-Security-Policy"].split(";")]
        return {words[0]: words[1:] for words in directives if words}

    def __repr__(self):
        return f"<{self.status} {self.kind} {self.body[:300]!r}>"


class DidNotStart(Exception):
    """The service ended before it answered."""

    def __init__(self, code, said):
        super().__init__(said)
        self.code = code


def free_port():
    """One below those that the system gives to clients, so that it is free after a restart too."""
    while True:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", 10_000 + secrets.randbelow(20_000)))
            return probe.getsockname()[1]


class Service:
    """A running service with settings of its own."""

    wrapper = ()  # what starts it, if not the operating system alone
    program = ("app.py",)

    def __init__(self, folder, **settings):
        self.instance, self.temporary = folder / "instance", folder / "tmp"
        self.temporary.mkdir()
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.settings, self.seen = settings, {}
        self._log, self.process = folder / "stderr.log", None
        self.start()

    def environment(self):
        """What a person who runs this service has set."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith("DOCSERVICE_")}
        own = {"INSTANCE_PATH": self.instance, "LISTEN": f"127.0.0.1:{self.port}"} | self.settings
        own = {f"DOCSERVICE_{name}": str(value) for name, value in own.items()}
        return kept | own | {"TMPDIR": str(self.temporary)}

    def start(self):
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [*self.wrapper, sys.executable, *self.program],
                cwd=ROOT,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        until(self._answers, START_SECONDS)

    def _answers(self):
        if self.process.poll() is not None:
            raise DidNotStart(self.process.returncode, self.stderr())
        with contextlib.suppress(OSError, http.client.HTTPException):
            return Person(self).get("/healthz").status == 200
        return False

    def stop(self):
        """Ask it to end; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)

    def kill(self):
        """`kill -9`."""
        self.process.kill()
        self.process.wait(30)

    def restart(self):
        self.stop()
        self.start()

    def close(self):
        if self.process.poll() is None:
            try:
                self.stop()
            finally:
                self.kill()

    def command(self, *words, stdin=subprocess.DEVNULL):
        """`flask --app app …` beside the service: a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "flask", "--app", "app", *map(str, words)],
            cwd=ROOT,
            env=self.environment(),
            text=True,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def run(self, *words):
        """What a command said; it must succeed."""
        running = self.command(*words)
        said, _ = running.communicate(timeout=60)
        assert running.returncode == 0, said
        return said

    def stderr(self):
        return self._log.read_text(errors="replace")

    def files(self):
        """Every file of the instance folder with what is in it."""
        return {path: path.read_bytes() for path in self.instance.rglob("*") if path.is_file()}

    def register(self, email=None, password=PASSWORD, **fields):
        """A new account, logged in."""
        email = email or f"{secrets.token_hex(6)}@example.org"
        body = {"email": email, "password": password, **fields}
        registered = Person(self).post("/v1/auth/register", json=body)
        assert registered.status == 201, registered
        return self.log_in(email, password)

    def log_in(self, email, password=PASSWORD):
        answer = Person(self).post("/v1/auth/login", json={"email": email, "password": password})
        assert answer.status == 200, answer
        someone = Person(self).bearing(answer.json["accessToken"])
        someone.record, someone.password = answer.json["user"], password
        return someone


class Person:
    """Somebody who sends requests with a credential, or with none."""

    def __init__(self, service, credential=None, address=None):
        self.service, self.credential, self.address = service, credential or {}, address
        self.record, self.password = None, None

    def bearing(self, token):
        return Person(self.service, {"Authorization": f"Bearer {token}"})

    def holding(self, key):
        return Person(self.service, {"X-API-Key": key})

    @property
    def secret(self):
        """The credential itself."""
        return next(iter(self.credential.values())).removeprefix("Bearer ")

    def ask(self, method, path, *, json=ABSENT, data=None, headers=(), chunks=None, faults=()):
        """One request on a connection of its own; a fault is no answer, unless it is among these.

        `headers` (a mapping or pairs) are added to the credential's, also if they double it.
        """
        added = list(headers.items() if isinstance(headers, dict) else headers)
        if json is not ABSENT:
            data = json_format.dumps(json).encode()
            if "content-type" not in {name.lower() for name, _ in added}:
                added.append(("Content-Type", "application/json"))
        answer = self._exchange(method, path, [*self.credential.items(), *added], data, chunks)
        assert answer.status < 500 or answer.status in faults, (method, path, answer)
        assert answer.status not in range(300, 304), (method, path, answer)
        self.service.seen.setdefault((method, path.partition("?")[0], answer.status), answer)
        return answer

    def _exchange(self, method, path, headers, data, chunks):
        with contextlib.closing(self.connect()) as connection:
            connection.putrequest(method, path, skip_accept_encoding=True)
            for name, value in headers:
                connection.putheader(name, value)
            if chunks is not None:
                connection.putheader("Transfer-Encoding", "chunked")
                connection.endheaders(chunks, encode_chunked=True)
            else:
                if data is not None or method in {"POST", "PATCH", "PUT"}:
                    connection.putheader("Content-Length", str(len(data or b"")))
                connection.endheaders(data)
            response = connection.getresponse()
            return Answer(response, response.read())

    def begin(self, method, path, headers=()):
        """A connection with a request's head up to here; `endheaders` and a body may follow."""
        connection = self.connect()
        connection.putrequest(method, path)
        for name, value in (self.credential | dict(headers)).items():
            connection.putheader(name, value)
        return connection

    def connect(self):
        source = (self.address, 0) if self.address else None
        return http.client.HTTPConnection(
            "127.0.0.1", self.service.port, timeout=60, source_address=source
        )

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def head(self, path, **more):
        return self.ask("HEAD", path, **more)

    def post(self, path, **more):
        return self.ask("POST", path, **more)

    def put(self, path, **more):
        return self.ask("PUT", path, **more)

    def patch(self, path, **more):
        return self.ask("PATCH", path, **more)

    def delete(self, path, **more):
        return self.ask("DELETE", path, **more)

    def key(self, **fields):
        """A new API key of this person's, as somebody who holds it."""
        record = self._created("/v1/api-keys", fields)
        machine = self.holding(record["key"])
        machine.record = record
        return machine

    def upload(self, content=b"a document", content_type="text/plain", **fields):
        """The record of a new document."""
        fields = {"payload": b64(content), "contentType": content_type, **fields}
        return self._created("/v1/documents", fields)

    def share(self, document, **fields):
        """A new token of a document."""
        return self._created(f"/v1/documents/{document['id']}/tokens", fields)

    def _created(self, path, fields):
        answer = self.post(path, json=fields)
        assert answer.status == 201, answer
        return answer.json

    def open(self, link, **more):
        """Follow a link of the service's, as a browser would."""
        assert link.startswith(self.service.url + "/"), link
        return Person(self.service).get(link.removeprefix(self.service.url), **more)


def refused(answer, status, code):
    """The answer is this refusal, in the shape that all have."""
    assert answer.status == status, answer
    assert answer.kind == "application/problem+json", answer
    problem = answer.json
    assert {"type", "title", "status", "detail", "code", "requestId"} <= problem.keys(), problem
    assert (problem["status"], problem["code"]) == (status, code), answer
    assert problem["requestId"] == answer.headers["X-Request-Id"]
    if status == 401:
        assert answer.headers["WWW-Authenticate"]
    return problem


def pointed(answer, pointer):
    """The answer is a 422 that points at this field of the body."""
    errors = refused(answer, 422, "invalid_request")["errors"]
    assert pointer in [error.get("pointer") for error in errors], answer
    assert all(error["detail"] for error in errors)
    return next(error["detail"] for error in errors if error.get("pointer") == pointer)


def in_query(answer):
    """The answer is a 422 that points at the query."""
    errors = refused(answer, 422, "invalid_request")["errors"]
    assert errors, answer
    assert all(error["in"] == "query" for error in errors), answer
