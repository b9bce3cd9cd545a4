"""What the API answers about the nouns without a file of their own; errors, lists."""

from functools import cache
from typing import Any

from marshmallow import EXCLUDE, Schema, fields

from models.records import ResultPage

from .fields import Timestamp
from .links import DocumentLinks
from .schema import SHOWN_ONCE, Records, ResponseSchema, Words, described, secret


class Profile(ResponseSchema):
    id = fields.String()
    email = fields.String()
    name = fields.String(allow_none=True)
    created_at = Timestamp()


class LoginResponse(ResponseSchema):
    access_token = fields.String(attribute="token")
    token_type = fields.Constant("Bearer", metadata={"type": "string"})
    expires_in = fields.Integer(**described("Seconds."))
    expires_at = Timestamp()
    user = fields.Nested(Profile)


class ResetResponse(ResponseSchema):
    expires_in = fields.Integer(**described("Seconds that the link in the mail works."))


class SessionRecord(ResponseSchema):
    id = fields.String()
    created_at = Timestamp()
    expires_at = Timestamp()
    client = fields.String(
        allow_none=True, **described("What it was started by, in words: `Firefox on Linux`.")
    )
    last_used_at = Timestamp(allow_none=True, **described("To the minute."))
    current = fields.Boolean(**described("Whether this request uses it."))


class ApiKeyRecord(ResponseSchema):
    id = fields.String()
    name = fields.String(allow_none=True)
    masked_key = fields.String()
    scopes = Words()
    created_at = Timestamp()
    expires_at = Timestamp(allow_none=True)
    last_used_at = Timestamp(allow_none=True)
    revoked_at = Timestamp(allow_none=True)


class ApiKeyWithSecret(ApiKeyRecord):
    key = secret("pk_live_")


class DocumentRecord(ResponseSchema):
    id = fields.String()
    name = fields.String()
    content_type = fields.String()
    size = fields.Integer(**described("Bytes of the original."))
    sha256 = fields.String(**described("Of the original, in hex; empty if damaged or not shown."))
    created_at = Timestamp()
    expires_at = Timestamp(allow_none=True)
    metadata = fields.Dict(values=fields.String())


class UploadResponse(DocumentRecord):
    token = fields.Nested(DocumentLinks, allow_none=True)


class EventRecord(ResponseSchema):
    id = fields.String()
    sequence = fields.Integer(**described("1, 2, 3 … for each owner, without gaps."))
    type = fields.String()
    created_at = Timestamp()
    data = fields.Dict(**described("Ids and facts, never a name or a secret."))
    hash = fields.Function(
        lambda event: event.hash.hex(),
        metadata={
            "type": "string",
            "description": "In hex: of this event and the one before, so a receipt of both.",
        },
    )


class EventPage(ResponseSchema):
    events = Records(EventRecord, attribute="rows")
    next_cursor = fields.String(
        allow_none=True,
        **described(
            "Send it as `after` for the next page. It is null on the last page: poll from there "
            "with the id of the last event."
        ),
    )


class WebhookRecord(ResponseSchema):
    id = fields.String()
    url = fields.String()
    events = Words(attribute="types")
    description = fields.String(allow_none=True)
    enabled = fields.Function(
        lambda webhook: webhook.disabled_at is None, metadata={"type": "boolean"}
    )
    created_at = Timestamp()
    disabled_at = Timestamp(allow_none=True)
    disabled_reason = fields.String(
        allow_none=True,
        **described(
            "`owner`, `gone` (it answered 410), `failing` (for five days) or `unconfirmed`."
        ),
    )
    failing_since = Timestamp(allow_none=True)
    old_secret_until = Timestamp(
        allow_none=True, **described("Until then the previous secret signs as well.")
    )


class WebhookWithSecret(WebhookRecord):
    optional = ("secret",)
    secret = fields.String(**described(f"{SHOWN_ONCE} A webhook that sends mail has none."))


class DeliveryAttempt(ResponseSchema):
    attempted_at = Timestamp()
    status = fields.Integer(allow_none=True)
    duration_ms = fields.Integer()
    error = fields.String(allow_none=True, **described("Why it got no answer."))


