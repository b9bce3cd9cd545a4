"""What the API takes: every JSON body and query."""

from typing import Any, cast

from marshmallow import Schema, ValidationError, fields, post_load, validate, validates

from models import EVENT_TYPES, PERMISSIONS, SCOPES

from ..http.base64_payload import Base64Payload
from ..http.upload_body import LongString
from .fields import (
    Base64,
    Email,
    MediaType,
    Origin,
    Password,
    StrictBoolean,
    StrictInteger,
    StringMap,
    Text,
    Timestamp,
)

METADATA_PAIRS, METADATA_BYTES = 16, 4096
WEBHOOK_URL = {"format": "uri", "description": "A public `https` address."}


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
    password = Password(0, 4096, required=True, metadata={"maxLength": 1024})
    name = Text(allow_none=True, load_default=None)


class Login(CamelCaseSchema):
    email = Text(0, 4096, required=True)
    password = Password(0, 4096, required=True)


class PasswordChange(CamelCaseSchema):
    current_password = Password(0, 4096, required=True)
    new_password = Password(0, 4096, required=True, metadata={"maxLength": 1024})


class NewApiKey(CamelCaseSchema):
    name = Text(allow_none=True, load_default=None)
    scopes = fields.List(
        fields.String(validate=validate.OneOf(SCOPES)),
        load_default=list(SCOPES),
        validate=validate.Length(1, 16, error="Name at least one scope."),
    )
    expires_at = Timestamp(allow_none=True, load_default=None)


class ApiKeyRotation(CamelCaseSchema):
    overlap_seconds = StrictInteger(
        strict=True,
        load_default=0,
        validate=validate.Range(0, 604800),
        metadata={"description": "How long the old key stays valid."},
    )


class NewDocumentToken(CamelCaseSchema):
    label = Text(allow_none=True, load_default=None)
    permissions = fields.List(
        fields.String(validate=validate.OneOf(PERMISSIONS)),
        load_default=list(PERMISSIONS),
        validate=validate.Length(1, 8, error="Name at least one permission."),
    )
    expires_at = Timestamp(
        allow_none=True,
        metadata={"description": "Seven days from now if absent; null for no end."},
    )
    max_views = StrictInteger(
        strict=True,
        allow_none=True,
        load_default=None,
        validate=validate.Range(1, 1_000_000, error="Use 1 to 1,000,000."),
    )
    password = Password(1, 1024, allow_none=True, load_default=None)
    allowed_origins = fields.List(
        Origin(), load_default=list, validate=validate.Length(max=32, error="At most 32 origins.")
    )


_DEFAULT_TOKEN = NewDocumentToken().load({})


class DocumentEdit(CamelCaseSchema):
    name = Text(allow_none=True)
    metadata = StringMap(
        keys=Text(),
        values=Text(0, None),
        allow_none=True,
        metadata={
            "maxProperties": METADATA_PAIRS,
            "description": f"Names and values have at most {METADATA_BYTES} bytes in all.",
        },
    )
    expires_at = Timestamp(allow_none=True)

    @validates("metadata")
    def _limit_metadata(self, value: dict[str, str] | None, **_: Any) -> None:
        pairs = value or {}
        if len(pairs) > METADATA_PAIRS:
            raise ValidationError(f"At most {METADATA_PAIRS} pairs.")
        if sum(len(key.encode()) + len(pairs[key].encode()) for key in pairs) > METADATA_BYTES:
            raise ValidationError(f"At most {METADATA_BYTES} bytes in all.")


class Upload(DocumentEdit):
    payload = Base64(required=True)
    content_type = MediaType(required=True)
    token = fields.Nested(
        NewDocumentToken, allow_none=True, load_default=lambda: dict(_DEFAULT_TOKEN)
    )

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
                error.messages = {name: messages[name] for name in self._in_order(messages)}
            raise

    def _in_order(self, messages: Any) -> list[str]:
        """The names of the fields, in the order in which they are validated."""
        known = [field.data_key for field in self.load_fields.values()]
        return sorted(messages, key=lambda name: known.index(name) if name in known else 99)


class PageQuery(CamelCaseSchema):
    """Becomes `limit` and `after`, the id of the previous page's last row or None."""

    limit = fields.Integer(load_default=50, validate=validate.Range(1, 100))
    cursor = fields.String(
        validate=validate.Regexp(
            r"[a-z]{3}_[0-9a-z]{26}\Z",
            error="This cursor is not one that a list gave. Start again without it.",
        ),
        metadata={
            "pattern": "^[a-z]{3}_[0-9a-z]{26}$",
            "description": "A page's `nextCursor`.",
        },
    )

    @post_load
    def _merge_cursor(self, query: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {"after": query.pop("cursor", None)} | query


class DocumentQuery(PageQuery):
    content_type = MediaType()
    created_after = Timestamp()
    created_before = Timestamp()


def _event_id(description: str) -> fields.String:
    return fields.String(
        validate=validate.Regexp(r"evt_[0-9a-z]{26}\Z", error="Use the id of an event."),
        metadata={"pattern": "^evt_[0-9a-z]{26}$", "description": description},
    )


class EventQuery(PageQuery):
    after = _event_id("Continue after the event with this id, even if it is deleted.")
    cursor = _event_id("The same as `after`, under the name that other lists use.")
    type = fields.String(validate=validate.OneOf(EVENT_TYPES))
    document_id = Text(1, 100)


_EVENT_TYPES = fields.List(
    fields.String(validate=validate.OneOf(EVENT_TYPES)),
    data_key="events",
    validate=validate.Length(1, len(EVENT_TYPES), error="Name at least one type of events."),
    metadata={"description": "Which events are sent. A new webhook gets all of them if absent."},
)


class NewWebhook(CamelCaseSchema):
    url = Text(1, 2048, required=True, metadata=WEBHOOK_URL)
    types = _EVENT_TYPES
    description = Text(allow_none=True)


class WebhookEdit(CamelCaseSchema):
    url = Text(1, 2048, metadata=WEBHOOK_URL)
    types = _EVENT_TYPES
    description = Text(allow_none=True)
    enabled = StrictBoolean()


class ViewRequest(CamelCaseSchema):
    password = Password(0, 1024, allow_none=True, load_default=None)


class DownloadRequest(CamelCaseSchema):
    password = Password(0, 1024, required=True, metadata={"minLength": 1})


class OEmbedQuery(CamelCaseSchema):
    url = Text(1, 2048, required=True, metadata={"description": "A document's `viewUrl`."})
    format = fields.String(
        load_default="json",
        validate=validate.OneOf(("json", "xml"), error="Use json."),
        metadata={"enum": ["json"]},
    )
    maxwidth = fields.Integer(load_default=10_000, validate=validate.Range(1, 100_000))
    maxheight = fields.Integer(load_default=10_000, validate=validate.Range(1, 100_000))
