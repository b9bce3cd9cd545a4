"""Uploads in parts."""

import json

from tests.contract.requests import JSON
from tests.formats import b64


def upload_body(content):
    return json.dumps({"contentType": "text/plain", "payload": b64(content)}).encode()


def begin_upload(person, body):
    """Return a connection on which the service waits for this body: it answered 100 Continue."""
    headers = JSON | {"Content-Length": str(len(body)), "Expect": "100-continue"}
    connection = person.begin("POST", "/v1/documents", headers)
    connection.endheaders()
    assert connection.sock.recv(25) == b"HTTP/1.1 100 Continue\r\n\r\n"
    return connection
