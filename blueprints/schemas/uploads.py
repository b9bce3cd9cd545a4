"""What an upload takes: a JSON object, or the parts of a form."""

from typing import Any, cast

from marshmallow import Schema, ValidationError, fields, post_load, pre_load

import viewer

from ..http.base64_payload import Base64Payload
from ..http.body import SMALL_BODY_BYTES, FieldsTooLarge, LongString, parse_json
from ..http.multipart import Part
from ..http.problems import MalformedJson
from .fields import Base64, File, MediaType, StringMap, Text, Timestamp
from .requests import DocumentEdit, NewDocumentToken
from .schema import CamelCaseSchema, described

_DEFAULT_TOKEN = NewDocumentToken().load({})


class NewDocument(DocumentEdit):
    token = fields.Nested(
        NewDocumentToken, allow_none=True, load_default=lambda: dict(_DEFAULT_TOKEN)
    )
    collection_id = Text(
        1,
        100,
        **described("A collection that it is appended to. Needs `documents:read`."),
    )


class Upload(NewDocument):
    """A JSON object."""

    payload = Base64(required=True)
    content_type = MediaType(required=True)

    def load(self, data: Any, **options: Any) -> Any:
        """Reports an error in a long payload together with those of the other fields."""
        try:
            return super().load(data, **options)
        except ValidationError as error:
            found = data.get("payload") if isinstance(data, dict) else None
            messages = cast(dict[str, Any], error.messages)
            if isinstance(found, LongString) and "payload" not in messages:
                if fault := Base64Payload(found).fault():
                    messages["payload"] = [fault]
                in_order = (*(field.data_key for field in self.load_fields.values()), *messages)
                error.messages = {name: messages[name] for name in in_order if name in messages}
            raise


class UploadForm(NewDocument):
    """The parts of a form. `load` takes a list of `Part`; the file becomes `payload`."""

    file = File(required=True, attribute="payload")
    name = Text(**described("The part's `filename` if absent."))
    content_type = MediaType(
        **described(
            "The part's `Content-Type` if absent; if that is absent or generic, what the name and "
            "the first bytes say."
        )
    )
    expires_at = Timestamp()

    @pre_load
    def _read_parts(self, parts: list[Part], **_: Any) -> dict[str, Any]:
        """Values by name. What the file's part says of the file stands in for absent ones."""
        read = _values(self, parts)
        file = read.get("file")
        said = {"name": file.filename, "contentType": file.content_type} if file else {}
        return {name: value for name, value in said.items() if value} | read

    @post_load
    def _detect_type(self, body: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Where the content type is missing or generic, the name and the first bytes say it."""
        file = body["payload"]
        if viewer.is_generic(body.setdefault("content_type", "")):
            named = viewer.type_of_name(body["name"]) or viewer.type_of_name(file.filename)
            body["content_type"] = viewer.detect(named, file.content.head(viewer.FIRST_BYTES))
        return body


_UPLOAD_FORM = UploadForm()


class SentFile(CamelCaseSchema):
    """The parts of a form that somebody sends by a link."""

    file = File(required=True, attribute="payload")
    sender = Text(0, 200, data_key="from", load_default="", **described("Who sends it."))

    @pre_load
    def _read_parts(self, parts: list[Part], **_: Any) -> dict[str, Any]:
        return _values(self, parts)

    @post_load
    def _describe(self, body: dict[str, Any], **_: Any) -> dict[str, Any]:
        """With name and type as an upload of the same part has them."""
        uploaded = _UPLOAD_FORM.load([body["payload"]])
        return body | {name: uploaded[name] for name in ("name", "content_type")}


def _values(schema: Schema, parts: list[Part]) -> dict[str, Any]:
    """The values of the parts by name; the parts themselves for files and unknown fields."""
    by_name = {part.name: part for part in parts}
    if len(by_name) < len(parts):
        twice = next(part.name for part in parts if by_name[part.name] is not part)
        raise ValidationError({twice: ["Send this part once."]})
    kinds = {field.data_key: field for field in schema.load_fields.values()}
    _limit_texts([by_name[name] for name in by_name.keys() & kinds.keys() - {"file"}])
    return {name: _value(part, kinds.get(name)) for name, part in by_name.items()}


def _limit_texts(parts: list[Part]) -> None:
    if sum(part.size for part in parts) > SMALL_BODY_BYTES:
        longest = max(parts, key=lambda part: part.size)
        raise ValidationError({longest.name: [FieldsTooLarge.sentence]})


def _value(part: Part, field: fields.Field[Any] | None) -> Any:
    """The JSON or the text of a part; the part itself for a file or an unknown field."""
    if field is None or isinstance(field, File):
        return part
    raw = part.content.head(part.size)
    try:
        return parse_json(raw) if isinstance(field, StringMap | fields.Nested) else raw.decode()
    except MalformedJson as error:
        sentence = f"This part takes JSON. {error.sentence}"
    except UnicodeDecodeError:
        sentence = "This part is not UTF-8."
    raise ValidationError({part.name: [sentence]})
