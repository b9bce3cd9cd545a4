"""In the child process: an item of Outlook (.msg), read as an e-mail.

Source: MS-OXMSG (streams and storages), MS-OXPROPS (numbers of the properties).
"""

import io
from collections.abc import Iterator
from email.contentmanager import raw_data_manager
from email.headerregistry import HeaderRegistry, UniqueUnstructuredHeader
from email.message import EmailMessage
from email.policy import default
from struct import iter_unpack
from typing import Any, Final

from olefile import OleFileIO

from ...content.decoding import declared_charset, decode_declared, safe_codec
from .outlook_items import NAMED, Properties
from .rtf import packed_body

SIGNATURE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
MAX_DEPTH: Final = 4  # of messages in messages
ATTACHMENT: Final = "__attach_version1.0_#"
HEADS: Final = {"": 32, "message": 24, "attachment": 8}  # bytes before the fixed properties
BODY: Final = 0x1000
HTML: Final = 0x1013
RTF: Final = 0x1009
CODE_PAGE: Final = 0x3FDE
MESSAGE_CODE_PAGE: Final = 0x3FFD
LOCALE: Final = 0x3FF1
UTF_8: Final = 65001
# The code pages of languages (MS-LCID); traditional Chinese has one of its own.
CODE_PAGES: Final = {
    0x01: 1256,
    0x02: 1251,
    0x04: 936,
    0x05: 1250,
    0x08: 1253,
    0x0D: 1255,
    0x0E: 1250,
    0x11: 932,
    0x12: 949,
    0x15: 1250,
    0x18: 1250,
    0x19: 1251,
    0x1A: 1250,
    0x1B: 1250,
    0x1E: 874,
    0x1F: 1254,
    0x22: 1251,
    0x23: 1251,
    0x24: 1250,
    0x25: 1257,
    0x26: 1257,
    0x27: 1257,
    0x29: 1256,
    0x2A: 1258,
}
TRADITIONAL: Final = {0x0404: 950, 0x0C04: 950, 0x1404: 950}
DATA: Final = 0x3701
METHOD: Final = 0x3705
EMBEDDED: Final = 5
NAMES: Final = (0x3707, 0x3704, 0x3001)  # of an attachment: long, short, as shown
MEDIA_TYPE: Final = 0x370E
CONTENT_ID: Final = 0x3712
NAMES_OF_PROPERTIES: Final = "__nameid_version1.0/__substg1.0_00030102"


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


class _Properties(Properties):
    """The properties in a storage: of the message, of one in it, or of an attachment."""

    def __init__(self, container: Any, path: str, kind: str) -> None:
        self.container = container
        self.path = path
        entries = self._stream("__properties_version1.0")[HEADS[kind] :]
        whole = iter_unpack("<HHI8s", entries[: len(entries) // 16 * 16])
        self._fixed: dict[int, bytes] = {number: value for _, number, _, value in whole}
        page = self.number(MESSAGE_CODE_PAGE) or self.number(CODE_PAGE)
        self.charset = "utf-8" if page == UTF_8 else safe_codec(f"cp{page}")
        locale = self.number(LOCALE)
        own_page = TRADITIONAL.get(locale) or CODE_PAGES.get(locale & 0x3FF)
        self.charset_of_texts = self.charset or safe_codec(f"cp{own_page}")

    def _stream(self, name: str) -> bytes:
        path = self.path + name
        return self.container.openstream(path).read() if self.container.exists(path) else b""

    def fixed(self, number: int) -> bytes:
        return self._fixed.get(number, b"")

    def binary(self, number: int) -> bytes:
        return self._stream(f"__substg1.0_{number:04X}0102")

    def text(self, number: int) -> str:
        if wide := self._stream(f"__substg1.0_{number:04X}001F"):
            return wide.decode("utf-16-le", "replace").rstrip("\0")
        narrow = self._stream(f"__substg1.0_{number:04X}001E")
        return decode_declared(narrow, self.charset_of_texts).rstrip("\0")

    def numbers_of_names(self) -> dict[int, int]:
        """Return the numbers of properties in this file by their names, where these are numbers."""
        if not self.container.exists(NAMES_OF_PROPERTIES):
            return {}
        entries = self.container.openstream(NAMES_OF_PROPERTIES).read()
        whole = iter_unpack("<IHH", entries[: len(entries) // 8 * 8])
        return {name: NAMED + index for name, kind, index in whole if not kind & 1}

    def attachments(self) -> Iterator["_Properties"]:
        folders = self.container.listdir(streams=False, storages=True)
        for folder in folders:
            path = "/".join(folder) + "/"
            is_here = path.startswith(self.path) and path.count("/") == self.path.count("/") + 1
            if is_here and folder[-1].startswith(ATTACHMENT):
                yield _Properties(self.container, path, "attachment")


def _message(source: _Properties, depth: int) -> EmailMessage:
    message = EmailMessage(policy=POLICY)
    for name, text in source.headers().items():
        message[name] = text
    text = source.text(BODY)
    page = source.binary(HTML)
    html = source.text(HTML) or decode_declared(page, source.charset or declared_charset(page))
    if not html:
        html, text_of_rtf = packed_body(source.binary(RTF))
        text = text or text_of_rtf
    message.set_content(text, content_manager=raw_data_manager)
    if html:
        message.add_alternative(html, subtype="html", content_manager=raw_data_manager)
    for attachment in source.attachments():
        _attach(message, attachment, depth)
    return message


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
