"""The wire vocabulary, written: every JSON object that the API answers."""

from typing import Any

from marshmallow import EXCLUDE, Schema, fields

from .fields import Timestamp
from .requests import CamelCaseSchema

ONCE = {"description": "Shown this once."}
_TOKEN = ONCE | {"pattern": "^dt_[0-9A-Za-z]{38}$"}


class ResponseSchema(CamelCaseSchema):
    """What we write may gain fields; who reads it passes over those they don't know."""

    class Meta:
        unknown = EXCLUDE


class Profile(ResponseSchema):
    id = fields.String(required=True)
    email = fields.String(required=True)
    name = fields.String(required=True, allow_none=True)
    created_at = Timestamp(required=True)


class LoggedIn(ResponseSchema):
    access_token = fields.String(required=True, attribute="token")
    token_type = fields.Constant("Bearer", required=True, metadata={"type": "string"})
    expires_in = fields.Integer(required=True, metadata={"description": "Seconds."})
    expires_at = Timestamp(required=True)
    user = fields.Nested(Profile, required=True)


class SessionRecord(ResponseSchema):
    id = fields.String(required=True)
    created_at = Timestamp(required=True)
    expires_at = Timestamp(required=True)
    current = fields.Boolean(required=True)


class KeyRecord(ResponseSchema):
    id = fields.String(required=True)
    name = fields.String(required=True, allow_none=True)
    masked_key = fields.String(required=True)
    scopes = fields.Function(
        lambda key: key.scopes.split(),
        required=True,
        metadata={"type": "array", "items": {"type": "string"}},
    )
    created_at = Timestamp(required=True)
    expires_at = Timestamp(required=True, allow_none=True)
    last_used_at = Timestamp(required=True, allow_none=True)
    revoked_at = Timestamp(required=True, allow_none=True)


class IssuedKey(KeyRecord):
    key = fields.String(
        required=True, attribute="secret", metadata=ONCE | {"pattern": "^pk_live_[0-9A-Za-z]{38}$"}
    )


class Links(ResponseSchema):
    id = fields.String(required=True)
    token = fields.String(required=True, attribute="secret", metadata=_TOKEN)
    view_url = fields.String(required=True)
    download_url = fields.String(required=True)
    content_url = fields.String(required=True)
    expires_at = Timestamp(required=True, allow_none=True)


class TokenRecord(ResponseSchema):
    id = fields.String(required=True)
    label = fields.String(required=True, allow_none=True)
    permissions = fields.Function(
        lambda token: token.permissions.split(),
        required=True,
        metadata={"type": "array", "items": {"type": "string"}},
    )
    expires_at = Timestamp(required=True, allow_none=True)
    max_views = fields.Integer(required=True, allow_none=True)
    views = fields.Integer(required=True)
    has_password = fields.Boolean(required=True)
    allowed_origins = fields.Function(
        lambda token: token.allowed_origins.split(),
        required=True,
        metadata={"type": "array", "items": {"type": "string"}},
    )
    created_at = Timestamp(required=True)
    last_used_at = Timestamp(required=True, allow_none=True)
    revoked_at = Timestamp(required=True, allow_none=True)
    masked_token = fields.String(required=True)


class IssuedToken(TokenRecord):
    token = fields.String(required=True, attribute="secret", metadata=_TOKEN)
    view_url = fields.String(required=True)
    download_url = fields.String(required=True)
    content_url = fields.String(required=True)
    embed_html = fields.String(required=True)


class DocumentRecord(ResponseSchema):
    id = fields.String(required=True)
    name = fields.String(required=True)
    content_type = fields.String(required=True)
    size = fields.Integer(required=True, metadata={"description": "Bytes of the original."})
    sha256 = fields.String(
        required=True,
        metadata={"description": "Of the original, in hex; empty in a list if it was altered."},
    )
    created_at = Timestamp(required=True)
    expires_at = Timestamp(required=True, allow_none=True)
    metadata = fields.Dict(required=True)


class Uploaded(DocumentRecord):
    token = fields.Nested(Links, required=True, allow_none=True)


def listed(plural: str, record: type[ResponseSchema]) -> Schema:
    """`{"<plural>": [...], "nextCursor": string or null}`"""
    members: dict[str, fields.Field[Any]] = {
        plural: fields.List(fields.Nested(record), required=True),
        "next_cursor": fields.String(required=True, allow_none=True),
    }
    return ResponseSchema.from_dict(members, name=f"{record.__name__}Page")()


class OEmbed(Schema):
    """oEmbed 1.0, section 2.3.4.4; its names are not ours."""

    version = fields.Constant("1.0", required=True)
    type = fields.Constant("rich", required=True)
    provider_name = fields.Constant("Document Service", required=True)
    title = fields.String(required=True)
    width = fields.Integer(required=True)
    height = fields.Integer(required=True)
    html = fields.String(required=True)

    class Meta:
        unknown = EXCLUDE


class Health(ResponseSchema):
    status = fields.String(required=True)
    version = fields.String(required=True)


class ProblemError(ResponseSchema):
    pointer = fields.String(required=True)
    detail = fields.String(required=True)
    in_ = fields.String(data_key="in")


class Problem(ResponseSchema):
    """RFC 9457."""

    type = fields.String(required=True)
    title = fields.String(required=True)
    status = fields.Integer(required=True)
    detail = fields.String(required=True)
    code = fields.String(required=True)
    request_id = fields.String(required=True)
    errors = fields.List(fields.Nested(ProblemError))
