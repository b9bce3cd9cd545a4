"""In the child process: a message of Outlook (.msg), read as an e-mail.

An appointment, a task and a contact have their fields as headers.

Source: MS-OXMSG (streams and storages), MS-OXPROPS (numbers of the properties), MS-OXOCAL,
MS-OXOTASK and MS-OXOCNTC (fields of appointments, tasks and contacts).
"""

import io
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.contentmanager import raw_data_manager
from email.headerregistry import HeaderRegistry, UniqueUnstructuredHeader
from email.message import EmailMessage
from email.policy import default
from email.utils import format_datetime
from struct import error as struct_error
from struct import iter_unpack
from typing import Any, Final, NamedTuple

from olefile import OleFileIO

from ...content.decoding import declared_charset, decode_declared, safe_codec
from .rtf import packed_body
from .time_zones import local_time

SIGNATURE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
DAY: Final = "%a, %d %b %Y"
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
ALL_DAY: Final = 0x8215
ZONES: Final = {0x820D: 0x825E, 0x820E: 0x825F}  # of the start and the end
DATA: Final = 0x3701
METHOD: Final = 0x3705
EMBEDDED: Final = 5
NAMES: Final = (0x3707, 0x3704, 0x3001)  # of an attachment: long, short, as shown
MEDIA_TYPE: Final = 0x370E
CONTENT_ID: Final = 0x3712
CLASS: Final = 0x001A
NAMED: Final = 0x8000  # the first property of which the file tells by which name it is known
NAMES_OF_PROPERTIES: Final = "__nameid_version1.0/__substg1.0_00030102"
STATES: Final = ("not started", "in progress", "complete", "waiting", "deferred")


class Field(NamedTuple):
    """A property of an item that is no mail. From NAMED its number is its name."""

    name: str
    number: int
    kind: str = "text"

    def header(self) -> str:
        """Return the name of the header that has this field in the mail."""
        return "Outlook-" + self.name.replace(" ", "-")


MEETING: Final = (
    Field("Start", 0x820D, "start"),
    Field("End", 0x820E, "end"),
    Field("Location", 0x8208),
    Field("Repeats", 0x8232),
    Field("Attendees", 0x8238),
)
# By the beginning of the class of an item. No name occurs in two sets of names of these items.
FIELDS: Final = {
    "ipm.appointment": MEETING,
    "ipm.schedule.meeting": MEETING,
    "ipm.task": (
        Field("Start", 0x8104, "day"),
        Field("Due", 0x8105, "day"),
        Field("Completed", 0x810F, "day"),
        Field("State", 0x8101, "state"),
        Field("Owner", 0x811F),
    ),
    "ipm.contact": (
        Field("Name", 0x3001),
        Field("Company", 0x3A16),
        Field("Department", 0x3A18),
        Field("Job title", 0x3A17),
        Field("Business phone", 0x3A08),
        Field("Home phone", 0x3A09),
        Field("Mobile phone", 0x3A1C),
        Field("Fax", 0x3A24),
        Field("E-mail", 0x8083),
        Field("Second e-mail", 0x8093),
        Field("Third e-mail", 0x80A3),
        Field("Business address", 0x801B),
        Field("Home address", 0x801A),
        Field("Web page", 0x3A51),
        Field("Birthday", 0x3A42, "day"),
    ),
}
SHOWN_FIELDS: Final = dict.fromkeys(
    (field.header(), field.name) for item in FIELDS.values() for field in item
)


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
        locale = self.number(LOCALE)
        own_page = TRADITIONAL.get(locale) or CODE_PAGES.get(locale & 0x3FF)
        self.charset_of_texts = self.charset or safe_codec(f"cp{own_page}")

    def _stream(self, name: str) -> bytes:
        path = self.path + name
        return self.container.openstream(path).read() if self.container.exists(path) else b""

    def binary(self, number: int) -> bytes:
        return self._stream(f"__substg1.0_{number:04X}0102")

    def text(self, number: int) -> str:
        if wide := self._stream(f"__substg1.0_{number:04X}001F"):
            return wide.decode("utf-16-le", "replace").rstrip("\0")
        narrow = self._stream(f"__substg1.0_{number:04X}001E")
        return decode_declared(narrow, self.charset_of_texts).rstrip("\0")

    def number(self, number: int) -> int:
        return int.from_bytes(self.fixed.get(number, b"")[:4], "little")

    def moment(self, number: int) -> datetime | None:
        """Return a moment; None if there is none."""
        steps = int.from_bytes(self.fixed.get(number, b""), "little")  # of 100 nanoseconds
        try:
            return EPOCH + timedelta(microseconds=steps // 10) if steps else None
        except OverflowError:
            return None

    def date(self, number: int) -> str:
        """Return a moment as mail writes it; empty if there is none."""
        moment = self.moment(number)
        return format_datetime(moment) if moment else ""

    def day(self, number: int) -> str:
        """Return a day, which is its midnight in some time zone; empty if there is none."""
        moment = self.moment(number)
        return f"{moment + timedelta(hours=12):{DAY}}" if moment else ""

    def limit(self, name: int, *, is_end: bool) -> str:
        """Return when an appointment starts or ends, in its time zone; only the day if it takes
        whole ones.
        """
        numbers = self._numbers_of_names()
        moment = self.moment(numbers.get(name, 0))
        if moment is None:
            return ""
        with suppress(struct_error, ValueError, OverflowError):
            moment = local_time(moment, self.binary(numbers.get(ZONES[name], 0)))
        if self.number(numbers.get(ALL_DAY, 0)) & 0xFF:
            return f"{moment - timedelta(seconds=is_end):{DAY}}"  # it ends at the next midnight
        return format_datetime(moment)

    def field(self, field: Field) -> str:
        """Return a field as text; empty if the item has none."""
        number = field.number
        if number >= NAMED:
            number = self._numbers_of_names().get(number, 0)
        match field.kind:
            case "start" | "end":
                return self.limit(field.number, is_end=field.kind == "end")
            case "day":
                return self.day(number)
            case "state":
                state = self.number(number)
                return STATES[state] if number in self.fixed and state < len(STATES) else ""
        return self.text(number)

    def _numbers_of_names(self) -> dict[int, int]:
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
    headers = {
        "From": _sender(source),
        "To": source.text(TO),
        "Cc": source.text(CC),
        "Date": source.date(SENT) or source.date(RECEIVED),
        "Subject": source.text(SUBJECT),
    }
    kind = source.text(CLASS).lower()
    for start, fields in FIELDS.items():
        if kind.startswith(start):
            headers |= {field.header(): source.field(field) for field in fields}
    for name, text in headers.items():
        message[name] = " ".join(text.split())
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
