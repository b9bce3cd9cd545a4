"""Responses of the API: records by noun, lists, errors."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import repeat
from typing import Any, ClassVar, NamedTuple

from marshmallow import EXCLUDE, Schema, fields, missing

from models import (
    ApiKey,
    Collection,
    Document,
    DocumentToken,
    RowWith,
    Session,
    User,
    Webhook,
    WebhookDelivery,
)
from models.accounts import Identity, Member
from models.documents import UnfinishedUpload
from models.links import Opening
from models.records import ResultPage, SealedRow

from .fields import MAX_BYTES, CamelCaseSchema, Timestamp, described

_JSON_ALREADY = (fields.String, fields.Integer, fields.Dict)
NONE_OF_FILES = "Null, as the others below, of a link that takes files."


@dataclass(frozen=True)
class Shown:
    """What a record shows of the rows of a table: all that a row says, but `not_shown`.

    `not_shown` has the reason of each. `otherwise` has the field, or several with a space between
    them, by which a value is shown that is no field itself.
    """

    table: type[SealedRow]
    not_shown: Mapping[str, str]
    otherwise: Mapping[str, str] = field(default_factory=dict)


class _Members(NamedTuple):
    """The attributes of which a record is made, and their names in JSON.

    `others` are those whose values have to be made JSON: attribute, name and field.
    """

    names: list[str]
    keys: list[str]
    others: list[tuple[str, str, fields.Field[Any]]]


class ResponseSchema(CamelCaseSchema):
    """A response: every field is present, but for those named in `optional`.

    Clients ignore unknown fields.
    """

    optional: tuple[str, ...] = ()
    shown: ClassVar[Shown | None] = None  # of a record of a row

    @classmethod
    def undecided(cls) -> set[str]:
        """Return the values of a row that the record neither shows nor leaves out on purpose."""
        if cls.shown is None:
            return set()
        shown = {field.attribute or name for name, field in cls._declared_fields.items()}
        decided = {*shown, *cls.shown.otherwise, *cls.shown.not_shown}
        return set(cls.shown.table.value_names()) - decided

    class Meta:
        unknown = EXCLUDE

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        super().on_bind_field(field_name, field_obj)
        field_obj.required = field_name not in self.optional

    def dump(self, obj: Any, *, many: bool | None = None) -> Any:
        """Return the record as marshmallow does, but names are no paths, and there are no hooks.

        A list of 50 takes 12 % more processor time with marshmallow's own method.
        """
        if obj is None or many:
            return super().dump(obj, many=many)
        names, keys, others = self._members
        record = dict(zip(keys, _values(obj, names), strict=True))
        for name, key, its_field in others:
            if record[key] is not missing or not its_field._CHECK_ATTRIBUTE:
                record[key] = its_field._serialize(record[key], name, obj)
        if missing in record.values():
            return {key: value for key, value in record.items() if value is not missing}
        return record

    @cached_property
    def _members(self) -> _Members:
        found = [
            (field.attribute or name, field.data_key or name, field)
            for name, field in self.dump_fields.items()
        ]
        others = [member for member in found if type(member[2]) not in _JSON_ALREADY]
        return _Members([name for name, _, _ in found], [key for _, key, _ in found], others)


def _values(obj: Any, names: list[str]) -> Iterable[Any]:
    """Return the value that the object has by each name, `missing` where it has none."""
    if isinstance(obj, dict):
        return map(obj.get, names, repeat(missing))
    holders = obj.holders_of(names) if isinstance(obj, RowWith) else repeat(obj)
    return map(getattr, holders, names, repeat(missing))


class Records(fields.List[Any]):
    """A list of objects with the same schema."""

    def __init__(self, schema: type[Schema], **options: Any) -> None:
        super().__init__(fields.Nested(schema), **options)
        self._dump = schema().dump

    def _serialize(self, value: Any, *_: Any, **__: Any) -> list[Any] | None:
        return None if value is None else list(map(self._dump, value))


class Words(fields.List[str]):
    """A list of strings, kept as one string with spaces between them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(fields.String(), **options)

    def _serialize(self, value: Any, *_: Any, **__: Any) -> list[str]:
        return str(value).split()


SHOWN_ONCE = "Shown this once."


