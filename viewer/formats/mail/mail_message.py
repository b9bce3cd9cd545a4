"""In the child process: the parts of a mail message: headers, readable body, attachments."""

import base64
import email
import email.policy
import html
import re
from collections.abc import Callable, Iterator, Sequence
from email.message import EmailMessage
from itertools import islice
from typing import Any, Final, NamedTuple, TypeVar, cast

from ...content import charset_detection
from ...content.decoding import (
    CHARSETS,
    declared_charset,
    decode,
    decode_declared,
    preload_codecs,
    safe_codec,
)
from ...content.detection import TNEF
from ...content.media_types import UNKNOWN
from ...sandbox import MAX_PICTURES, MAX_TAGS
from ...sandbox.messages import Message, escaped_block
from ..text.text_lines import text_lines
from ..web.foreign_html import sanitize_page
from . import outlook_message, tnef

T = TypeVar("T")
Facts = dict[str, Any]

ENCLOSED: Final = "message/rfc822"
HEADERS: Final = ("From", "To", "Cc", "Date", "Subject")
MAX_HEADER: Final = 2_000
MAX_NAME: Final = 200
MAX_BODY: Final = 4 << 20
MAX_PICTURE: Final = 2 << 20
MAX_ATTACHMENTS: Final = 200
MAX_ATTACHED: Final = 12 << 20  # of attachments in all that are taken out of one message
PICTURES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"})
# How a page names a part: by its Content-ID, or by its Content-Location, as saved pages do (MHTML).
NAMED: Final = re.compile(
    r'cid:([^"\'\s>)]{1,200})|(?<=src=")([^"\s>]{1,2000})(?=")|(?<=src=\')([^\'\s>]{1,2000})(?=\')',
    re.I,
)
BETWEEN: Final = "<div><br></div>"  # pages that stand around a file
TEXTS: Final = ("text/plain", "text/html")
NOT_SEEN: Final = re.compile(r"<(style|title)\b[^>]*>[^<]*|<[^<>]*>", re.I)
BODY_STYLE: Final = "font:16px/1.5 system-ui,sans-serif;margin:24px;overflow-wrap:break-word"


def prepare(_data: bytes, _options: dict[str, Any]) -> None:
    """Import all codecs, and what the email package imports on first use."""
    preload_codecs(*CHARSETS.split())
    email.message_from_bytes(b"Subject: =?utf-8?q?x?=\n\n", policy=email.policy.default).as_bytes()


def parse(data: bytes) -> Iterator[Message]:
    """Yield the facts and the body, a sanitized page or lines; then each attachment's bytes.

    The facts name all attachments with their type and size; those beyond MAX_ATTACHED are empty.
    """
    message = _parsed(data)
    body = _body(message)
    facts = body.facts
    line_end = "\r\n" if b"\r\n" in data else "\n"
    attachments = list(_attachments(message, body, line_end))
    facts["headers"] = [[name, text] for name in HEADERS if (text := header(message, name))]
    facts["attachments"] = [[name, kind, len(content)] for name, kind, content in attachments]
    yield facts, body.html
    left = MAX_ATTACHED
    for _, _, content in attachments:
        fits = len(content) <= left
        left -= len(content) if fits else 0
        yield {"complete": fits}, content if fits else b""


def _parsed(data: bytes) -> EmailMessage:
    if data.startswith(outlook_message.SIGNATURE):
        return outlook_message.read(data)
    if data.startswith(tnef.SIGNATURE):
        packed = EmailMessage(policy=email.policy.default)
        packed.add_attachment(data, "application", "ms-tnef", filename="winmail.dat")
        return packed
    message: Any = email.message_from_bytes(data, policy=email.policy.default)
    if message.get_content_maintype() == "multipart" and not message.is_multipart():
        message.set_type("text/plain")  # nothing says where its parts begin
    return cast(EmailMessage, message)