class DeliveryRecord(ResponseSchema):
    id = fields.String()
    event_id = fields.String(**described("The header `webhook-id`."))
    type = fields.String()
    state = fields.String(**described("`pending`, `delivered` or `failed`."))
    attempts = fields.Integer()
    created_at = Timestamp()
    attempted_at = Timestamp(allow_none=True)
    delivered_at = Timestamp(allow_none=True)
    next_attempt_at = Timestamp(allow_none=True, attribute="due_at")
    status = fields.Integer(allow_none=True, **described("Of the last answer."))
    duration_ms = fields.Integer(allow_none=True)
    answer = fields.String(
        allow_none=True, **described("The first 1,024 bytes of the last answer.")
    )
    error = fields.String(allow_none=True, **described("Why the last attempt got no answer."))
    history = Records(DeliveryAttempt, **described("The last ten attempts, oldest first."))


def list_page(page: ResultPage) -> dict[str, Any]:
    """What a list's schema is written from."""
    return dict(zip(("rows", "next_cursor"), page, strict=True))


@cache
def list_schema(plural: str, record: type[ResponseSchema]) -> Schema:
    """`{"<plural>": [...], "nextCursor": string or null}`"""
    members: dict[str, fields.Field[Any]] = {
        plural: Records(record, attribute="rows"),
        "next_cursor": fields.String(
            allow_none=True, **described("Send it as `cursor` for the next page; null on the last.")
        ),
    }
    return ResponseSchema.from_dict(members, name=f"{record.__name__}Page")()


class OEmbed(Schema):
    """oEmbed 1.0, section 2.3.4.4, which prescribes the names."""

    version = fields.Constant("1.0", required=True, metadata={"type": "string"})
    type = fields.Constant("rich", required=True, metadata={"type": "string"})
    provider_name = fields.Constant("Document Service", required=True, metadata={"type": "string"})
    title = fields.String(required=True)
    width = fields.Integer(required=True)
    height = fields.Integer(required=True)
    html = fields.String(required=True)

    class Meta:
        unknown = EXCLUDE


class Health(ResponseSchema):
    status = fields.String()
    version = fields.String()


# The pages of a PDF: coordinates are points, from the upper left.
TOP = "How far from the page's upper edge it leads."


class PdfPageText(ResponseSchema):
    number = fields.Integer(**described("From 1."))
    width = fields.Float(**described("Points."))
    height = fields.Float(**described("Points."))
    text = fields.String(**described("The first 20,000 characters."))


class OutlineEntry(ResponseSchema):
    depth = fields.Integer(**described("From 0."))
    title = fields.String()
    page = fields.Integer()
    top = fields.Float(**described(TOP))


class PdfPageList(ResponseSchema):
    total = fields.Integer(**described("How many pages the PDF has."))
    pages = Records(PdfPageText, **described("Up to 64 of them."))
    outline = Records(OutlineEntry, **described("With the first pages only."))
    next_cursor = fields.Integer(
        allow_none=True, **described("Send it as `cursor` for the next pages; null on the last.")
    )


class Placed(ResponseSchema):
    x = fields.Float()
    y = fields.Float()
    width = fields.Float()
    height = fields.Float()


class TextRun(Placed):
    text = fields.String()


class PdfLink(Placed):
    """Either leads to a page or to an address."""

    page = fields.Integer(allow_none=True)
    top = fields.Float(**described(TOP))
    url = fields.String(allow_none=True, **described("Of the web or of mail."))


class DrawnPdfPage(ResponseSchema):
    number = fields.Integer(**described("From 1."))
    width = fields.Float(**described("Points."))
    height = fields.Float(**described("Points."))
    picture = fields.String(**described("A `data:` URI with a PNG or WebP."))
    text = Records(TextRun)
    links = Records(PdfLink)


class ProblemError(ResponseSchema):
    optional = ("in_",)

    pointer = fields.String(**described("Where, as a JSON pointer (RFC 6901)."))
    detail = fields.String()
    in_ = fields.String(data_key="in", **described("`query`, if it is not the body."))


class Problem(ResponseSchema):
    """Problem details (RFC 9457)."""

    optional = ("errors",)

    type = fields.String()
    title = fields.String()
    status = fields.Integer()
    detail = fields.String(**described("What is wrong and how to mend it, for people."))
    code = fields.String(**described("What is wrong, for programs. It never changes."))
    request_id = fields.String()
    errors = Records(ProblemError)
