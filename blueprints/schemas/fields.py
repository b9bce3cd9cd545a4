"""Schemas and the kinds of values in JSON and queries, each with its rule and its message.

The message says how to mend the value.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from ipaddress import IPv6Address
from typing import Any, Self

from marshmallow import Schema, ValidationError, fields, missing, validate

import viewer
from models.core import UNSEEN, Invalid, counted, is_seen, rfc3339, whole_number

from ..http.base64_payload import Base64Payload
from ..http.body import LongString
from ..http.multipart import Part

_NO_SPACE = r"[^@\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+"
_EMAIL = re.compile(rf"{_NO_SPACE}@{_NO_SPACE}")
_TCHARS = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_QUOTED = r'"(?:[\t \x21\x23-\x5b\x5d-\x7e]|\\[\t -~])*"'
_MEDIA_TYPE = re.compile(rf"{_TCHARS}/{_TCHARS}(?:[ \t]*;[ \t]*{_TCHARS}=(?:{_TCHARS}|{_QUOTED}))*")
_TIMESTAMP = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII
)
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_ORIGIN = re.compile(
    rf"\*|https?://(?:{_LABEL}(?:\.{_LABEL})*|\[([0-9A-F:]+)\])(?::([0-9]{{1,4}}|[1-9][0-9]{{4}}))?",
    re.I,
)


class CamelCaseSchema(Schema):
    """A schema with camelCase outside, snake_case inside; an unknown field is an error."""

    error_messages = {"unknown": "There is no such field.", "type": "Send a JSON object."}

    def __deepcopy__(self, _memo: Any) -> Self:
        """Return the schema itself, which nothing changes; decorators of handlers copy it."""
        return self

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        first, *rest = field_name.split("_")
        name = first + "".join(word.title() for word in rest)
        field_obj.data_key = field_obj.data_key or name
        field_obj.error_messages["required"] = f"{name} is needed."
        field_obj.error_messages["null"] = "null is not allowed here."


def loaded_field_by_field(schema: Schema, data: dict[str, Any]) -> dict[str, Any]:
    """Return what marshmallow loads with a schema that has no hooks, in half of the time.

    Raise `ValidationError` for the first fault; `schema.load` says all that is wrong.
    """
    members = _members_of(schema)
    if not members.keys() >= data.keys():
        raise ValidationError("There is an unknown field.")
    return {
        name: field.deserialize(data.get(key, missing), key, data)
        for key, (name, field, may_be_absent) in members.items()
        if key in data or not may_be_absent
    }


@cache
def _members_of(schema: Schema) -> dict[str, tuple[str, fields.Field[Any], bool]]:
    """Return each field by its name in JSON, with the name of its value, and whether nothing
    stands in for a value that is absent.
    """
    return {
        field.data_key or name: (
            field.attribute or name,
            field,
            field.load_default is missing and not field.required,
        )
        for name, field in schema.load_fields.items()
    }


def described(description: str, **more: Any) -> dict[str, Any]:
    """Return OpenAPI metadata of a field."""
    return {"metadata": {"description": description, **more}}


MAX_BYTES = described("How many bytes it may hold for a stranger's file to be taken.")


class String(fields.String):
    default_error_messages = {"invalid": "Use a string."}


class LowerCase(String):
    """Text whose letters may be large ones as well; it is loaded with small ones."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **options: Any) -> Any:
        text: str = super()._deserialize(value, attr, data, **options)
        return text.lower()


class Described(fields.Field[Any]):
    """A field whose class has OpenAPI metadata; the metadata of its options is added."""

    described: Mapping[str, Any] = {}

    def __init__(self, **options: Any) -> None:
        super().__init__(metadata={**self.described, **options.pop("metadata", {})}, **options)


class Text(Described, String):
    """Text of `least` to `most` characters, without NUL and lone surrogates.

    A subclass may prescribe other `bounds` and a `form`, and the `mistake` of a text of another
    form.
    """

    bounds: tuple[int, int | None] = 1, 255
    form = re.compile(".*", re.S)
    mistake = ""

    def __init__(self, *bounds: int | None, **options: Any) -> None:
        least, most = bounds or self.bounds
        length = validate.Length(
            least, most, error=f"Use {least} to {counted(most or 0, 'character')}."
        )
        super().__init__(validate=length, **options)

    def _deserialize(self, value: Any, attr: Any, data: Any, **options: Any) -> str:
        text: str = super()._deserialize(value, attr, data, **options)
        _refuse_unstorable(text)
        if not self.form.fullmatch(text):
            raise ValidationError(self.mistake)
        return text


