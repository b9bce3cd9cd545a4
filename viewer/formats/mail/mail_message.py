"""In the child process: the parts of a mail message: headers, readable body, attachments."""

import base64
import codecs
import email
import email.policy
import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from email.errors import InvalidBase64LengthDefect
from email.message import EmailMessage
from email.utils import quote
from functools import lru_cache, partial
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
from . import outlook_items, outlook_message, tnef

T = TypeVar("T")
Facts = dict[str, Any]

ENCLOSED: Final = "message/rfc822"
HEADERS: Final = ("From", "To", "Cc", "Date", "Subject")
FIELD_NAMES: Final = frozenset(name for name, _ in outlook_items.SHOWN_FIELDS)
MAX_HEADER: Final = 16_000  # characters: the addresses of some hundreds of people
MAX_NAME: Final = 200
MAX_BODY: Final = 4 << 20
MAX_PICTURE: Final = 2 << 20
MAX_ATTACHMENTS: Final = 200  # files that are listed, those in a packed one included
MAX_CONTAINERS: Final = 20  # of one message in which missing parts are searched for
KEPT_HEADERS: Final = 2_000
MAX_ATTACHED: Final = 12 << 20  # of attachments in all that are taken out of one message
PICTURES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"})
# A line between parts: the head of the next one follows.
BOUNDARY: Final = re.compile(r"(?:\A|\n)--([\w'()+,./:=?-]{1,70})\r?\n(?=Content-)", re.A | re.I)
# How a page names a part: by its Content-ID, or by its Content-Location, as saved pages do (MHTML).
NAMED: Final = re.compile(
    r'cid:([^"\'\s>)]{1,200})|(?<=src=")([^"\s>]{1,2000})(?=")|(?<=src=\')([^\'\s>]{1,2000})(?=\')',
    re.I,
)
BETWEEN: Final = "<div><br></div>"  # pages that stand around a file
NOT_SEEN: Final = re.compile(r"<(style|title)\b[^>]*>[^<]*|<[^<>]*>", re.I)
# Not among CHARSETS, as it can hide markup: here it is read before markup is escaped or sanitized.
UTF_7: Final = ("utf-7", "unicode-1-1-utf-7")
# An encoded word (RFC 2047), and the bytes that are written as numbers in one.
WORD: Final = r"=\?([\w-]{1,40})\?([QB])\?([^?]{0,1000})\?="
ENCODED_WORD: Final = re.compile(WORD, re.I)
ENCODED_WORDS: Final = re.compile(rf"{WORD}(?: ?{WORD})*+", re.I)
NUMBERS: Final = re.compile(rb"(?:=[0-9A-F]{2})+", re.I)
# A file name: in quotes, or up to the next parameter.
WRITTEN_NAME: Final = re.compile(r"""name\s{0,9}=\s{0,9}(?:"([^"]*)"|([^";\s][^";]*))""", re.I)
NOT_OF_BASE64: Final = re.compile(rb"[^A-Za-z0-9+/]")
LINE_OF_BASE64: Final = re.compile(r"\s*+[A-Za-z0-9+/=]*+\s*?(?:\n|\Z)")
BODY_STYLE: Final = "font:16px/1.5 system-ui,sans-serif;margin:24px;overflow-wrap:break-word"


class _Policy(email.policy.EmailPolicy):
    """The usual policy, which parses a header anew at each look at it, with those parsed kept."""

    def header_fetch_parse(self, name: str, value: str) -> Any:
        return _parsed_header(name, value)


@lru_cache(KEPT_HEADERS)
def _parsed_header(name: str, value: str) -> Any:
    return email.policy.default.header_fetch_parse(name, value)


POLICY: Final = _Policy()


def prepare(_data: bytes, _options: dict[str, Any]) -> None:
    """Import all codecs, and what the email package imports on first use."""
    preload_codecs(*CHARSETS.split())
    codecs.lookup(UTF_7[0])
    email.message_from_bytes(b"Subject: =?utf-8?q?x?=\n\n", policy=email.policy.default).as_bytes()


def parse(data: bytes) -> Iterator[Message]:
    """Yield the facts and the body, a sanitized page or lines; then each attachment's bytes.

    The facts name all attachments with their type and size; those beyond MAX_ATTACHED are empty.
    """
    message = _parsed(data)
    body = _body(message)
    facts = body.facts
    line_end = "\r\n" if b"\r\n" in data else "\n"
    attachments, left_out = _attachments(message, body, line_end)
    names = [*((name, name) for name in HEADERS), *outlook_items.SHOWN_FIELDS]
    facts["headers"] = [[shown, text] for name, shown in names if (text := header(message, name))]
    facts["left_out"] = left_out
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
        packed = EmailMessage(policy=outlook_message.POLICY)
        for name, text in tnef.headers(data).items():
            packed[name] = text
        packed.add_attachment(data, "application", "ms-tnef", filename="winmail.dat")
        return packed
    written = data.removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n")
    message: Any = email.message_from_bytes(written, policy=POLICY)
    _find_parts(message)
    _add_packed_fields(message)
    return cast(EmailMessage, message)


