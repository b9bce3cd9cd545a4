"""Forms: typed values, errors at their fields, and answers that a reload repeats."""

import json
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import wraps
from hashlib import sha256
from itertools import groupby
from typing import Any

import flask_smorest
from flask import Response, request
from marshmallow import ValidationError
from werkzeug.datastructures import MultiDict

from models import StoredResponse
from models.core import ServiceError, now, rfc3339
from models.documents import Period

from ..http import g
from ..http.idempotency import execute_once
from ..http.multipart import FORM_DATA
from ..http.problems import STATUS, messages_by_pointer

TOMORROW = "tomorrow"  # in the browser's zone, of which the form holds the offset
MOST_MONTHS = 120  # of a choice
SECOND_CLICK_SECONDS = 10  # the time that a second click waits for the first one's answer
_FIELDS = {  # fields by the code of an error that names no field
    "email_taken": ("email",),
    "wrong_credentials": ("currentPassword", "password"),
}
_AGAIN = "Type the password again: it was not kept."
_SIZE = re.compile(r"(?P<amount>\d{1,15}(\.\d{1,6})?)\s*(?P<unit>bytes?|[kmgt]b)?", re.I | re.A)
_UNITS = {"BYTE": 1, "BYTES": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_LEAST_BYTES = 10**6  # of a size without a unit: a smaller number is in GB
_NO_SIZE = "Write a size of at most 1 TB, as in 5 GB."
MOST_ROOM_BYTES = 10**12  # of a collection, for what strangers send


@dataclass(frozen=True)
class Form:
    """A form by the path that it is sent to. Errors without a field are under the name ''."""

    action: str
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return self.action.rpartition("/")[2]

    def value(self, name: str) -> str:
        return next(iter(self.values.get(name, ())), "")

    def has(self, name: str, value: str) -> bool:
        return value in self.values.get(name, ())


def form(action: str, **initial: Any) -> Form:
    """Return the form for a template: as sent if it was refused now, else with these values."""
    posted: Form | None = g.get("posted")
    if posted and posted.action == action:
        return posted
    values = {
        name: [str(one) for one in value] if isinstance(value, list | tuple) else [str(value)]
        for name, value in initial.items()
        if value is not None
    }
    return Form(action, values)


def form_key() -> str:
    return secrets.token_urlsafe(12)


def show_again(view: Callable[..., Response], page: Callable[..., Response] | None) -> Any:
    """Wrap a view so that `page` shows a refused form as it was sent, with errors."""

    @wraps(view)
    def checked(**path: str) -> Any:
        try:
            return view(**path)
        except ValidationError as error:
            if page and accepts_html():
                return _refused(page, path, 422, _by_field(error.messages_dict))
            flask_smorest.abort(422, messages={"json": error.messages_dict})
        except ServiceError as error:
            status = STATUS[error.code]
            if page is None or status in {400, 404, 500, 503} or not accepts_html():
                raise
            return _refused(page, path, status, {_field_of(error): error.sentence})

    return checked


def once(execute: Callable[[], Any], key: str = "", content: str = "") -> Any:
    """Return the result of `execute` as JSON; a form sent again gets the same result.

    The form holds a random key. The result is kept sealed for 24 hours. A form that was changed
    meanwhile is another form, also with the same key. Give both `key` and `content` for the form of
    an upload. Raise `IdempotencyInProgress` if the first call still runs, or `TooManyRequests`.
    """
    if not (key or request.form.get("key")):
        return execute()
    content = content or json.dumps(list(request.form.items(multi=True)))
    user = g.caller.owner_id
    digest = sha256(content.encode()).hexdigest()
    id = StoredResponse.id_of("form", user, request.path, key, digest)
    return execute_once(id, "", execute, SECOND_CLICK_SECONDS)


def accepts_html() -> bool:
    """Return whether a page answers the request; the console's script asks for JSON."""
    wanted = request.accept_mimetypes
    return wanted["text/html"] >= wanted["application/json"]


def typed() -> MultiDict[str, str]:
    """Return the texts of the form.

    The reader of an upload's parts sets the upload's texts, as werkzeug would write the file to the
    disk.
    """
    if request.mimetype == FORM_DATA:
        return g.get("typed") or MultiDict()
    return request.form


def text(name: str) -> str | None:
    return typed().get(name, "").strip() or None


def number(name: str) -> Any:
    """Return an integer, or the typed text, which the schema then refuses."""
    try:
        return _integer(name)
    except ValueError:
        return text(name)


def room() -> int | None:
    """Return the bytes of `maxBytes`, a size as in "5 GB"; None for an empty field.

    A number without a unit is in GB, or in bytes, as the API has it, if it is a million or more.
    Raise `ValidationError`.
    """
    typed_size = text("maxBytes")
    if typed_size is None:
        return None
    found = _SIZE.fullmatch(typed_size.replace(",", "."))
    if found is None:
        raise ValidationError({"maxBytes": [_NO_SIZE]})
    amount = float(found["amount"])
    usual = "bytes" if amount >= _LEAST_BYTES else "GB"
    unit = (found["unit"] or usual).upper()
    size_bytes = round(amount * _UNITS[unit])
    if not 1 <= size_bytes <= MOST_ROOM_BYTES:
        raise ValidationError({"maxBytes": [_NO_SIZE]})
    return size_bytes


@dataclass(frozen=True)
class LinkEnd:
    """An end that a link may have: a value of `ends`, and the words of its choice.

    `says` stands in the sentence of the terms. The moment is in milliseconds, where it is known
    without the browser's zone for a day that ends in UTC; None if there is none.
    """

    value: str
    words: str
    says: str
    moment: int | None = None


def link_ends(takes: bool = False) -> list[LinkEnd]:
    """Return the ends that a link may have; one that `takes` files also a week."""
    friday = friday_after_tomorrow()
    tomorrow = today() + timedelta(days=1)
    in_an_hour = LinkEnd("1h", "for 1 hour", "for 1 hour", _after(timedelta(hours=1)))
    in_a_week = LinkEnd("7", "for 7 days", "for 7 days", _after(timedelta(days=7)))
    in_a_month = LinkEnd("30", "for 30 days", "for 30 days", _after(timedelta(days=30)))
    on_friday = f"until {friday:%a}, {friday.day} {friday:%b}"
    return [
        in_an_hour,
        LinkEnd(TOMORROW, "until tomorrow", "until tomorrow", _last_minute(tomorrow)),
        LinkEnd(f"{friday}", "until Friday", on_friday, _last_minute(friday)),
        *([in_a_week] if takes else []),
        in_a_month,
        LinkEnd("never", "until I turn it off", "until I turn it off"),
        LinkEnd("date", "until a date…", "until a date"),
    ]


def _after(span: timedelta) -> int:
    return _milliseconds(_moment_now() + span)


def _last_minute(day: date) -> int:
    """Return the moment of 23:59 UTC."""
    return _milliseconds(datetime(day.year, day.month, day.day, 23, 59, tzinfo=UTC))


@dataclass(frozen=True)
class Days:
    """A day, or the days of a month, in words; `period` is theirs in the zone of the browser."""

    words: str
    period: Period


def days_asked_for() -> Days | None:
    """Return the month `2026-03` or the day `2026-03-05` that the query names as `when`, if any.

    `offset` is that of the browser's zone, of which the script tells.
    """
    when = request.args.get("when", "")
    is_month = len(when) == len("2026-03")
    try:
        first = datetime.strptime(when, "%Y-%m" if is_month else "%Y-%m-%d").replace(tzinfo=UTC)
        behind_utc = timedelta(minutes=int(request.args.get("offset") or 0))
        later = first + timedelta(days=32 if is_month else 1)
        next = later.replace(day=1) if is_month else later
        period = Period(_milliseconds(first + behind_utc), _milliseconds(next + behind_utc))
    except (ValueError, OverflowError):
        return None
    return Days(f"{first:%B %Y}" if is_month else f"{first.day} {first:%B %Y}", period)


def months_since(moment: int) -> list[tuple[str, str]]:
    """Return the months from now back to that of a moment, at most `MOST_MONTHS`, each as it is
    named in a query and in words.
    """
    first = datetime.fromtimestamp(moment / 1000, UTC).date().replace(day=1)
    month = today().replace(day=1)
    months: list[tuple[str, str]] = []
    while month >= first and len(months) < MOST_MONTHS:
        months.append((f"{month:%Y-%m}", f"{month:%B %Y}"))
        month = (month - timedelta(days=1)).replace(day=1)
    return months


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def today() -> date:
    """Return the date of today in UTC."""
    return _moment_now().date()


def by_day(rows: Sequence[Any]) -> list[tuple[str, list[Any]]]:
    """Return the rows of a list in their order, grouped below headings by when they were created.

    The headings are in UTC; the script words them anew in the zone of the browser (`dayHeading` in
    `times.js`).
    """
    of_today = today()
    groups = groupby(rows, lambda row: day_heading(row.created_at, of_today))
    return [(heading, list(of_days)) for heading, of_days in groups]


def day_heading(moment: int, of_today: date) -> str:
    """Return the words for the days around a moment, in milliseconds."""
    day = datetime.fromtimestamp(moment / 1000, UTC).date()
    days = (of_today - day).days
    since_monday = of_today.weekday()
    if days <= 0:
        return "Today"
    if days == 1:
        return "Yesterday"
    if days <= since_monday:
        return "Earlier this week"
    if days <= since_monday + 7:
        return "Last week"
    if (day.year, day.month) == (of_today.year, of_today.month):
        return "Earlier this month"
    return f"{day:%B}" if day.year == of_today.year else f"{day:%B %Y}"


def friday_after_tomorrow() -> date:
    return today() + timedelta(days=2 + (4 - today().weekday() - 2) % 7)


def _moment_now() -> datetime:
    return datetime.fromtimestamp(now() / 1000, UTC)


def end() -> dict[str, str | None]:
    """Return `expiresAt` as chosen in the form, or nothing to keep the present end.

    The choice is a number of days or hours (`7`, `1h`), the end of `tomorrow` or of a date (itself,
    or `date` and `endsOn`) in the browser's zone, or never. Raise `ValidationError` for anything
    else.
    """
    chosen = typed().get("ends", "keep")
    if chosen in {"keep", "never"}:
        return {} if chosen == "keep" else {"expiresAt": None}
    try:
        moment = _moment(chosen)
    except (ValueError, OverflowError):
        raise ValidationError({"expiresAt": ["Choose the last day."]}) from None
    return {"expiresAt": rfc3339(_milliseconds(moment))}


def _moment(chosen: str) -> datetime:
    if "-" not in chosen and chosen not in {"date", TOMORROW}:
        unit = "hours" if chosen.endswith("h") else "days"
        span = timedelta(**{unit: int(chosen.removesuffix("h"))})
        return _moment_now() + span
    minutes = _integer("offset") if typed().get("offset") else 0
    behind_utc = timedelta(minutes=minutes)  # the browser's zone
    if chosen == TOMORROW:
        day = f"{(_moment_now() - behind_utc).date() + timedelta(days=1)}"
    else:
        day = typed().get("endsOn", "") if chosen == "date" else chosen
    midnight = datetime.fromisoformat(day).replace(tzinfo=UTC) + behind_utc
    return midnight + timedelta(days=1, milliseconds=-1)


def _integer(name: str) -> int:
    """Return an integer.

    Raise `ValueError` for any other text, and for more digits than Python reads.
    """
    return int(typed().get(name, ""))


def _refused(
    page: Callable[..., Response], path: Mapping[str, str], status: int, errors: Mapping[str, str]
) -> Response:
    values = typed().to_dict(flat=False)
    errors = dict(errors)
    for name in values:
        if name.lower().endswith("password") and any(values[name]):
            errors.setdefault(name, _AGAIN)
    g.posted = Form(request.path, values, errors)
    response = page(**path)
    response.status_code = status
    return response


def _by_field(messages: Mapping[str, Any]) -> dict[str, str]:
    """Return the first message for each field."""
    found: dict[str, str] = {}
    for pointer, sentence in messages_by_pointer(messages):
        found.setdefault("".join(pointer.split("/")[1:2]), sentence)
    return found


def _field_of(error: ServiceError) -> str:
    pointer: str | None = getattr(error, "pointer", None)
    if pointer:
        return pointer.removeprefix("#").removeprefix("/").partition("/")[0]
    named = _FIELDS.get(error.code, ())
    return next((name for name in named if name in typed()), "") if named else ""
