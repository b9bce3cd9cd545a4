"""Kinds of values on the wire, each with its rule and the sentence that mends a wrong one."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

from marshmallow import ValidationError, fields, validate

from models.errors import Invalid
from models.records.ids import rfc3339

from ..http.base64_payload import Base64Payload
from ..http.upload_body import LongString

# Written so that Python, ECMAScript and Rust read them alike: clients check by the description.
_NO_NUL = r"^[^\x00]*$"
NAME = r"^[^\x00]+$"
_NO_SPACE = r"[^@\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+"
_EMAIL = rf"^{_NO_SPACE}@{_NO_SPACE}$"
_WORD = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_QUOTED = r'"(?:[\t \x21\x23-\x5b\x5d-\x7e]|\\[\t -~])*"'
MEDIA_TYPE = re.compile(rf"{_WORD}/{_WORD}(?:[ \t]*;[ \t]*{_WORD}=(?:{_WORD}|{_QUOTED}))*")
_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII
)
_HOST = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_PORT = r"(?:[0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
_HEX = "[0-9A-Fa-f]{1,4}"
_SHORTENED = "|".join(rf"(?:{_HEX}:){{1,{7 - n}}}(?::{_HEX}){{1,{n}}}" for n in range(1, 7))
_IPV6 = rf"(?:{_HEX}:){{7}}{_HEX}|{_SHORTENED}|(?:{_HEX}:){{1,7}}:|:(?::{_HEX}){{1,7}}|::"
_SITE = rf"(?:{_HOST}(?:\.{_HOST})*|\[(?:{_IPV6})\])(?::{_PORT})?"
_ORIGIN = rf"^(?:\*|[Hh][Tt][Tt][Pp][Ss]?://{_SITE})$"
_SPACE, _DIGIT = r"[ \t\r\n\f\v]*", "[A-Za-z0-9+/]"
_ONE_BYTE = rf"{_DIGIT}{_SPACE}[AQgw]{_SPACE}={_SPACE}="
_TWO_BYTES = rf"{_DIGIT}{_SPACE}{_DIGIT}{_SPACE}[AEIMQUYcgkosw048]{_SPACE}="
_BASE64 = rf"^{_SPACE}(?:(?:{_DIGIT}{_SPACE}){{4}})*(?:(?:{_ONE_BYTE}|{_TWO_BYTES}){_SPACE})?$"


def _days_from(day: str) -> str:
    """A pattern of what begins with this day or a later one."""
    later = [f"{day[:at]}[{int(d) + 1}-9]" for at, d in enumerate(day) if d in "012345678"]
    return f"^(?:{'|'.join([day, *later])})"


_YESTERDAY = f"{datetime.now(UTC) - timedelta(days=1):%Y-%m-%d}"  # today, in some other zone


class Text(fields.String):
    """Text of `least` to `most` characters, without NUL and lone surrogates."""

    def __init__(self, least: int = 1, most: int | None = 255, **options: Any) -> None:
        length = validate.Length(least, most, error=f"Use {least} to {most} characters.")
        described = {"pattern": _NO_NUL} | options.pop("metadata", {})
        super().__init__(validate=length, metadata=described, **options)

    def _deserialize(self, value: Any, attr: Any, data: Any, **options: Any) -> str:
        text: str = super()._deserialize(value, attr, data, **options)
        refuse_unstorable(text)
        return text


class Email(Text):
    def __init__(self, **options: Any) -> None:
        described = {"pattern": _EMAIL, "example": "me@example.org"}
        super().__init__(3, 254, metadata=described, **options)

    def _deserialize(self, value: Any, attr: Any, data: Any, **options: Any) -> str:
        text = super()._deserialize(value, attr, data, **options)
        if not re.fullmatch(_EMAIL, text):
            raise ValidationError("This is no e-mail address: one looks like me@example.org.")
        return text


class Timestamp(fields.Field[int]):
    """RFC 3339 on the wire, milliseconds since 1970 inside; written in UTC with `Z`."""

    DESCRIBED: ClassVar[dict[str, Any]] = {"type": "string", "format": "date-time"}

    def __init__(self, **options: Any) -> None:
        super().__init__(metadata=self.DESCRIBED | options.pop("metadata", {}), **options)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:
        if not isinstance(value, str) or not _MOMENT.fullmatch(value):
            raise ValidationError("Use RFC 3339 with a zone, as in 2026-01-31T09:30:00.000Z.")
        try:
            moment = datetime.fromisoformat(_in_microseconds(value.upper()))
            return int(moment.astimezone(UTC).timestamp() * 1000)
        except (ValueError, OverflowError):
            raise ValidationError("There is no such moment in the calendar.") from None

    def _serialize(self, value: Any, *_: Any, **__: Any) -> str | None:
        return None if value is None else rfc3339(value)


class Expiry(Timestamp):
    """A moment to come, or null. What has surely passed is told in the description already."""

    DESCRIBED: ClassVar[dict[str, Any]] = {
        "anyOf": [{"type": "null"}, Timestamp.DESCRIBED | {"pattern": _days_from(_YESTERDAY)}],
        "example": "2099-01-31T09:30:00.000Z",
    }


class StrictInteger(fields.Integer):
    """A whole number: in JSON, 5.0 is one too."""

    def _validated(self, value: Any) -> int:
        whole = isinstance(value, float) and value.is_integer()
        return super()._validated(int(value) if whole else value)


class StrictBoolean(fields.Boolean):
    """`true` or `false`, and nothing that Python takes for one of them."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class StringMap(fields.Dict):
    """Text by name. What is wrong with a pair is told at its name."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **options: Any) -> Any:
        try:
            return super()._deserialize(value, attr, data, **options)  # type: ignore[no-untyped-call]
        except ValidationError as error:
            if not isinstance(error.messages, dict):
                raise
            told = {name: [*said.values()][0] for name, said in error.messages.items()}
            raise ValidationError(told) from None


class Base64(fields.Field[Base64Payload]):
    """RFC 4648, section 4: with padding, canonical; ASCII white space is passed over."""

    def __init__(self, **options: Any) -> None:
        described = {"type": "string", "pattern": _BASE64, "example": "SGVsbG8="}
        super().__init__(metadata=described | options.pop("metadata", {}), **options)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Base64Payload:
        """A long payload is decoded when it is stored."""
        if not isinstance(value, str | LongString):
            raise ValidationError("The payload is base64 in a string.")
        try:
            return Base64Payload(value)
        except Invalid as error:
            raise ValidationError(error.sentence) from None


class MediaType(Text):
    """RFC 9110, section 8.3.1, with parameters."""

    def __init__(self, **options: Any) -> None:
        described = {"pattern": f"^{MEDIA_TYPE.pattern}$", "example": "application/pdf"}
        super().__init__(3, 255, metadata=described, **options)

    def _deserialize(self, value: Any, attr: Any, data: Any, **options: Any) -> str:
        text = super()._deserialize(value, attr, data, **options)
        if not MEDIA_TYPE.fullmatch(text):
            raise ValidationError("This is no media type: one looks like application/pdf.")
        return text


class Origin(Text):
    """Exactly one origin, or `*`. Anything else could add a directive to the policy."""

    def __init__(self, **options: Any) -> None:
        described = {"pattern": _ORIGIN, "example": "https://intranet.example"}
        super().__init__(1, 261, metadata=described, **options)

    def _deserialize(self, value: Any, attr: Any, data: Any, **options: Any) -> str:
        text = super()._deserialize(value, attr, data, **options)
        if not re.fullmatch(_ORIGIN, text):
            raise ValidationError("Use an exact origin, as in https://intranet.example:8443.")
        return text.lower()


def refuse_unstorable(text: str) -> None:
    if "\0" in text:
        raise ValidationError("A NUL character is not allowed here.")
    if not text.isascii() and re.search("[\ud800-\udfff]", text):
        raise ValidationError("Half of a surrogate pair is not a character.")


def _in_microseconds(text: str) -> str:
    """Python reads at most six digits of a second."""
    return re.sub(r"(\.\d{6})\d+", r"\1", text).replace("Z", "+00:00")
