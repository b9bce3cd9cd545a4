"""Bodies of `multipart/form-data` (RFC 7578), whose parts stay where they are.

    body = [preamble CRLF] "--" boundary CRLF part *(CRLF "--" boundary CRLF part)
           CRLF "--" boundary "--" [CRLF epilogue]
    part = *(field-name ":" value CRLF) CRLF content

A boundary counts only as a whole line, which spaces may follow (RFC 2046, section 5.1.1).
"""

import hashlib
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from typing import BinaryIO
from urllib.parse import quote, unquote

from flask import Request
from marshmallow import Schema

from models.core import PayloadTooLarge, ServiceError
from models.storage.payloads import PIECE_BYTES

from .body import ByteRange, find, read_at
from .declarations import declared

FORM_DATA = "multipart/form-data"
MAX_BOUNDARIES = 100  # in a body, also within lines; each costs a search
MAX_HEAD_BYTES = 8 << 10
_LINE_END_BYTES = 64
_WORD = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_QUOTED = r'"(?:[^"\\]|\\["\\]?+)*+"'
# RFC 2046 has at most 70 characters; those of werkzeug's test client have 71 at times.
_BOUNDARY = re.compile(r';[ \t]*boundary=[ \t]*(?:"([ !#-~]{1,100})"|([!#-:<-~]{1,100}))', re.I)
_LINE_END = re.compile(rb"(--)[ \t]*(?:\r\n|\Z)|[ \t]*\r\n")
_FIELD = re.compile(rf"({_WORD}):[ \t]*+((?:[^\x00-\x1f\x7f]|\t)*)")
_PARAMETER = re.compile(rf";[ \t]*({_WORD})[ \t]*=[ \t]*({_WORD}|{_QUOTED})[ \t]*")
_DISPOSITION = re.compile(rf"form-data[ \t]*(?:{_PARAMETER.pattern})*(?:;[ \t]*)?", re.I)
_EXTENDED = re.compile(r"(utf-8|iso-8859-1)'[^']*'(.*)", re.I)  # RFC 5987, section 3.2
_ENCODED_WORDS = re.compile(r"(?:=\?[^?\s]+\?[bq]\?[^?\s]*\?=[ \t]*)+", re.I)
_LANGUAGE = re.compile(r"(?<==\?)([^?*\s]+)\*[^?\s]*")  # of an encoded word: RFC 2231, section 5
_AS_IT_IS = {"binary", "8bit", "7bit"}


class MalformedMultipart(ServiceError):
    code = "malformed_multipart"
    sentence = "The body is not what Content-Type says: the parts of multipart/form-data."
    pointer = "#"


@dataclass(frozen=True)
class Part:
    """A part of a form.

    `filename` is None in a part that is no file; `content_type` is as sent, or None.
    """

    name: str
    filename: str | None
    content_type: str | None
    content: ByteRange

    @property
    def size(self) -> int:
        return self.content.size

    def pieces(self) -> Iterator[bytes]:
        """Return the content in pieces of 192 KiB, the last one shorter."""
        return self.content.blocks(PIECE_BYTES)

    def refuse_if_longer(self, limit_bytes: int) -> None:
        if self.size > limit_bytes:
            raise PayloadTooLarge(limit_bytes)


def upload_form(request: Request) -> Schema | None:
    """Return the schema of the parts if the body is a form that its handler takes; else None."""
    return declared(request).form if request.mimetype == FORM_DATA else None


def read_parts(stream: BinaryIO, content_type: str) -> list[Part]:
    """Return the parts of a body with this header `Content-Type`. Raise `MalformedMultipart`."""
    return [_part(section) for section in _sections(stream, content_type)]


def fingerprint_of_parts(stream: BinaryIO, content_type: str) -> str:
    """Return the SHA-256 in hex of the parts as sent, whatever boundary is between them."""
    digest = hashlib.sha256()
    for section in _sections(stream, content_type):
        digest.update(section.size.to_bytes(8))
        for block in section.blocks():
            digest.update(block)
    return digest.hexdigest()


def _sections(stream: BinaryIO, content_type: str) -> list[ByteRange]:
    """Return the ranges between the boundaries: each part with its head."""
    found: list[ByteRange] = []
    start = -1
    for at, stop, is_last in _boundaries(stream, _boundary(content_type)):
        if start >= 0:
            found.append(ByteRange(stream, start, at))
        if is_last:
            return found
        start = stop
    raise MalformedMultipart(
        "The body has no last boundary: it was cut off, or Content-Type names another boundary."
    )


def _boundary(content_type: str) -> bytes:
    found = _BOUNDARY.findall(content_type)
    if len(found) != 1:
        raise MalformedMultipart("Name one boundary of 1 to 100 characters in Content-Type.")
    quoted, token = found[0]
    return str(quoted or token).encode()


def _boundaries(stream: BinaryIO, boundary: bytes) -> Iterator[tuple[int, int, bool]]:
    """Yield the start and the end of each boundary line, and whether the line is the last one.

    A line starts with the CRLF before it, which belongs to the boundary.
    """
    wanted = b"\r\n--" + boundary
    is_first = read_at(stream, 0, len(wanted) - 2) == wanted[2:]
    at = -2 if is_first else find(stream, wanted, 0)
    for _ in range(MAX_BOUNDARIES):
        if at == -1:
            return
        stop = at + len(wanted)
        if end := _LINE_END.match(read_at(stream, stop, _LINE_END_BYTES)):
            stop += end.end()
            yield at, stop, bool(end[1])
        at = find(stream, wanted, stop)
    raise MalformedMultipart("The boundary is there too often. Choose one that no part contains.")


