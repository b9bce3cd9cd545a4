"""Uploads in pieces as a client sends them, one request after the other."""

import base64
import hashlib
from urllib.parse import urlsplit

STREAM = {"Content-Type": "application/offset+octet-stream"}
PIECE = 192 << 10  # bytes of a payload that are sealed as one


def metadata(**values):
    """The header `Upload-Metadata`."""
    pairs = (f"{name} {encoded(value)}".rstrip() for name, value in values.items())
    return {"Upload-Metadata": ",".join(pairs)}


def encoded(value):
    return base64.b64encode(value if isinstance(value, bytes) else value.encode()).decode()


def checksum(data, algorithm="sha256"):
    """The header `Upload-Checksum`."""
    digest = hashlib.new(algorithm, data).digest()
    return {"Upload-Checksum": f"{algorithm} {encoded(digest)}"}


class Upload:
    """An upload that somebody has begun."""

    def __init__(self, person, answer):
        self.person, self.answer = person, answer
        address = urlsplit(answer.headers["Location"])
        self.path = address.path + (f"?{address.query}" if address.query else "")
        self.id = address.path.rpartition("/")[2]

    @classmethod
    def begin(cls, person, size, body=None, at="/v1/uploads", headers=(), **values):
        """Begin an upload of `size` bytes; `values` are those of `Upload-Metadata`."""
        answer = begin(person, size, body, at, headers, **values)
        assert answer.status == 201, answer
        return cls(person, answer)

    def send(self, data, offset, headers=(), by=None, **more):
        """Send bytes that begin at this offset, and return the answer."""
        head = STREAM | {"Upload-Offset": str(offset)} | dict(headers)
        return (by or self.person).patch(self.path, data=data, headers=head, **more)

    def head(self, by=None):
        return (by or self.person).head(self.path)

    def offset(self, by=None):
        """How many bytes have arrived."""
        answer = self.head(by)
        assert answer.status == 200, answer
        return int(answer.headers["Upload-Offset"])

    def get(self, by=None):
        return (by or self.person).get(self.path)

    def end(self, by=None):
        return (by or self.person).delete(self.path)

    def content(self):
        """The bytes of the document that it has become."""
        document_id = self.get().json["documentId"]
        return self.person.get(f"/v1/documents/{document_id}/content").body


def begin(person, size, body=None, at="/v1/uploads", headers=(), errors=(), **values):
    """The answer to the beginning of an upload."""
    head = {"Upload-Length": str(size), **(metadata(**values) if values else {})}
    if body is not None:
        head |= STREAM
    return person.post(at, data=body, headers=head | dict(headers), errors=errors)
