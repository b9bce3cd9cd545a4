"""Requests that several files of tests send."""

import json
import random

from tests.formats import b64
from tests.people import at

JSON = {"Content-Type": "application/json"}
GOOD = {"payload": b64(b"hello"), "contentType": "text/plain"}  # an upload without fault
AS_JSON, AS_PAGE = {"Accept": "application/json"}, {"Accept": "text/html,*/*;q=0.8"}
BIG = random.Random(2).randbytes(700_001)  # four pieces of 192 KiB
LONG = b64(random.Random(1).randbytes(600_000))  # many pieces; no padding
RECORD = {"id", "name", "contentType", "size", "sha256", "createdAt", "expiresAt", "metadata"}
DAMAGE = "UPDATE piece SET number = number + 100 WHERE document_id = :id"


def content(person, document, **headers):
    """The answer to a request of the original; `If_Range` stands for the header `If-Range`."""
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return person.get(at(document, "/content"), headers=headers)


def sent(person, route, data, document, headers=JSON):
    """The answer to `data` at a route such as `PATCH /v1/documents/<document>`."""
    method, path = route.split()
    path = path.replace("<document>", document["id"])
    return person.request(method, path, data=data, headers=headers)


def upload_body(content):
    return json.dumps({"contentType": "text/plain", "payload": b64(content)}).encode()


def begin_upload(person, body):
    """Return a connection on which the service waits for this body: it answered 100 Continue."""
    headers = JSON | {"Content-Length": str(len(body)), "Expect": "100-continue"}
    connection = person.begin("POST", "/v1/documents", headers)
    connection.endheaders()
    assert connection.sock.recv(25) == b"HTTP/1.1 100 Continue\r\n\r\n"
    return connection


def alter(service, table, column, where, by, **values):
    """Replace a stored value by what the function `by` makes of it, as a fault of a disk would."""
    ((stored,),) = service.sql(f"SELECT {column} FROM {table} WHERE {where}", **values)
    change = f"UPDATE {table} SET {column} = :altered WHERE {where}"
    assert service.sql(change, altered=by(stored), **values) == 1


def flipped(stored):
    """With one bit changed."""
    return stored[:40] + bytes([stored[40] ^ 1]) + stored[41:]
