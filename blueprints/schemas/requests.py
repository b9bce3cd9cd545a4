"""The wire vocabulary, read: every JSON object and query that the API takes."""

from typing import Any, cast

from marshmallow import Schema, ValidationError, fields, post_load, validate, validates

from models import EVENT_TYPES, PERMISSIONS, SCOPES

from ..http.base64_payload import Base64Payload
from ..http.pagination import CURSOR
from ..http.upload_body import LongString
from .fields import (
    NAME,
    Base64,
    Email,
    Expiry,
    MediaType,
    Origin,
    StrictBoolean,
    StrictInteger,
    StringMap,
    Text,
    Timestamp,
)

METADATA_PAIRS, METADATA_BYTES = 16, 4096
WEB_ADDRESS = {  # unless a setting names other networks
    "pattern": r"^https://(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}"
    r"(?::[1-9][0-9]{0,3})?(?:/[A-Za-z0-9._~!$&'()*+,;=:@/%-]*)?$",
    "example": "https://example.org/hook",
}
NEW_PASSWORD = {"format": "password", "maxLength": 1024}  # how short it may be is a setting


class CamelCaseSchema(Schema):
    """camelCase outside, snake_case inside; an unknown field is an error."""

    error_messages = {"unknown": "There is no such field.", "type": "Send a JSON object."}

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        first, *rest = field_name.split("_")
        name = first + "".join(word.title() for word in rest)
        field_obj.data_key = field_obj.data_key or name
        field_obj.error_messages["required"] = f"{name} is needed."
        field_obj.error_messages["null"] = "null is not allowed here."


class Registration(CamelCaseSchema):
    email = Email(required=True)
    password = Text(0, 4096, required=True, metadata=NEW_PASSWORD)
    name = Text(allow_none=True, load_default=None)


class Login(CamelCaseSchema):
    email = Text(0, 4096, required=True)
    password = Text(0, 4096, required=True, metadata={"format": "password"})


class NewPassword(CamelCaseSchema):
    current_password = Text(0, 4096, required=True, metadata={"format": "password"})
    new_password = Text(0, 4096, required=True, metadata=NEW_PASSWORD)


class NewKey(CamelCaseSchema):
    name = Text(allow_none=True, load_default=None)
    scopes = fields.List(
        fields.String(validate=validate.OneOf(SCOPES)),
        load_default=list(SCOPES),
        validate=validate.Length(1, 16, error="Name at least one scope."),
    )
    expires_at = Expiry(allow_none=True, load_default=None)


class Rotation(CamelCaseSchema):
    overlap_seconds = StrictInteger(strict=True, load_default=0, validate=validate.Range(0, 604800))


class NewToken(CamelCaseSchema):
    label = Text(allow_none=True, load_default=None)
    permissions = fields.List(
        fields.String(validate=validate.OneOf(PERMISSIONS)),
        load_default=list(PERMISSIONS),
        validate=validate.Length(1, 8, error="Name at least one permission."),
    )
    expires_at = Expiry(
        allow_none=True,
        metadata={"description": "Seven days from now if absent; null for no end."},
    )
    max_views = StrictInteger(
        strict=True,
        allow_none=True,
        load_default=None,
        validate=validate.Range(1, 1_000_000, error="Use 1 to 1,000,000."),
    )
    password = Text(1, 1024, allow_none=True, load_default=None, metadata={"format": "password"})
    allowed_origins = fields.List(
        Origin(), load_default=list, validate=validate.Length(max=32, error="At most 32 origins.")
    )


_USUAL_TERMS = NewToken().load({})


class Edit(CamelCaseSchema):
    name = Text(allow_none=True)
    metadata = StringMap(
        keys=Text(),
        values=Text(0, None),
        allow_none=True,
        metadata={
            "maxProperties": METADATA_PAIRS,
            "anyOf": [{"propertyNames": {"maxLength": 255, "pattern": NAME}}],
            "description": f"Names and values have at most {METADATA_BYTES} bytes in all.",
        },
    )
    expires_at = Expiry(allow_none=True)

    @validates("metadata")
    def _keep_small(self, value: dict[str, str] | None, **_: Any) -> None:
        pairs = value or {}
        if len(pairs) > METADATA_PAIRS:
            raise ValidationError(f"At most {METADATA_PAIRS} pairs.")
        if sum(len(key.encode()) + len(pairs[key].encode()) for key in pairs) > METADATA_BYTES:
            raise ValidationError(f"At most {METADATA_BYTES} bytes in all.")


