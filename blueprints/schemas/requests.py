"""What the API takes: JSON bodies and queries of the nouns without a file of their own."""

from collections.abc import Iterable
from typing import Any

from marshmallow import ValidationError, post_load, validate, validates

from models import EVENT_TYPES, PERMISSIONS, SCOPES
from models.links import UPLOAD

from .fields import (
    Email,
    Integer,
    List,
    MediaType,
    Origin,
    Password,
    StrictBoolean,
    StrictInteger,
    String,
    StringMap,
    Text,
    Timestamp,
)
from .guards import ReaderProof
from .schema import CamelCaseSchema, described

METADATA_PAIRS, METADATA_BYTES = 16, 4096
WEBHOOK_URL = described("A public `https` address, or `mailto:` and one of mail.", format="uri")


def _choices(known: Iterable[str], most: int, kind: str, **options: Any) -> List:
    """A list of 1 to `most` of the known words, each of which is a `kind`."""
    length = validate.Length(1, most, error=f"Name at least one {kind}.")
    return List(String(validate=validate.OneOf(known)), validate=length, **options)


def _id(prefix: str, mistake: str, description: str) -> String:
    form = f"{prefix}_[0-9a-z]{{26}}"
    return String(
        validate=validate.Regexp(rf"{form}\Z", error=mistake),
        **described(description, pattern=f"^{form}$"),
    )


class Registration(CamelCaseSchema):
    email = Email(required=True)
    password = Password(0, 4096, required=True, metadata={"maxLength": 1024})
    name = Text(allow_none=True, load_default=None)
    invite = Text(
        allow_none=True,
        load_default=None,
        **described("An invitation's secret. It is for one e-mail address."),
    )


class Login(CamelCaseSchema):
    email = Text(0, 4096, required=True)
    password = Password(0, 4096, required=True)


class PasswordReset(CamelCaseSchema):
    email = Email(required=True)


class PasswordChange(CamelCaseSchema):
    current_password = Password(0, 4096, required=True)
    new_password = Password(0, 4096, required=True, metadata={"maxLength": 1024})


class NewApiKey(CamelCaseSchema):
    name = Text(allow_none=True, load_default=None)
    scopes = _choices(SCOPES, 16, "scope", load_default=list(SCOPES))
    expires_at = Timestamp(allow_none=True, load_default=None)


class ApiKeyRotation(CamelCaseSchema):
    overlap_seconds = StrictInteger(
        0, 604_800, load_default=0, **described("How long the old key stays valid.")
    )


USUAL_FILES = 20  # that a link takes
_MAX_VIEWS = 1, 1_000_000


class DocumentTokenEdit(CamelCaseSchema):
    label = Text(allow_none=True)
    permissions = _choices((*PERMISSIONS, UPLOAD), 8, "permission")
    expires_at = Timestamp(allow_none=True)
    max_views = StrictInteger(
        *_MAX_VIEWS,
        allow_none=True,
        **described("Views so far count. With none left the link is used up."),
    )
    password = Password(1, 1024, allow_none=True, **described("It closes pages opened before."))
    allowed_origins = List(Origin(), validate=validate.Length(max=32, error="At most 32 origins."))
    recipients = List(
        Text(3, 254),
        allow_none=True,
        validate=validate.Length(1, 50, error="Name 1 to 50 addresses."),
        **described("Addresses, or `@example.org`; a code, sent by mail, proves it."),
    )
    agreement = Text(
        *(1, 16_384),
        allow_none=True,
        **described("A text to be accepted, with a name, at each opening."),
    )
    watermark = StrictBoolean(
        allow_none=True,
        **described(
            "Each page carries who opened it, and when; for a link that may view a PDF alone."
        ),
    )


