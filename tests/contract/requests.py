"""Requests that several files of tests send."""

import random

from tests.formats import b64

JSON = {"Content-Type": "application/json"}
GOOD = {"payload": b64(b"hello"), "contentType": "text/plain"}  # an upload without fault
BIG = random.Random(2).randbytes(700_001)  # four pieces of 192 KiB


def at(document, more=""):
    """The path of a document, or of something below it."""
    return f"/v1/documents/{document['id']}{more}"


def content(person, document, **headers):
    """The answer to a request of the original; `If_Range` stands for the header `If-Range`."""
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return person.get(at(document, "/content"), headers=headers)


def sent(person, route, data, document, headers=JSON):
    """The answer to `data` at a route such as `PATCH /v1/documents/<document>`."""
    method, path = route.split()
    path = path.replace("<document>", document["id"])
    return person.request(method, path, data=data, headers=headers)
