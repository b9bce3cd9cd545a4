"""In the child process: a message of Outlook (.msg), read as an e-mail.

Source: MS-OXMSG (streams and storages), MS-OXPROPS (numbers of the properties).
"""

import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.contentmanager import raw_data_manager
from email.headerregistry import HeaderRegistry, UniqueUnstructuredHeader
from email.message import EmailMessage
from email.policy import default
from email.utils import format_datetime
from itertools import count
from struct import iter_unpack
from typing import Any, Final

from olefile import OleFileIO

from ...content.decoding import declared_charset, decode_declared, safe_codec

SIGNATURE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
EPOCH: Final = datetime(1601, 1, 1, tzinfo=UTC)
MAX_DEPTH: Final = 4  # of messages in messages
ATTACHMENT: Final = "__attach_version1.0_#"
HEADS: Final = {"": 32, "message": 24, "attachment": 8}  # bytes before the fixed properties
SUBJECT: Final = 0x0037
SENDER: Final = 0x0C1A
SENT: Final = 0x0039
RECEIVED: Final = 0x0E06
TO: Final = 0x0E04
CC: Final = 0x0E03
SMTP_SENDER: Final = 0x5D01
SENDER_ADDRESS: Final = 0x0C1F
BODY: Final = 0x1000
HTML: Final = 0x1013
CODE_PAGE: Final = 0x3FDE
MESSAGE_CODE_PAGE: Final = 0x3FFD
UTF_8: Final = 65001
DATA: Final = 0x3701
METHOD: Final = 0x3705
EMBEDDED: Final = 5
NAMES: Final = (0x3707, 0x3704, 0x3001)  # of an attachment: long, short, as shown
MEDIA_TYPE: Final = 0x370E
CONTENT_ID: Final = 0x3712


def _policy() -> Any:
    """Return a policy that keeps the names of people as they are, with `;` between them."""
    registry: Any = HeaderRegistry()
    for name in ("from", "to", "cc"):
        registry.map_to_type(name, UniqueUnstructuredHeader)
    return default.clone(header_factory=registry)


def read(data: bytes) -> EmailMessage:
    """Return the message; raise OSError, and nearly anything else for a damaged one."""
    container = OleFileIO(io.BytesIO(data))
    return _message(_Properties(container, "", ""), 0)


class _Properties:
    """The properties in a storage: of the message, of one in it, or of an attachment."""

    def __init__(self, container: Any, path: str, kind: str) -> None:
        self.container = container
        self.path = path
        entries = self._stream("__properties_version1.0")[HEADS[kind] :]
        whole = iter_unpack("<HHI8s", entries[: len(entries) // 16 * 16])
        self.fixed = {number: value for _, number, _, value in whole}
        page = self.number(MESSAGE_CODE_PAGE) or self.number(CODE_PAGE)
        self.charset = "utf-8" if page == UTF_8 else safe_codec(f"cp{page}")

    def _stream(self, name: str) -> bytes:
        path = self.path + name
        return self.container.openstream(path).read() if self.container.exists(path) else b""

    def binary(self, number: int) -> bytes:
        return self._stream(f"__substg1.0_{number:04X}0102")

    def text(self, number: int) -> str:
        if wide := self._stream(f"__substg1.0_{number:04X}001F"):
            return wide.decode("utf-16-le", "replace").rstrip("\0")
        narrow = self._stream(f"__substg1.0_{number:04X}001E")
        return decode_declared(narrow, self.charset).rstrip("\0")

    def number(self, number: int) -> int:
        return int.from_bytes(self.fixed.get(number, b"")[:4], "little")

    def moment(self, number: int) -> str:
        """Return a moment as mail writes it; empty if there is none."""
        steps = int.from_bytes(self.fixed.get(number, b""), "little")  # of 100 nanoseconds
        try:
            return format_datetime(EPOCH + timedelta(microseconds=steps // 10)) if steps else ""
        except OverflowError:
            return ""

    def attachments(self) -> Iterator["_Properties"]:
        for number in count():
            path = f"{self.path}{ATTACHMENT}{number:08X}/"
            found = _Properties(self.container, path, "attachment")
            if not found.fixed:
                return
            yield found


def _message(source: _Properties, depth: int) -> EmailMessage:
    message = EmailMessage(policy=POLICY)
    headers = {
        "From": _sender(source),
        "To": source.text(TO),
        "Cc": source.text(CC),
        "Date": source.moment(SENT) or source.moment(RECEIVED),
        "Subject": source.text(SUBJECT),
    }
    for name, text in headers.items():
        message[name] = " ".join(text.split())
    message.set_content(source.text(BODY), content_manager=raw_data_manager)
    page = source.binary(HTML)
    if html := source.text(HTML) or decode_declared(page, source.charset or declared_charset(page)):
        message.add_alternative(html, subtype="html", content_manager=raw_data_manager)
    for attachment in source.attachments():
        _attach(message, attachment, depth)
    return message


def _sender(source: _Properties) -> str:
    name = source.text(SENDER)
    address = source.text(SMTP_SENDER) or source.text(SENDER_ADDRESS)
    return f"{name} <{address}>" if "@" in address and address != name else name or address


def _attach(message: EmailMessage, source: _Properties, depth: int) -> None:
    name = next(filter(None, map(source.text, NAMES)), "")
    options: dict[str, Any] = {"filename": name, "content_manager": raw_data_manager}
    if source.number(METHOD) == EMBEDDED and depth < MAX_DEPTH:
        path = f"{source.path}__substg1.0_{DATA:04X}000D/"
        inner = _message(_Properties(source.container, path, "message"), depth + 1)
        message.add_attachment(inner, **(options | {"filename": f"{name}.eml"}))
        return
    main, _, sub = source.text(MEDIA_TYPE).partition("/")
    kind = (main, sub) if main.isalpha() and main not in {"multipart", "message"} else UNKNOWN
    if content_id := source.text(CONTENT_ID):
        options["cid"] = f"<{content_id}>"
    message.add_attachment(source.binary(DATA), *kind, **options)


POLICY: Final = _policy()
UNKNOWN: Final = ("application", "octet-stream")