class NewDocumentToken(DocumentTokenEdit):
    """What is absent is not set; but for the permissions, and the end."""

    permissions = _choices(
        (*PERMISSIONS, UPLOAD),
        8,
        "permission",
        load_default=list(PERMISSIONS),
        **described("`upload` stands alone, in a link to a collection: it takes files."),
    )
    expires_at = Timestamp(
        allow_none=True, **described("Seven days from now if absent; null for no end.")
    )
    max_views = StrictInteger(
        *_MAX_VIEWS,
        allow_none=True,
        **described("No limit if absent. Of a link that takes files: how many, 20 if absent."),
    )
    password = Password(1, 1024, allow_none=True)

    @post_load
    def _limit_files(self, body: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {"max_views": USUAL_FILES} | body if UPLOAD in body["permissions"] else body


class LinkEdit(DocumentTokenEdit):
    """`documentId` or `collectionId` becomes `target_id`."""

    document_id = _id("doc", "Use the id of a document.", "What the link opens from now on.")
    collection_id = _id("col", "Use the id of a collection.", "What the link opens from now on.")

    @post_load
    def _merge_target(self, body: dict[str, Any], **_: Any) -> dict[str, Any]:
        targets = [body.pop(name) for name in ("document_id", "collection_id") if name in body]
        if len(targets) > 1:
            raise ValidationError({"collectionId": ["A link opens one of the two."]})
        return body | dict(zip(["target_id"], targets, strict=False))


class DocumentEdit(CamelCaseSchema):
    name = Text(allow_none=True)
    metadata = StringMap(
        keys=Text(),
        values=Text(0, None),
        allow_none=True,
        **described(
            f"Names and values have at most {METADATA_BYTES} bytes in all.",
            maxProperties=METADATA_PAIRS,
        ),
    )
    expires_at = Timestamp(allow_none=True)

    @validates("metadata")
    def _limit_metadata(self, value: dict[str, str] | None, **_: Any) -> None:
        pairs = value or {}
        if len(pairs) > METADATA_PAIRS:
            raise ValidationError(f"At most {METADATA_PAIRS} pairs.")
        if sum(len(key.encode()) + len(pairs[key].encode()) for key in pairs) > METADATA_BYTES:
            raise ValidationError(f"At most {METADATA_BYTES} bytes in all.")


class PageQuery(CamelCaseSchema):
    """Becomes `limit` and `after`, the id of the previous page's last row or None."""

    limit = Integer(1, 100, load_default=50)
    cursor = _id(
        "[a-z]{3}",
        "This cursor is not one that a list gave. Start again without it.",
        "A page's `nextCursor`.",
    )

    @post_load
    def _merge_cursor(self, query: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {"after": query.pop("cursor", None)} | query


class DocumentQuery(PageQuery):
    name = Text(**described("A part of the name, in any case."))
    content_type = MediaType()
    created_after = Timestamp()
    created_before = Timestamp()


class DocumentTokenQuery(PageQuery):
    state = String(
        validate=validate.OneOf(("live", "ended")),
        **described("`live`: neither expired, revoked nor used up; or `ended`."),
    )
    document_id = Text(1, 100)
    collection_id = Text(1, 100)


_NO_EVENT = "Use the id of an event."


class EventQuery(PageQuery):
    after = _id("evt", _NO_EVENT, "Continue after the event with this id, even if it is deleted.")
    cursor = _id("evt", _NO_EVENT, "The same as `after`, under the name that other lists use.")
    type = String(validate=validate.OneOf(EVENT_TYPES))
    document_id = Text(1, 100)
    collection_id = Text(1, 100)


_EVENT_TYPES = _choices(
    EVENT_TYPES,
    len(EVENT_TYPES),
    "type of events",
    data_key="events",
    **described("Which events are sent. A new webhook gets all of them if absent."),
)


class NewWebhook(CamelCaseSchema):
    url = Text(1, 2048, required=True, **WEBHOOK_URL)
    types = _EVENT_TYPES
    description = Text(allow_none=True)


class WebhookEdit(NewWebhook):
    url = Text(1, 2048, **WEBHOOK_URL)
    enabled = StrictBoolean()


class ViewRequest(ReaderProof):
    password = Password(0, 1024, allow_none=True, load_default=None)


class DownloadRequest(ReaderProof):
    """At least one of the two, as a form also neither: a link may need none. A guarded link asks
    for the others.
    """

    password = Password(0, 1024, **described("Of your choice.", minLength=1))
    pdf_password = Password(1, 1024, **described("That of an encrypted PDF."))


class OEmbedQuery(CamelCaseSchema):
    url = Text(1, 2048, required=True, **described("A link's `viewUrl` or `shortUrl`."))
    format = String(
        load_default="json",
        validate=validate.OneOf(("json", "xml"), error="Use json."),
        metadata={"enum": ["json"]},
    )
    maxwidth = Integer(1, 100_000, load_default=10_000)
    maxheight = Integer(1, 100_000, load_default=10_000)


class PdfPagesQuery(CamelCaseSchema):
    cursor = Integer(
        1,
        1_000_000,
        load_default=1,
        **described("A list's `nextCursor`: the number of its first page."),
    )


class PdfPageQuery(CamelCaseSchema):
    scale = Integer(
        2, 4, load_default=2, **described("Pixels a point: more than 2 to print or to enlarge it.")
    )


class PdfPassword(CamelCaseSchema):
    password = Password(0, 1024, required=True, **described("That of the PDF."))
