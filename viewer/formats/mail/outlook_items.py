"""The properties of an item of Outlook, and the headers of a mail that they make.

An appointment, a task, a contact and a report on a mail have their fields as headers.

Source: MS-OXPROPS (numbers of the properties), MS-OXOCAL, MS-OXOTASK, MS-OXOCNTC and MS-OXOMSG
(fields of appointments, tasks, contacts and reports), MS-OXTNEF 2.1.3.2 (older names of classes).
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from struct import error as struct_error
from typing import Final, NamedTuple

from .time_zones import local_time

DAY: Final = "%a, %d %b %Y"
EPOCH: Final = datetime(1601, 1, 1, tzinfo=UTC)
SUBJECT: Final = 0x0037
SENDER: Final = 0x0C1A
SENT: Final = 0x0039
RECEIVED: Final = 0x0E06
TO: Final = 0x0E04
CC: Final = 0x0E03
SMTP_SENDER: Final = 0x5D01
SENDER_ADDRESS: Final = 0x0C1F
CLASS: Final = 0x001A
ALL_DAY: Final = 0x8215
ZONES: Final = {0x820D: 0x825E, 0x820E: 0x825F}  # of the start and the end
NAMED: Final = 0x8000  # the first property of which the file tells by which name it is known
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
REPORT: Final = (
    Field("Report on", 0x0049),
    Field("Sent to", 0x0074),
    Field("Sent", 0x004E, "moment"),
    Field("Delivered", 0x0055, "moment"),
    Field("Read", 0x002A, "moment"),
    Field("Reported", 0x0032, "moment"),
)
# By the beginning of the class of an item. No name occurs in two sets of names of these items.
FIELDS: Final = {
    "ipm.appointment": MEETING,
    "ipm.schedule.meeting": MEETING,
    "ipm.microsoft schedule.": MEETING,
    "report.": REPORT,
    "ipm.microsoft mail.read receipt": REPORT,
    "ipm.microsoft mail.non-delivery": REPORT,
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


class Properties(ABC):
    """The properties of an item."""

    @abstractmethod
    def fixed(self, number: int) -> bytes:
        """Return a value that has 4 or 8 bytes; nothing if there is none."""

    @abstractmethod
    def binary(self, number: int) -> bytes:
        """Return a value of any length; nothing if there is none."""

    @abstractmethod
    def text(self, number: int) -> str:
        """Return a text; empty if there is none."""

    @abstractmethod
    def numbers_of_names(self) -> Mapping[int, int]:
        """Return the numbers of properties by their names, where these are numbers."""

    def number(self, number: int) -> int:
        return int.from_bytes(self.fixed(number)[:4], "little")

    def moment(self, number: int) -> datetime | None:
        """Return a moment; None if there is none."""
        steps = int.from_bytes(self.fixed(number), "little")  # of 100 nanoseconds
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
        numbers = self.numbers_of_names()
        moment = self.moment(numbers.get(name, 0))
        if moment is None:
            return ""
        with suppress(struct_error, ValueError, OverflowError):
            moment = local_time(moment, self.binary(numbers.get(ZONES[name], 0)))
        if self.number(numbers.get(ALL_DAY, 0)) & 0xFF:
            noon = moment + timedelta(hours=-12 if is_end else 12)  # of a day between midnights
            return f"{noon:{DAY}}"
        return format_datetime(moment)

    def field(self, field: Field) -> str:
        """Return a field as text; empty if the item has none."""
        number = field.number
        if number >= NAMED:
            number = self.numbers_of_names().get(number, 0)
        match field.kind:
            case "start" | "end":
                return self.limit(field.number, is_end=field.kind == "end")
            case "day":
                return self.day(number)
            case "moment":
                return self.date(number)
            case "state":
                state = self.number(number)
                return STATES[state] if self.fixed(number) and state < len(STATES) else ""
        return self.text(number)

    def headers(self) -> dict[str, str]:
        """Return the headers of the item as a mail, and its fields, each on one line."""
        headers = {
            "From": self._sender(),
            "To": self.text(TO),
            "Cc": self.text(CC),
            "Date": self.date(SENT) or self.date(RECEIVED),
            "Subject": self.text(SUBJECT),
        }
        kind = self.text(CLASS).lower()
        for start, fields in FIELDS.items():
            if kind.startswith(start):
                headers |= {field.header(): self.field(field) for field in fields}
        return {name: " ".join(text.split()) for name, text in headers.items()}

    def _sender(self) -> str:
        name = self.text(SENDER)
        address = self.text(SMTP_SENDER) or self.text(SENDER_ADDRESS)
        is_beside = name and "@" in address and address != name
        return f"{name} <{address}>" if is_beside else name or address
