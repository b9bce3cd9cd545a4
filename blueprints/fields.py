"""Kinds of values on the wire, each with its rule and the sentence that mends a wrong one."""

import re
from datetime import datetime
from typing import Any

from marshmallow import ValidationError, fields, validate

from models.errors import Invalid
from models.ids import rfc3339

from .body import Span
from .payload import Payload

_WORD = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_QUOTED = r'"(?:[\t \x21\x23-\x5b\x5d-\x7e]|\\[\t -~])*"'
MEDIA_TYPE = re.compile(rf"{_WORD}/{_WORD}(?:[ \t]*;[ \t]*{_WORD}=(?:{_WORD}|{_QUOTED}))*")
_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII
)
_HOST = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_ORIGIN = re.compile(rf"https?://(?:{_HOST}(?:\.{_HOST})*|\[[0-9a-f:]+\])(?::[0-9]{{1,5}})?")


class Text(fields.String):
    """Text of `least` to `most` characters, without NUL and lone surrogates."""

    def __init__(self, least: int = 1, most: int = 255, **options: Any) -> None:
        error = f"Use {least} to {most} characters."
        super().__init__(validate=validate.Length(least, most, error=error), **options)

    def _deserialize(self, value: Any, attr: Any, data: Any, **options: Any) -> str:
        text: str = super()._deserialize(value, attr, data, **options)
        refuse_unstorable(text)
        return text


class Email(Text):
    def __init__(self, **options: Any) -> None:
        pattern = {"pattern": r"^[^@\s]+@[^@\s]+$", "example": "me@example.org"}
        super().__init__(3, 254, metadata=pattern, **options)

    def _deserialize(self, value: Any, attr: Any, data: Any, **options: Any) -> str:
        text = super()._deserialize(value, attr, data, **options)
        if not re.fullmatch(r"[^@\s]+@[^@\s]+", text):
            raise ValidationError("This is no e-mail address: one looks like me@example.org.")
        return text


class Moment(fields.Field[int]):
    """RFC 3339 on the wire, milliseconds since 1970 inside; written in UTC with `Z`."""

    def __init__(self, **options: Any) -> None:
        described = {"type": "string", "format": "date-time"}
        super().__init__(metadata=described | options.pop("metadata", {}), **options)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:
        if not isinstance(value, str) or not _MOMENT.fullmatch(value):
            raise ValidationError("Use RFC 3339 with a zone, as in 2026-01-31T09:30:00.000Z.")
        try:
            moment = datetime.fromisoformat(_in_microseconds(value.upper()))
            return int(moment.timestamp() * 1000)
        except (ValueError, OverflowError):
            raise ValidationError("There is no such moment in the calendar.") from None

    def _serialize(self, value: Any, *_: Any, **__: Any) -> str | None:
        return None if value is None else rfc3339(value)


class Pairs(fields.Dict):
    """Text by name. What is wrong with a pair is told at its name."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **options: Any) -> Any:
        try:
            return super()._deserialize(value, attr, data, **options)  # type: ignore[no-untyped-call]
        except ValidationError as error:
            if not isinstance(error.messages, dict):
                raise
            told = {name: [*said.values()][0] for name, said in error.messages.items()}
            raise ValidationError(told) from None


class Base64(fields.Field[Payload]):
    """RFC 4648, section 4: with padding, canonical; ASCII white space is passed over."""

    def __init__(self, **options: Any) -> None:
        described = {"type": "string", "contentEncoding": "base64"}
        super().__init__(metadata=described | options.pop("metadata", {}), **options)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Payload:
        """A long payload is decoded when it is stored."""
        if not isinstance(value, str | Span):
            raise ValidationError("The payload is base64 in a string.")
        try:
            payload = Payload(value)
            for _piece in payload.pieces() if isinstance(value, str) else ():
                pass
        except Invalid as refused:
            raise ValidationError(refused.sentence) from None
        return payload


class MediaType(Text):
    """RFC 9110, section 8.3.1, with parameters."""

    def __init__(self, **options: Any) -> None:
        super().__init__(3, 255, metadata={"example": "application/pdf"}, **options)

    def _deserialize(self, value: Any, attr: Any, data: Any, **options: Any) -> str:
        text = super()._deserialize(value, attr, data, **options)
        if not MEDIA_TYPE.fullmatch(text):
            raise ValidationError("This is no media type: one looks like application/pdf.")
        return text


class Origin(Text):
    """Exactly one origin, or `*`. Anything else could add a directive to the policy."""

    def __init__(self, **options: Any) -> None:
        super().__init__(1, 261, metadata={"example": "https://intranet.example"}, **options)

    def _deserialize(self, value: Any, attr: Any, data: Any, **options: Any) -> str:
        text = super()._deserialize(value, attr, data, **options).lower()
        if text != "*" and not _is_origin(text):
            raise ValidationError("Use an exact origin, as in https://intranet.example:8443.")
        return text


def _is_origin(text: str) -> bool:
    port = text.rpartition(":")[2]
    return bool(_ORIGIN.fullmatch(text)) and not (port.isdigit() and int(port) > 65535)


def refuse_unstorable(text: str) -> None:
    if "\0" in text:
        raise ValidationError("A NUL character is not allowed here.")
    if not text.isascii() and re.search("[\ud800-\udfff]", text):
        raise ValidationError("Half of a surrogate pair is not a character.")


def _in_microseconds(text: str) -> str:
    """Python reads at most six digits of a second."""
    return re.sub(r"(\.\d{6})\d+", r"\1", text).replace("Z", "+00:00")