def header(message: EmailMessage, name: str) -> str:
    """Return a header as text, at most MAX_HEADER long; empty if it is absent or broken.

    In old mails it can be bytes of which nothing tells the encoding: all of them are one guess.
    """
    written = {
        one.lower(): str(text).encode("utf-8", "surrogateescape")
        for one, text in message.raw_items()
    }
    data = written.get(name.lower(), b"")
    if not data.isascii():
        body: Any = _read(lambda: message.get_payload(decode=True), None)
        charset = charset_detection.detect(b"\n".join((*written.values(), body or b"")))
        return " ".join(decode(data, charset)[0].split())[:MAX_HEADER]
    return _read(lambda: str(message.get(name, "")), "")[:MAX_HEADER]


class Body(NamedTuple):
    """The readable part of a message, the parts that it consists of, and the pictures in it."""

    facts: Facts
    html: bytes
    parts: Sequence[Any] = ()
    pictures: frozenset[str] = frozenset()  # by the names that the page gives them


def _body(message: EmailMessage) -> Body:
    """Return the page of a message; its text if there is none, or it is empty or too large."""
    page: Any = message.get_body(preferencelist=("html",))
    plain: Any = message.get_body(preferencelist=("plain",))
    if page is not None:
        parts = _with_following(message, page)
        body = _page_body(message, parts, BETWEEN.join(map(_text, parts)))
        if body:
            return body
    part = page if plain is None else plain
    if part is None:
        return Body({"format": "plain", "cut": False}, b"")
    parts = _with_following(message, part)
    text = "\n".join(_text(one).rstrip() for one in parts)
    if not text.strip():
        return Body({"format": "plain", "cut": False}, b"", parts)
    facts, lines = text_lines(text)
    return Body({"format": "plain", **facts}, lines, parts)


def _with_following(message: EmailMessage, part: Any) -> list[Any]:
    """Return a part of the text with those that go on behind a file, as Apple's mails have them."""
    for container in message.walk():
        parts: list[Any] = list(container.iter_parts()) if _is_mixed(container) else []
        if any(one is part for one in parts):
            kind = part.get_content_type()
            return [one for one in parts if one.get_content_type() == kind and not _is_file(one)]
    return [part]


def _is_mixed(container: Any) -> bool:
    return bool(container.get_content_type() == "multipart/mixed" and container.is_multipart())


def _is_file(part: Any) -> bool:
    return bool(_filename(part)) or _read(part.is_attachment, False)


def _page_body(message: EmailMessage, parts: Sequence[Any], text: str) -> Body | None:
    """Return a page with its pictures; None if nothing is to be seen in it, or it is too large."""
    if len(text) > MAX_BODY or text.count("<") > MAX_TAGS:
        return None
    filled, pictures = _with_pictures(text, dict(_pictures(message)))
    page = sanitize_page(f'<body style="{BODY_STYLE}">{filled}')
    if not (html.unescape(NOT_SEEN.sub("", page)).strip() or "<img" in page):
        return None
    block, cut = escaped_block(page)
    enclosed = {name for one in message.walk() for name in _names(one)}
    others = set(map(_name, NAMED.finditer(text))) - enclosed
    remote = any(name.lower().startswith("http") for name in others)
    return Body({"format": "html", "cut": cut, "remote": remote}, block, parts, pictures)


def _with_pictures(text: str, pictures: dict[str, str]) -> tuple[str, frozenset[str]]:
    """Replace the addresses of pictures by these, and return the names of those that are shown;
    leave out what exceeds MAX_PICTURES.
    """
    left = MAX_PICTURES
    shown = set()

    def source(match: re.Match[str]) -> str:
        nonlocal left
        name = _name(match)
        picture = pictures.get(name, "" if match[1] else match[0])
        if len(picture) > left:
            return ""
        left -= len(picture)
        if name in pictures:
            shown.add(name)
        return picture

    filled = NAMED.sub(source, text)
    return filled, frozenset(shown)


def _name(match: re.Match[str]) -> str:
    return html.unescape(match[1] or match[2] or match[3])