def secret(prefix: str) -> fields.String:
    pattern = f"^{prefix}[0-9A-Za-z]{{38}}$"
    return fields.String(attribute="secret", **described(SHOWN_ONCE, pattern=pattern))


OWN = "the caller's own"
INSIDE = "how the service stores it"
A_SECRET = "a secret, or what one is compared with"  # noqa: S105


class UserRecord(ResponseSchema):
    id = fields.String()
    email = fields.String()
    name = fields.String(allow_none=True)
    created_at = Timestamp()


class Profile(UserRecord):
    shown = Shown(
        User,
        {
            "email_folded": INSIDE,
            "disabled_at": "who is disabled gets no answer",
            "login_generation": INSIDE,
            "received_seen_at": "what the page of requests has marked as seen",
            "made_by": "of a space: its members are listed, not who has made it",
            "let_in_by": "for the operator",
            "password_digest": A_SECRET,
        },
    )
    show_name = fields.Boolean(
        attribute="shows_name",
        **described("Whether readers of the user's links see name and address."),
    )


class StoredRecord(ResponseSchema):
    document_count = fields.Integer(
        attribute="documents", **described("Documents, with those in the bin.")
    )
    size = fields.Integer(attribute="size_bytes", **described("Bytes of their originals."))
    binned_count = fields.Integer(attribute="binned", **described("Documents in the bin."))


OF_SPACE_SESSION = "Of the session of a space alone."


class Myself(Profile):
    """The account of a person, or the space and the person who acts as it."""

    optional = ("email", "created_at", "show_name", "stored", "role", "acting_for")

    stored = fields.Nested(
        StoredRecord, **described("How much the account has stored. Of a person alone.")
    )
    role = fields.String(**described(OF_SPACE_SESSION))
    acting_for = fields.Nested(UserRecord, **described(f"The person who acts. {OF_SPACE_SESSION}"))


class InviterRecord(ResponseSchema):
    id = fields.String()
    email = fields.String()
    name = fields.String(allow_none=True)


class SpaceRecord(ResponseSchema):
    optional = ("inviter",)

    id = fields.String()
    name = fields.String()
    role = fields.String(**described("Of the caller: `read`, `write` or `manage`."))
    created_at = Timestamp()
    inviter = fields.Nested(
        InviterRecord,
        allow_none=True,
        **described("Who has added the caller. Of a space alone that waits for the caller."),
    )


class MemberRecord(ResponseSchema):
    shown = Shown(
        Member,
        {
            "id": "a member is named by the person's id",
            "owner_id": "the space in the path",
            "inviter_id": "for the person who was added, who sees it as `inviter` of the space",
        },
        {"accepted_at": "accepted_at"},
    )
    user_id = fields.String()
    email = fields.String()
    name = fields.String(allow_none=True)
    role = fields.String(**described("`read`, `write` or `manage`."))
    created_at = Timestamp(**described("When the person was added."))
    accepted_at = Timestamp(
        attribute="entered_at",
        allow_none=True,
        **described("When the person became a member, by entering the space. Null: not yet."),
    )


class NewSessionResponse(ResponseSchema):
    access_token = fields.String(attribute="token")
    token_type = fields.Constant("Bearer", metadata={"type": "string"})
    expires_in = fields.Integer(**described("Seconds."))
    expires_at = Timestamp()


class LoginResponse(NewSessionResponse):
    user = fields.Nested(UserRecord)


class SpaceLoginResponse(NewSessionResponse):
    space = fields.Nested(SpaceRecord)


class ResetResponse(ResponseSchema):
    expires_in = fields.Integer(**described("Seconds that the link in the mail works."))


class SessionRecord(ResponseSchema):
    shown = Shown(
        Session,
        {
            "login_generation": INSIDE,
            "identity_id": INSIDE,
            "begun_by_id": "the session ends with that one, which stands in the same list",
        },
        {"owner_id": "space_id", "acting_user_id": "user_id"},
    )
    optional = ("user_id", "space_id")

    id = fields.String()
    created_at = Timestamp()
    expires_at = Timestamp()
    client = fields.String(
        allow_none=True, **described("What it was started by, in words: `Firefox on Linux`.")
    )
    last_used_at = Timestamp(allow_none=True, **described("To the minute."))
    current = fields.Boolean(**described("Whether this request uses it."))
    user_id = fields.String(**described(f"The member who acts. {OF_SPACE_SESSION}"))
    space_id = fields.String(
        **described("The space as which the caller acts by it. Of a session of a space alone.")
    )