def _part(section: ByteRange) -> Part:
    head, blank_line, _ = section.head(MAX_HEAD_BYTES).partition(b"\r\n\r\n")
    if not blank_line:
        raise MalformedMultipart(
            f"A part needs a blank line after its header of at most {MAX_HEAD_BYTES:,} bytes."
        )
    fields = _fields(head)
    parameters = _parameters(fields.get("content-disposition", ""))
    if fields.get("content-transfer-encoding", "binary").lower() not in _AS_IT_IS:
        raise MalformedMultipart("Send parts as they are, without Content-Transfer-Encoding.")
    return Part(
        _unquote(parameters["name"]),
        _file_name(parameters),
        fields.get("content-type"),
        ByteRange(section.stream, section.start + len(head + blank_line), section.stop),
    )


def _fields(head: bytes) -> dict[str, str]:
    """Return the header fields of a part. A line may be folded (RFC 5322, section 2.2.3)."""
    try:
        lines = re.sub(r"\r\n[ \t]+", " ", head.decode()).split("\r\n")
    except UnicodeDecodeError:
        raise MalformedMultipart("The header fields of the parts are not UTF-8.") from None
    pairs = [found.groups() for found in map(_FIELD.fullmatch, lines) if found]
    if len(pairs) < len(lines):
        raise MalformedMultipart("A header field of a part is not of the form `name: value`.")
    return _by_name(pairs)


def _parameters(disposition: str) -> dict[str, str]:
    """Return the parameters of a `Content-Disposition`, `name` among them."""
    is_valid = _DISPOSITION.fullmatch(disposition)
    parameters = _by_name(_PARAMETER.findall(disposition) if is_valid else [])
    if "name" not in parameters:
        raise MalformedMultipart('Each part needs `Content-Disposition: form-data; name="…"`.')
    return parameters


def _by_name(pairs: list[tuple[str, ...]]) -> dict[str, str]:
    """Return the values by name in lower case."""
    values = {name.lower(): value.rstrip(" \t") for name, value in pairs}
    if len(values) < len(pairs):
        raise MalformedMultipart("A header field of a part, or a parameter of it, is there twice.")
    return values


def _file_name(parameters: dict[str, str]) -> str | None:
    """Return the file name: the last name of a path (RFC 7578, section 4.2).

    `filename*` (RFC 8187) is not for forms, but .NET sends it beside an unreadable `filename`, and
    libraries of mail send a long name in pieces (RFC 2231, section 3). Where it can't be read, the
    `filename` beside it counts (RFC 6266, section 4.3).
    """
    name = None
    if "filename" in parameters:
        name = _decode_words(_unquote(parameters["filename"]))
    extended = parameters.get("filename*") or _joined(parameters, "filename")
    if extended is not None:
        try:
            name = _decode_extended(extended)
        except MalformedMultipart:
            if name is None:
                raise
    if name is None:
        return None
    return last_name(name)


def last_name(path: str) -> str:
    """Return the last name of a path, of Windows or another system."""
    is_of_windows = re.match(r"[A-Za-z]:\\|\\\\", path)
    return re.split(r"[/\\]" if is_of_windows else "/", path)[-1]


def _joined(parameters: dict[str, str], name: str) -> str | None:
    """Return the value of a parameter in pieces as one of RFC 8187; None if there are no pieces.

    The pieces are `name*0`, `name*1` and so on; those whose name ends with another `*` are
    percent-encoded, and the first of these begins with the charset (RFC 2231, section 4.1).
    """
    pieces: list[str] = []
    while True:
        key = f"{name}*{len(pieces)}"
        if f"{key}*" in parameters:
            pieces.append(parameters[f"{key}*"])
        elif key in parameters:
            pieces.append(quote(_unquote(parameters[key]), safe=""))
        else:
            break
    if not pieces:
        return None
    has_charset = f"{name}*0*" in parameters
    return "".join(pieces) if has_charset else "UTF-8''" + "".join(pieces)


def _decode_words(name: str) -> str:
    """Return a name that was sent as encoded words (RFC 2047), as old clients do.

    A name that does not decode, or is more than such words, is what it is.
    """
    if not _ENCODED_WORDS.fullmatch(name):
        return name
    try:
        return str(make_header(decode_header(_LANGUAGE.sub(r"\1", name))))
    except (HeaderParseError, LookupError, UnicodeError):
        return name


def _decode_extended(value: str) -> str:
    found = _EXTENDED.fullmatch(value)
    with suppress(UnicodeDecodeError):
        if found:
            return unquote(found[2], found[1], errors="strict")
    raise MalformedMultipart("Send filename=\"…\" in UTF-8, or filename*=UTF-8''… (RFC 8187).")


def _unquote(value: str) -> str:
    """Return the text of a token or of a quoted string.

    Browsers write `%22`, `%0D` and `%0A` for characters that would end the string (HTML standard,
    4.10.22.8), others a backslash before quotes and backslashes.
    """
    if not value.startswith('"'):
        return value
    text = re.sub(r'\\(["\\])', r"\1", value[1:-1])
    return text.replace("%22", '"').replace("%0D", "\r").replace("%0A", "\n")