class Upload(Edit):
    payload = Base64(required=True)
    content_type = MediaType(required=True)
    token = fields.Nested(NewToken, allow_none=True, load_default=lambda: dict(_USUAL_TERMS))

    def load(self, data: Any, **options: Any) -> Any:
        """What is wrong with a long payload is told together with what is wrong beside it."""
        try:
            return super().load(data, **options)
        except ValidationError as error:
            found = data.get("payload") if isinstance(data, dict) else None
            messages = cast(dict[str, Any], error.messages)
            if isinstance(found, LongString) and "payload" not in messages:
                if fault := Base64Payload(found).fault():
                    messages["payload"] = [fault]
                error.messages = {name: messages[name] for name in self._in_order(messages)}
            raise

    def _in_order(self, messages: Any) -> list[str]:
        """As if every field had been looked at in turn."""
        known = [field.data_key for field in self.load_fields.values()]
        return sorted(messages, key=lambda name: known.index(name) if name in known else 99)


class PageSize(CamelCaseSchema):
    limit = fields.Integer(load_default=50, validate=validate.Range(1, 100))


class PageQuery(PageSize):
    cursor = Text(1, 100, load_default=None, metadata={"pattern": CURSOR})


class DocumentPage(PageQuery):
    content_type = MediaType()
    created_after = Timestamp()
    created_before = Timestamp()


def _event_id(description: str) -> fields.String:
    return fields.String(
        load_default=None,
        validate=validate.Regexp(r"evt_[0-9a-z]{26}\Z", error="Use the id of an event."),
        metadata={"pattern": "^evt_[0-9a-z]{26}$", "description": description},
    )


class EventQuery(PageSize):
    after = _event_id("Go on behind the event with this id, even if it is forgotten.")
    cursor = _event_id("The same as `after`, which goes before it: for who reads every list alike.")
    type = fields.String(load_default=None, validate=validate.OneOf(EVENT_TYPES))
    document_id = Text(1, 100, load_default=None)

    @post_load
    def by_one_name(self, query: dict[str, Any], **_: Any) -> dict[str, Any]:
        cursor = query.pop("cursor")
        return query | {"after": query["after"] or cursor}


_TYPES = fields.String(validate=validate.OneOf(EVENT_TYPES))
_ENOUGH_TYPES = validate.Length(1, len(EVENT_TYPES), error="Name at least one type of events.")


class NewWebhook(CamelCaseSchema):
    url = Text(1, 2048, required=True, metadata=WEB_ADDRESS)
    types = fields.List(
        _TYPES,
        data_key="events",
        validate=_ENOUGH_TYPES,
        metadata={"description": "Which events are sent; all of them if absent."},
    )
    description = Text(allow_none=True)


class WebhookEdit(CamelCaseSchema):
    url = Text(1, 2048, metadata=WEB_ADDRESS)
    types = fields.List(_TYPES, data_key="events", validate=_ENOUGH_TYPES)
    description = Text(allow_none=True)
    enabled = StrictBoolean()


class Opening(CamelCaseSchema):
    password = Text(0, 1024, allow_none=True, load_default=None, metadata={"format": "password"})


class Sealing(CamelCaseSchema):
    password = Text(0, 1024, required=True, metadata={"format": "password", "minLength": 1})


class OEmbedQuery(CamelCaseSchema):
    url = Text(1, 2048, required=True)
    format = fields.String(
        load_default="json",
        validate=validate.OneOf(("json", "xml"), error="Use json."),
        metadata={"enum": ["json"]},
    )
    maxwidth = fields.Integer(load_default=10_000, validate=validate.Range(1, 100_000))
    maxheight = fields.Integer(load_default=10_000, validate=validate.Range(1, 100_000))