class IdentityRecord(ResponseSchema):
    shown = Shown(Identity, {"owner_id": OWN, "bound_by": "for the operator"})

    id = fields.String()
    issuer = fields.String()
    subject = fields.String()
    created_at = Timestamp()
    last_used_at = Timestamp(allow_none=True)


class ApiKeyRecord(ResponseSchema):
    shown = Shown(ApiKey, {"owner_id": OWN, "digest": A_SECRET}, {"made_by": "maker_id"})
    optional = ("maker_id",)

    id = fields.String()
    name = fields.String(allow_none=True)
    masked_key = fields.String()
    scopes = Words()
    created_at = Timestamp()
    expires_at = Timestamp(allow_none=True)
    last_used_at = Timestamp(allow_none=True)
    revoked_at = Timestamp(allow_none=True)
    maker_id = fields.String(
        allow_none=True, **described("In a list of a space: the member who made the key, if known.")
    )


class ApiKeyWithSecret(ApiKeyRecord):
    key = secret("pk_live_")


class DocumentRecord(ResponseSchema):
    shown = Shown(
        Document,
        {
            "owner_id": OWN,
            "media_type": "a part of the content type",
            "payload_head": INSIDE,
            "place": INSIDE,
            "crc32": INSIDE,
            "binned_at": "what is in the bin is not there for the API",
            "came_by": "events tell by which link it came",
            "uploader_id": "events tell who has uploaded it",
        },
        {"given_name": "name", "given_metadata": "metadata"},
    )

    id = fields.String()
    name = fields.String()
    content_type = fields.String()
    size = fields.Integer(**described("Bytes of the original."))
    sha256 = fields.String(**described("Of the original, in hex; empty if not shown."))
    created_at = Timestamp()
    expires_at = Timestamp(allow_none=True)
    metadata = fields.Dict(values=fields.String())


class Addresses(ResponseSchema):
    token = secret("dt_")
    short_url = fields.String(
        **described("Opens what the link opens, whatever that is then.", format="uri")
    )
    view_url = fields.String(allow_none=True, **described(NONE_OF_FILES, format="uri"))
    download_url = fields.String(
        allow_none=True,
        **described("Null as well where an HTML file cannot hold the originals.", format="uri"),
    )
    content_url = fields.String(allow_none=True, metadata={"format": "uri"})


class DocumentLinks(Addresses):
    id = fields.String()
    expires_at = Timestamp(allow_none=True)


class DocumentTokenRecord(ResponseSchema):
    shown = Shown(
        DocumentToken,
        {
            "owner_id": OWN,
            "digest": A_SECRET,
            "kept_secret": A_SECRET,
            "answers_id": INSIDE,
            "with_upload": INSIDE,
            "spent_at": "events tell when it was used up",
            "sent_at": "events tell that it was sent",
        },
        {
            "target_id": "document_id collection_id",
            "password_digest": "has_password",
            "questions": "recipients agreement_sha256 watermark",
            "name_hidden": "hide_name",
            "disabled_at": "enabled",
        },
    )

    id = fields.String()
    document_id = fields.String(allow_none=True, **described("Null if it opens a collection."))
    collection_id = fields.String(allow_none=True, **described("Null if it opens a document."))
    label = fields.String(allow_none=True)
    permissions = Words()
    expires_at = Timestamp(allow_none=True)
    max_views = fields.Integer(allow_none=True)
    views = fields.Integer()
    has_password = fields.Boolean()
    allowed_origins = Words()
    recipients = fields.List(
        fields.String(),
        **described("Who may open it; empty for anybody who has the link."),
    )
    agreement_sha256 = fields.String(
        allow_none=True,
        data_key="agreementSha256",
        **described("Of the text that is to be accepted."),
    )
    watermark = fields.Boolean(**described("Whether each page carries who opened it, and when."))
    hide_name = fields.Boolean(
        attribute="hides_name",
        **described("Whether a page that asks for something first names nothing that it opens."),
    )
    notify_owner = fields.Boolean(
        attribute="notifies_owner",
        **described("Whether its owner gets a mail when it is opened, or takes a file."),
    )
    enabled = fields.Boolean(
        **described("False while its owner has turned it off: it then opens nothing.")
    )
    created_at = Timestamp()
    last_used_at = Timestamp(allow_none=True)
    revoked_at = Timestamp(allow_none=True)
    masked_token = fields.String()