def _add_packed_fields(message: Any) -> None:
    """Add the fields of an appointment or another item that Outlook has packed into a part."""
    packed = next((part for part, _ in _leaves(message) if part.get_content_type() in TNEF), None)
    found = tnef.headers(_decoded(packed)) if packed else {}
    for name, text in found.items():
        if text and name in FIELD_NAMES and name not in message:
            message[name] = text


def _find_parts(message: Any) -> None:
    """Give the containers the parts that the parser has not found: those between another boundary
    than the declared one, and those behind the end, if a container inside has the same boundary.
    """
    left = [message]
    searched = 0
    while left:
        container = left.pop()
        if container.get_content_maintype() != "multipart":
            continue
        if not container.is_multipart() and searched < MAX_CONTAINERS:
            searched += 1
            text = str(container.get_payload())
            used = BOUNDARY.search(text)
            container.set_payload(_parts_between(used[1], text, container) if used else text)
        boundary = container.get_boundary()
        rest = container.epilogue
        if boundary and rest and f"--{boundary}" in rest and searched < MAX_CONTAINERS:
            searched += 1
            container.epilogue = None
            container.set_payload(
                [*container.iter_parts(), *_parts_between(boundary, rest, container)]
            )
        if container.is_multipart():
            left.extend(container.iter_parts())
        else:
            container.set_type("text/plain")  # nothing says where its parts begin


def _parts_between(boundary: str, text: str, container: Any) -> list[Any]:
    head = f'Content-Type: {container.get_content_type()}; boundary="{quote(boundary)}"\n\n'
    again: Any = email.message_from_string(head + text, policy=POLICY)
    return list(again.iter_parts())


def header(message: EmailMessage, name: str) -> str:
    """Return a header as text, cut behind MAX_HEADER; empty if it is absent or broken.

    In old mails it can be bytes of which nothing tells the encoding: all of them are one guess.
    """
    written = _written_headers(message)
    data = written.get(name.lower(), b"")
    text = _read(lambda: str(message.get(name, "")), "")
    if not data.isascii() or "\ufffd" in text:
        body: Any = _read(lambda: message.get_payload(decode=True), None)
        charset = charset_detection.detect(b"\n".join((*written.values(), body or b"")))
        text = _with_words_read(decode(data[: 4 * MAX_HEADER], charset)[0])
    return text if len(text) <= MAX_HEADER else f"{text[:MAX_HEADER]} …"


def _written_headers(part: Any) -> dict[str, bytes]:
    """Return the headers of a message or a part, as they are written, by their names."""
    return {
        name.lower(): str(text).encode("utf-8", "surrogateescape")
        for name, text in part.raw_items()
    }


def _with_words_read(text: str) -> str:
    """Return a header with its encoded words read, in which characters may be written as they are,
    and a character may be spread over two words of the same encoding.
    """
    return ENCODED_WORDS.sub(_words, " ".join(text.split()))


def _words(match: re.Match[str]) -> str:
    """Return what adjacent encoded words say; one that is damaged is kept as it is."""
    read: list[tuple[str, bytes]] = []
    for word in ENCODED_WORD.finditer(match[0]):
        charset = word[1]
        data = _read(partial(_bytes_of_word, *word.groups()), word[0].encode())
        before = read.pop()[1] if read and read[-1][0] == charset else b""
        read.append((charset, before + data))
    return "".join(decode(data, charset)[0] for charset, data in read)


def _bytes_of_word(charset: str, encoding: str, written: str) -> bytes:
    if encoding in "Bb":
        return base64.b64decode(written)
    data = written.replace("_", " ").encode(safe_codec(charset) or "utf-8", "replace")
    return NUMBERS.sub(lambda numbers: bytes.fromhex(numbers[0].decode().replace("=", "")), data)


class Body(NamedTuple):
    """The readable part of a message, and the parts that it consists of: texts and pictures."""

    facts: Facts
    html: bytes
    texts: Sequence[Any] = ()
    pictures: Sequence[Any] = ()