def _text(part: Any) -> str:
    """Return the text; its encoding is guessed if none is declared, or the bytes are not in it."""
    data = part.get_payload(decode=True)
    data = data if isinstance(data, bytes) else b""
    charset = part.get_content_charset() or declared_charset(data)
    codec = safe_codec(charset)
    if not codec or "\ufffd" in data.decode(codec, "replace"):
        charset = charset_detection.detect(data) or charset
    return decode_declared(data, charset)


def _pictures(message: EmailMessage) -> Iterator[tuple[str, str]]:
    for part in message.walk():
        names = _names(part)
        kind = part.get_content_type()
        data = part.get_payload(decode=True) if names and kind in PICTURES else None
        if isinstance(data, bytes) and len(data) <= MAX_PICTURE:
            picture = f"data:{kind};base64,{base64.b64encode(data).decode()}"
            yield from ((name, picture) for name in names)


def _attachments(
    message: EmailMessage, body: Body, line_end: str
) -> Iterator[tuple[str, str, bytes]]:
    """Yield name, type and bytes of each attachment; behind one that Outlook has packed what is in
    it.
    """
    for part in islice(_attached(message, body), MAX_ATTACHMENTS):
        kind = part.get_content_type()
        content = _content(part, line_end)
        yield _filename(part), kind, content
        packed = tnef.files(content) if kind in TNEF else ()
        yield from ((name, UNKNOWN, data) for name, data in islice(packed, MAX_ATTACHMENTS))


def _attached(message: EmailMessage, body: Body) -> Iterator[Any]:
    """Yield the parts that are neither the body, nor another form of it, nor pictures in it."""
    if message.get_content_maintype() != "multipart":
        if message.get_content_maintype() != "text":
            yield message  # it has no text, but consists of one file
        return
    of_body = {id(part) for part in body.parts}
    for part, is_form in _leaves(message):
        is_text = part.get_content_type() in TEXTS and not _is_file(part)
        is_shown = id(part) in of_body or not body.pictures.isdisjoint(_names(part))
        if not is_shown and not (is_form and is_text):
            yield part


def _leaves(message: Any) -> Iterator[tuple[Any, bool]]:
    """Yield the parts of all containers, and whether each is in one of several forms of a text."""
    left = [(message.iter_parts(), message.get_content_subtype() == "alternative")]
    while left:
        parts, is_form = left[-1]
        part: Any = next(parts, None)
        if part is None:
            left.pop()
        elif part.get_content_maintype() == "multipart":
            is_alternative = part.get_content_subtype() == "alternative"
            left.append((part.iter_parts(), is_form or is_alternative))
        else:
            yield part, is_form


def _content(part: Any, line_end: str) -> bytes:
    if part.get_content_type() == ENCLOSED and part.is_multipart():
        policy = email.policy.default.clone(linesep=line_end, refold_source="none")
        whole = _read(lambda: part.get_payload(0).as_bytes(policy=policy), b"")
        is_packed = part.get("Content-Transfer-Encoding", "").lower() == "base64"  # GroupWise
        return _read(lambda: base64.b64decode(whole, validate=False), whole) if is_packed else whole
    if part.is_multipart():  # a report of blocks of headers, or a piece of a message
        blocks: list[bytes] = _read(lambda: [block.as_bytes() for block in part.get_payload()], [])
        return b"".join(blocks)
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _names(part: Any) -> list[str]:
    """Return by what a page names a part."""
    return _headers(part, "Content-ID", "Content-Location")


def _headers(part: Any, *names: str) -> list[str]:
    found: list[Any] = _read(lambda: [part.get(name) for name in names], [])
    return [str(text).strip(" <>") for text in found if text]


def _filename(part: Any) -> str:
    address = "".join(_headers(part, "Content-Location"))
    name = _read(lambda: str(part.get_filename() or ""), "") or address.rpartition("/")[2]
    return name[:MAX_NAME]


def _read(read: Callable[[], T], default: T) -> T:
    """Return what this reads; the parser fails in many ways on broken headers."""
    try:
        return read()
    except Exception:  # noqa: BLE001
        return default