class SentLinkRecord(ResponseSchema):
    sent_to = fields.List(fields.String(), **described("The addresses that get a mail."))
    not_sent_to = fields.List(
        fields.String(), **described("Those that get none now, as a limit of mails is reached.")
    )


class CodeSent(ResponseSchema):
    expires_at = Timestamp(**described("A code that was sent works until then."))


class OpeningRecord(ResponseSchema):
    shown = Shown(
        Opening,
        {"owner_id": OWN, "token_id": "the link in the path"},
        {"target_id": "document_id collection_id"},
    )

    id = fields.String()
    opened_at = Timestamp(attribute="created_at")
    recipient_id = fields.String(allow_none=True)
    recipient = fields.String(
        allow_none=True, attribute="address", **described("The verified address.")
    )
    name = fields.String(allow_none=True, **described("As the reader has written it."))
    document_id = fields.String(allow_none=True, **described("What the link has opened then,"))
    collection_id = fields.String(allow_none=True, **described("one of the two."))
    salt = fields.String(**described("In hex; `reader` of events is made with it."))
    agreement_sha256 = fields.String(allow_none=True, data_key="agreementSha256")
    sequence = fields.Integer(
        allow_none=True, **described("The number of the `agreement.accepted` event.")
    )


class DocumentTokenWithSecret(DocumentTokenRecord, Addresses):
    embed_html = fields.String(
        allow_none=True, **described("An `iframe` that shows what the link opens.")
    )


class DocumentOfLink(ResponseSchema):
    id = fields.String()
    name = fields.String()
    content_type = fields.String()
    size = fields.Integer(**described("Bytes of the original."))
    sha256 = fields.String(**described("Of the original, in hex."))
    view_url = fields.String(allow_none=True, metadata={"format": "uri"})
    content_url = fields.String(allow_none=True, metadata={"format": "uri"})


class LinkContents(ResponseSchema):
    """The contents of a link. Behind a prompt `title`, `note` and `documents` are null."""

    optional = (
        "documents",
        "upload_url",
        "uploads_url",
        "files_left",
        "bytes_left",
        "max_file_bytes",
        "max_upload_bytes",
        "asks",
        "agreement",
        "agreement_sha256",
        "watermark",
        "receipt_url",
    )

    kind = fields.String(**described("`document`, `collection`, or `upload`: it takes files."))
    title = fields.String(allow_none=True)
    note = fields.String(allow_none=True)
    permissions = Words()
    expires_at = Timestamp(allow_none=True)
    has_password = fields.Boolean()
    views_left = fields.Integer(allow_none=True, **described("Null if views are not counted."))
    documents = Records(
        DocumentOfLink,
        allow_none=True,
        **described("An address that the permissions forbid is null."),
    )
    upload_url = fields.String(
        allow_none=True,
        **described("Where files are sent, one a request; null before the password.", format="uri"),
    )
    uploads_url = fields.String(
        allow_none=True,
        **described("Where files are sent in pieces; null before the password.", format="uri"),
    )
    files_left = fields.Integer()
    bytes_left = fields.Integer(**described("Of all files together."))
    max_file_bytes = fields.Integer(**described("Of a file that comes in one request."))
    max_upload_bytes = fields.Integer(**described("Of a file that comes in pieces."))
    asks = fields.List(
        fields.String(),
        **described("Of a guarded link, as the next four: the fields that open it."),
    )
    agreement = fields.String(allow_none=True, **described("The text that is to be accepted."))
    agreement_sha256 = fields.String(
        allow_none=True, data_key="agreementSha256", **described("What `accept` is to be.")
    )
    watermark = fields.Boolean(**described("Whether pages carry who has opened them, and when."))
    receipt_url = fields.String(
        allow_none=True,
        **described("Of what was accepted; null before, or if nothing was.", format="uri"),
    )