class Name(Text):
    """The name of a person, or of something that people made: something of it is seen."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **options: Any) -> str:
        text = super()._deserialize(value, attr, data, **options)
        if text and not is_seen(text):
            raise ValidationError(UNSEEN)
        return text


class Folder(Text):
    """The folder of a file, made safe; "" if it names none."""

    described = {
        "maxLength": viewer.MAX_FOLDER_LENGTH,
        "description": "The folder of the file in a ZIP file, as in `plans/2026`.",
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(0, None, **options)

    def _deserialize(self, value: Any, attr: Any, data: Any, **options: Any) -> str:
        text = super()._deserialize(value, attr, data, **options)
        try:
            return viewer.safe_folder(text)
        except ValueError as error:
            raise ValidationError(str(error)) from None


class Email(Text):
    described, bounds = {"format": "email"}, (3, 254)
    form, mistake = _EMAIL, "This is no e-mail address: one looks like me@example.org."


class Password(Text):
    described = {"format": "password"}


class Timestamp(Described):
    """A moment: RFC 3339 outside, milliseconds since 1970 inside; written in UTC with `Z`."""

    described = {"type": "string", "format": "date-time"}

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:
        if not isinstance(value, str) or not _TIMESTAMP.fullmatch(value):
            raise ValidationError("Use RFC 3339 with a zone, as in 2026-01-31T09:30:00.000Z.")
        try:
            moment = datetime.fromisoformat(value.upper())
            return int(moment.astimezone(UTC).timestamp() * 1000)
        except (ValueError, OverflowError):
            raise ValidationError("There is no such moment in the calendar.") from None

    def _serialize(self, value: Any, *_: Any, **__: Any) -> str | None:
        return None if value is None else rfc3339(value)


class Integer(fields.Integer):
    """An integer from `least` to `most`; in a query it is written in ASCII digits alone."""

    default_error_messages = {"invalid": "Use a whole number."}

    def __init__(self, least: int, most: int, **options: Any) -> None:
        span = validate.Range(least, most, error=f"Use {least:,} to {most:,}.")
        super().__init__(validate=span, **options)

    def _validated(self, value: Any) -> int:
        if isinstance(value, str) and whole_number(value.removeprefix("-")) is None:
            raise self.make_error("invalid", input=value)
        return super()._validated(value)


class StrictInteger(Integer):
    """A number in JSON, no string; 5.0 is an integer, too (JSON Schema, 6.1.1)."""

    def __init__(self, least: int, most: int, **options: Any) -> None:
        super().__init__(least, most, strict=True, **options)

    def _validated(self, value: Any) -> int:
        whole = isinstance(value, float) and value.is_integer()
        return super()._validated(int(value) if whole else value)


class QueryBoolean(fields.Boolean):
    """`true` or `false`, as it stands in a query."""

    def __init__(self, **options: Any) -> None:
        super().__init__(truthy={"true"}, falsy={"false"}, **options)


class StrictBoolean(fields.Boolean):
    """`true` or `false` only: no `"yes"`, no 1."""

    default_error_messages = {"invalid": "Use true or false."}

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class List(fields.List[Any]):
    default_error_messages = {"invalid": "Use a list."}


class StringMap(fields.Dict):
    """Strings by name. An error in a name or its value is reported at the name."""

    default_error_messages = {"invalid": "Use an object: strings by name."}

    def _deserialize(self, value: Any, attr: Any, data: Any, **options: Any) -> Any:
        try:
            return super()._deserialize(value, attr, data, **options)  # type: ignore[no-untyped-call]
        except ValidationError as error:
            if not isinstance(error.messages, dict):
                raise
            messages = {name: [*pair.values()][0] for name, pair in error.messages.items()}
            raise ValidationError(messages) from None


class Metadata(StringMap):
    """The metadata of a document: strings by name, of which `path` is the folder of its file."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **options: Any) -> Any:
        """Return the strings, with the folder made safe; without a `path` that names no folder.

        A name that is sent along may be the last one of the path.
        """
        strings = super()._deserialize(value, attr, data, **options)
        if "path" in strings:
            name = data.get("name")
            file_name = name if isinstance(name, str) else None
            try:
                strings["path"] = viewer.safe_folder(strings["path"], file_name)
            except ValueError as error:
                raise ValidationError({"path": [str(error)]}) from None
        return {name: text for name, text in strings.items() if text or name != "path"}


class Base64(Described):
    """Base64 (RFC 4648, section 4): with padding, canonical; ASCII white space is passed over."""

    described = {
        "type": "string",
        "description": "Base64 with padding. White space is ignored, so line breaks may stay.",
    }

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Base64Payload:
        """Return the payload. A long payload is decoded when it is stored."""
        if not isinstance(value, str | LongString):
            raise ValidationError("The payload is base64 in a string.")
        try:
            return Base64Payload(value)
        except Invalid as error:
            raise ValidationError(error.sentence) from None


class File(Described):
    """A part of a form that is a file."""

    described = {
        "type": "string",
        "format": "binary",
        "description": "The file as it is. Its part needs a `filename`.",
    }

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Part:
        if not isinstance(value, Part) or not value.filename:
            raise ValidationError("Send a file with its name, as curl -F file=@report.pdf does.")
        return value


class MediaType(Text):
    """A media type (RFC 9110, section 8.3.1) with parameters."""

    described = {"description": "A media type (RFC 9110), with parameters if there are any."}
    bounds, form = (3, 255), _MEDIA_TYPE
    mistake = "This is no media type: one looks like application/pdf."


class Origin(Text):
    """One origin (RFC 6454), or `*`. Anything else could add a directive to the page's CSP."""

    described = {"description": "`https://host` or `http://host`, with a port if any; or `*`."}
    bounds = 1, 261

    def _deserialize(self, value: Any, attr: Any, data: Any, **options: Any) -> str:
        text = super()._deserialize(value, attr, data, **options)
        if not _is_origin(text):
            raise ValidationError("Use an exact origin, as in https://intranet.example:8443.")
        return text.lower()


def _is_origin(text: str) -> bool:
    found = _ORIGIN.fullmatch(text)
    return found is not None and int(found[2] or 0) < 65536 and (not found[1] or _is_ipv6(found[1]))


def _is_ipv6(text: str) -> bool:
    try:
        return bool(IPv6Address(text))
    except ValueError:
        return False


def _refuse_unstorable(text: str) -> None:
    if "\0" in text:
        raise ValidationError("A NUL character is not allowed here.")
    if not text.isascii() and re.search("[\ud800-\udfff]", text):
        raise ValidationError("Half of a surrogate pair is not a character.")