def _body(message: EmailMessage) -> Body:
    """Return the page of a message; its text if there is none, or it is empty or too large."""
    page: Any = message.get_body(preferencelist=("html",))
    plain: Any = message.get_body(preferencelist=("plain",))
    if page is None and plain is None:
        page = _root_of_related(message)
    empty_pages: list[Any] = []
    if page is not None:
        pages = _with_following(message, page)
        text = BETWEEN.join(map(_text, pages))
        is_small = len(text) <= MAX_BODY and text.count("<") <= MAX_TAGS
        body = _page_body(message, pages, text) if is_small else None
        if body:
            return body
        if is_small:
            empty_pages = pages
    part = page if plain is None else plain
    if part is None:
        return Body({"format": "plain", "cut": False}, b"")
    parts = _with_following(message, part)
    text = "\n".join(_text(one).rstrip() for one in parts)
    texts = [*parts, *empty_pages]
    if not text.strip():
        return Body({"format": "plain", "cut": False}, b"", texts)
    facts, lines = text_lines(text)
    return Body({"format": "plain", **facts}, lines, texts)


def _root_of_related(message: EmailMessage) -> Any:
    """Return the page that related parts belong to, if it is not the first of them; None without
    one. Its container says its type (RFC 2387, 3.1).
    """
    for container in message.walk():
        if container.get_content_type() == "multipart/related" and container.is_multipart():
            parts: list[Any] = list(container.iter_parts())
            if container.get_param("type", "") == "text/html":
                return next((one for one in parts if one.get_content_type() == "text/html"), None)
    return None


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
    """Return a page with its pictures; None if nothing is to be seen in it."""
    pictures = _pictures(message)
    page = sanitize_page(f'<body style="{BODY_STYLE}">{_with_pictures(text, pictures)}')
    if not (html.unescape(NOT_SEEN.sub("", page)).strip() or "<img" in page):
        return None
    block, cut = escaped_block(page)
    enclosed = {name for one in message.walk() for name in _names(one)}
    others = set(map(_name, NAMED.finditer(text))) - enclosed
    remote = any(name.lower().startswith("http") for name in others)
    shown = [picture.part for picture in pictures.values() if picture.address in page]
    return Body({"format": "html", "cut": cut, "remote": remote}, block, parts, shown)


class Picture(NamedTuple):
    """A part that a page can show, and the address that holds its bytes."""

    part: Any
    address: str


def _with_pictures(text: str, pictures: Mapping[str, Picture]) -> str:
    """Replace the addresses of pictures by their bytes; leave out what exceeds MAX_PICTURES."""
    left = MAX_PICTURES

    def source(match: re.Match[str]) -> str:
        nonlocal left
        picture = pictures.get(_name(match))
        if picture is None:
            return "" if match[1] else match[0]
        if len(picture.address) > left:
            return ""
        left -= len(picture.address)
        return picture.address

    return NAMED.sub(source, text)


def _name(match: re.Match[str]) -> str:
    return html.unescape(match[1] or match[2] or match[3])


def _text(part: Any) -> str:
    """Return the text; its encoding is guessed if none is declared, or the bytes are not in it.

    A text that is declared as base64, but is written plainly, is read as it is.
    """
    if _is_base64(part):
        written = str(part.get_payload())
        if not LINE_OF_BASE64.match(written):
            return written
    data = _decoded(part)
    charset = part.get_content_charset() or declared_charset(data)
    if charset in UTF_7:
        data = data.decode("utf-7", "replace").encode()
        charset = "utf-8"
    codec = safe_codec(charset)
    if not codec or "\ufffd" in data.decode(codec, "replace"):
        charset = charset_detection.detect(data) or charset
    return decode_declared(data, charset)


def _is_base64(part: Any) -> bool:
    return _read(lambda: str(part.get("Content-Transfer-Encoding", "")).lower() == "base64", False)