class ReceiptOfFile(ResponseSchema):
    name = fields.String()
    size = fields.Integer()
    sha256 = fields.String()
    received_at = Timestamp()
    event_id = fields.String()
    event_hash = fields.String(**described("A receipt of the owner's log, in hex."))
    files_left = fields.Integer()
    bytes_left = fields.Integer()


class UploadResponse(DocumentRecord):
    token = fields.Nested(DocumentLinks, allow_none=True)


class UnfinishedUploadRecord(ResponseSchema):
    """An upload in pieces, while it is not finished."""

    id = fields.String()
    name = fields.String(
        allow_none=True,
        **described("For the credential that began it, and for those who may read; else null."),
    )
    size = fields.Integer(**described("Bytes of the whole file."))
    received = fields.Integer(**described("Bytes that have arrived, and are stored."))
    created_at = Timestamp()
    expires_at = Timestamp(**described("Until then it is kept without another byte."))
    document_id = fields.String(allow_none=True, **described("Null until it is finished."))


class FailedUpload(ResponseSchema):
    code = fields.String(**described("That of the error by which no document was stored."))


class UploadRecord(UnfinishedUploadRecord):
    optional = ("failed",)
    shown = Shown(
        UnfinishedUpload,
        {
            "owner_id": OWN,
            "came_by": "those by links are not the owner's to go on with",
            "rest": INSIDE,
            "begun_by_id": INSIDE,
            "uploader_id": "a member sees what this member has begun",
            "metadata_sent": "the header of HEAD",
            "crc32": INSIDE,
            "last_actor": INSIDE,
        },
        {"given": "name", "result": "failed"},
    )

    document = fields.Nested(
        UploadResponse,
        allow_none=True,
        **described("As the answer to an upload has it; `token` for whoever began it alone."),
    )
    failed = fields.Nested(
        FailedUpload, **described("If all has arrived, and no document could be stored.")
    )


class SentUploadRecord(ResponseSchema):
    """An upload in pieces by a link, as its ticket shows it."""

    optional = ("failed",)

    id = fields.String()
    size = fields.Integer(**described("Bytes of the whole file."))
    received = fields.Integer(**described("Bytes that have arrived, and are stored."))
    expires_at = Timestamp(**described("Until then it is kept without another byte."))
    receipt = fields.Nested(
        ReceiptOfFile, allow_none=True, **described("Null until the file is stored.")
    )
    failed = fields.Nested(
        FailedUpload, **described("If all has arrived, and the file could not be stored.")
    )


class CollectionRecord(ResponseSchema):
    shown = Shown(Collection, {"owner_id": OWN}, {"documents_listed": "document_count"})

    id = fields.String()
    title = fields.String()
    note = fields.String(allow_none=True)
    document_count = fields.Integer()
    size = fields.Integer(**described("Bytes of its documents."))
    max_bytes = fields.Integer(**MAX_BYTES)
    created_at = Timestamp()


class CollectionWithDocuments(CollectionRecord):
    documents = Records(DocumentRecord, **described("In order."))


class NewCollectionResponse(CollectionWithDocuments):
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
    shown = Shown(Webhook, {"owner_id": OWN}, {"secrets": "old_secret_until"})

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
    shown = Shown(
        WebhookDelivery,
        {
            "owner_id": OWN,
            "webhook_id": "the webhook in the path",
            "event_digest": INSIDE,
        },
        {"attempts_kept": "history"},
    )

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


def list_page(page: ResultPage[Any]) -> dict[str, Any]:
    """Return the object that a list's schema writes."""
    rows, next_cursor = page
    return {"rows": rows, "next_cursor": next_cursor}


@cache
def list_schema(plural: str, schema: type[ResponseSchema]) -> Schema:
    """Return a schema for `{"<plural>": [...], "nextCursor": string or null}`."""
    members: dict[str, fields.Field[Any]] = {
        plural: Records(schema, attribute="rows"),
        "next_cursor": fields.String(
            allow_none=True, **described("Send it as `cursor` for the next page; null on the last.")
        ),
    }
    return ResponseSchema.from_dict(members, name=f"{schema.__name__}Page")()


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
    """A link in a PDF: it leads either to a page or to an address."""

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
