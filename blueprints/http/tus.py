"""The headers of uploads in pieces: tus 1.0.0 (https://tus.io/protocols/resumable-upload).

Of its extensions there are `creation`, `creation-with-upload`, `termination`, `expiration` and
`checksum`. A request without `Tus-Resumable` counts as one of 1.0.0, so that `curl` can send it.
"""

import hashlib
import re
from collections.abc import Iterator

from flask import Response, request
from werkzeug.http import http_date, parse_options_header

from models.core import Invalid, ServiceError, whole_number
from models.documents import UnfinishedUpload
from models.uploads import STEP_BYTES, Checksum

from .base64_payload import decode_canonical
from .caller import current_request
from .problems import UnsupportedMediaType

VERSION = "1.0.0"
EXTENSIONS = "creation,creation-with-upload,termination,expiration,checksum"
CHECKSUMS = ("sha256", "sha1")
OFFSET_STREAM = "application/offset+octet-stream"
MOST_METADATA_BYTES = 8 << 10
_BELOW_UPLOADS = re.compile("/(?:v1|s|app)/uploads(?:/.*)?")
_NO_FOLDER = ("relativePath", "null")  # what Uppy sends of a file that was not chosen by its folder
_KEY = re.compile("[!-+\\--~]{1,255}")  # visible ASCII without the comma


class WrongTusVersion(ServiceError):
    code = "wrong_tus_version"
    sentence = f"This is no version of tus that is taken here. Send Tus-Resumable: {VERSION}."

    def __init__(self) -> None:
        self.headers = {"Tus-Version": VERSION}
        super().__init__()


def is_of_uploads(path: str) -> bool:
    return _BELOW_UPLOADS.fullmatch(path) is not None


def require_version() -> None:
    """Raise `WrongTusVersion` for a request of another version; OPTIONS asks for the version."""
    if request.method != "OPTIONS" and request.headers.get("Tus-Resumable", VERSION) != VERSION:
        raise WrongTusVersion


def version_fields(path: str) -> list[tuple[str, str]]:
    """Return the header field that every answer below the addresses of uploads has."""
    return [("Tus-Resumable", VERSION)] if is_of_uploads(path) else []


def say_version(response: Response) -> Response:
    """Name the version in every answer below the addresses of uploads, a 404 or 405 as well."""
    for name, value in version_fields(current_request().path):
        response.headers[name] = value
    return response


def without_body(status: int, headers: dict[str, str]) -> Response:
    """Return an answer that says all in its headers."""
    response = Response(status=status, headers=headers)
    del response.headers["Content-Type"]
    response.content_length = 0
    return response


def abilities(max_bytes: int) -> Response:
    """Return what the service says it can do."""
    headers = {
        "Tus-Version": VERSION,
        "Tus-Extension": EXTENSIONS,
        "Tus-Max-Size": str(max_bytes),
        "Tus-Checksum-Algorithm": ",".join(CHECKSUMS),
    }
    return without_body(204, headers)


def length_of_upload() -> int:
    """Return `Upload-Length`. Raise `Invalid` without one, or for what is not there in this tus."""
    for name in ("Upload-Defer-Length", "Upload-Concat"):
        if name in request.headers:
            raise Invalid("#", f"{name} is not supported: send Upload-Length, and one file.")
    return _number("Upload-Length")


def offset_of_body() -> int:
    """Return `Upload-Offset`. Raise `Invalid`."""
    return _number("Upload-Offset")


def _number(name: str) -> int:
    number = whole_number(request.headers.get(name, ""))
    if number is None:
        raise Invalid("#", f"{name} takes a number of bytes, of at most 15 digits.")
    return number


def is_stream(content_type: str) -> bool:
    """Return whether a body of this type is bytes of a file at an offset."""
    return parse_options_header(content_type)[0].lower() == OFFSET_STREAM


def require_stream() -> None:
    """Raise `UnsupportedMediaType` unless the body is said to be bytes at an offset."""
    if not is_stream(request.headers.get("Content-Type", "")):
        raise UnsupportedMediaType(f"Send bytes of the file, with Content-Type: {OFFSET_STREAM}.")


def checksum_of_body(body_bytes: int | None) -> Checksum | None:
    """Return what `Upload-Checksum` says; None without one.

    `body_bytes` is the length of the whole body, None if it is not known. Raise `Invalid`.
    """
    text = request.headers.get("Upload-Checksum")
    if text is None:
        return None
    algorithm, _, encoded = text.partition(" ")
    digest = _decoded(encoded)
    if algorithm not in CHECKSUMS:
        raise Invalid("#", f"Upload-Checksum takes {' or '.join(CHECKSUMS)}, and base64 behind it.")
    if digest is None or len(digest) != hashlib.new(algorithm, usedforsecurity=False).digest_size:
        raise Invalid("#", f"Upload-Checksum has no digest of {algorithm} in base64.")
    if body_bytes is None or body_bytes > STEP_BYTES:
        raise Invalid("#", "Upload-Checksum is for a body of at most 8 MiB. Send smaller parts.")
    return Checksum(algorithm, digest)


def metadata_of_upload() -> dict[str, str]:
    """Return the pairs of `Upload-Metadata`. Raise `Invalid`."""
    header = request.headers.get("Upload-Metadata", "")
    if len(header.encode()) > MOST_METADATA_BYTES:
        raise Invalid("#", f"Upload-Metadata has at most {MOST_METADATA_BYTES:,} bytes.")
    pairs = list(_pairs(header))
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Invalid("#", "Upload-Metadata has a name twice.")
    return {name: value for name, value in pairs if (name, value) != _NO_FOLDER}


def has_terms(metadata: str) -> bool:
    """Return whether the header `Upload-Metadata` holds the terms of a link, as a password."""
    return any(pair.strip(" ").partition(" ")[0] == "token" for pair in metadata.split(","))


def _pairs(header: str) -> Iterator[tuple[str, str]]:
    for pair in filter(None, (one.strip(" ") for one in header.split(","))):
        name, _, encoded = pair.partition(" ")
        value = _decoded(encoded)
        if not _KEY.fullmatch(name) or value is None:
            raise Invalid("#", "Upload-Metadata takes a name and base64, with commas between them.")
        try:
            yield name, value.decode()
        except UnicodeDecodeError:
            raise Invalid("#", f"Upload-Metadata: the value of {name} is not UTF-8.") from None


def _decoded(encoded: str) -> bytes | None:
    return decode_canonical(encoded.encode("ascii", "replace"))


def headers_of(upload: UnfinishedUpload) -> dict[str, str]:
    """Return the headers that say how far an upload is, and until when it is kept."""
    return {
        "Upload-Offset": str(upload.received),
        "Upload-Expires": http_date(upload.expires_at / 1000),
    }