def _decoded(part: Any) -> bytes:
    """Return the bytes of a part that has no parts, as far as they are whole; else none."""
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return b""
    if any(isinstance(defect, InvalidBase64LengthDefect) for defect in part.defects):
        letters = NOT_OF_BASE64.sub(b"", data)  # the parser has given up, for one letter too many
        return base64.b64decode(letters[: len(letters) // 4 * 4])
    return data


def _pictures(message: EmailMessage) -> dict[str, Picture]:
    """Return the pictures by the names that a page gives them, the first of each name."""
    pictures: dict[str, Picture] = {}
    for part, _ in _leaves(message):
        names = _names(part)
        kind = part.get_content_type()
        data = _decoded(part) if names and kind in PICTURES else b""
        if data and len(data) <= MAX_PICTURE:
            address = f"data:{kind};base64,{base64.b64encode(data).decode()}"
            for name in names:
                pictures.setdefault(name, Picture(part, address))
    return pictures


Attachment = tuple[str, str, bytes]  # name, type and bytes


def _attachments(message: EmailMessage, body: Body, line_end: str) -> tuple[list[Attachment], int]:
    """Return the first attachments, each that Outlook has packed with what is in it behind it; and
    how many are left out.
    """
    listed: list[Attachment] = []
    left_out = 0
    for part in _attached(message, body):
        if len(listed) >= MAX_ATTACHMENTS:
            left_out += 1
            continue
        kind = part.get_content_type()
        content = _content(part, line_end)
        packed = tnef.files(content) if kind in TNEF else ()
        files = [
            (_filename(part), kind, content),
            *((name, UNKNOWN, data) for name, data in packed),
        ]
        listed += files
    left_out += max(0, len(listed) - MAX_ATTACHMENTS)
    return listed[:MAX_ATTACHMENTS], left_out


def _attached(message: EmailMessage, body: Body) -> Iterator[Any]:
    """Yield the parts that are neither the body, nor its form in plain text, nor pictures in it,
    nor empty.
    """
    leaves = list(_leaves(message))
    texts = {id(part) for part in body.texts}
    shown = texts | {id(part) for part in body.pictures}
    forms_of_body = next((forms for part, forms in leaves if id(part) in texts), {})
    is_page = body.facts["format"] == "html"
    for part, forms in leaves:
        is_text = part.get_content_type() == "text/plain" and not _is_file(part)
        is_form = is_page and is_text and _is_other_form(forms, forms_of_body)
        is_empty = is_text and not _text(part).strip()
        if not (id(part) in shown or is_form or is_empty):
            yield part


Forms = Mapping[int, int]


def _is_other_form(one: Forms, other: Forms) -> bool:
    """Whether two parts stand in different branches of one container of forms of a text."""
    return any(other.get(container, branch) != branch for container, branch in one.items())


def _leaves(message: Any) -> Iterator[tuple[Any, Forms]]:
    """Yield each part that is no container, and its branch of each container of forms around it."""
    left: list[tuple[Any, Forms]] = [(message, {})]
    while left:
        part, forms = left.pop()
        if part.get_content_maintype() != "multipart":
            yield part, forms
            continue
        has_forms = part.get_content_subtype() == "alternative"
        parts = list(part.iter_parts())
        for branch in reversed(range(len(parts))):
            left.append((parts[branch], {**forms, id(part): branch} if has_forms else forms))


def _content(part: Any, line_end: str) -> bytes:
    if part.get_content_type() == ENCLOSED and part.is_multipart():
        policy = email.policy.default.clone(linesep=line_end, refold_source="none")
        whole = _read(lambda: part.get_payload(0).as_bytes(policy=policy), b"")
        if _is_base64(part):  # GroupWise
            return _read(lambda: base64.b64decode(whole, validate=False), whole)
        return whole
    if part.is_multipart():  # a report of blocks of headers, or a piece of a message
        blocks: list[bytes] = _read(lambda: [block.as_bytes() for block in part.get_payload()], [])
        return b"".join(blocks)
    return _decoded(part)


def _names(part: Any) -> list[str]:
    """Return by what a page names a part."""
    return _headers(part, "Content-ID", "Content-Location")


def _headers(part: Any, *names: str) -> list[str]:
    found: list[Any] = _read(lambda: [part.get(name) for name in names], [])
    return [str(text).strip(" <>") for text in found if text]


def _filename(part: Any) -> str:
    address = "".join(_headers(part, "Content-Location"))
    name = _irregular_name(part) or _read(lambda: str(part.get_filename() or ""), "")
    return (name or address.rpartition("/")[2])[:MAX_NAME]


def _irregular_name(part: Any) -> str:
    """Return a file name with bytes other than ASCII, or with spaces or encoded words and without
    quotes; empty if there is no such name. The parser replaces the bytes, and drops what follows.
    """
    headers = _written_headers(part)
    for header_name in ("content-disposition", "content-type"):
        data = headers.get(header_name, b"")
        charset = None if data.isascii() else charset_detection.detect(data)
        text = " ".join(decode(data, charset)[0].split())
        found = WRITTEN_NAME.search(text)
        if found:
            name = (found[1] or found[2] or "").strip()
            is_open = not found[1] and (" " in name or "=?" in name)
            return _with_words_read(name) if is_open or not name.isascii() else ""
        if "name*" in text.lower():
            return ""
    return ""


def _read(read: Callable[[], T], default: T) -> T:
    """Return what this reads; the parser fails in many ways on broken headers."""
    try:
        return read()
    except Exception:  # noqa: BLE001
        return default
