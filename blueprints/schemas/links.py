"""What the API answers about links: their records, their addresses, what they open."""

from marshmallow import fields

from .fields import Timestamp
from .schema import Records, ResponseSchema, Words, described, secret

NONE_OF_FILES = "Null, as the others below, of a link that takes files."


class Addresses(ResponseSchema):
    token = secret("dt_")
    short_url = fields.String(
        **described("Opens what the link opens, whatever that is then.", format="uri")
    )
    view_url = fields.String(allow_none=True, **described(NONE_OF_FILES, format="uri"))
    download_url = fields.String(allow_none=True, metadata={"format": "uri"})
    content_url = fields.String(allow_none=True, metadata={"format": "uri"})


class DocumentLinks(Addresses):
    id = fields.String()
    expires_at = Timestamp(allow_none=True)


class DocumentTokenRecord(ResponseSchema):
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
    created_at = Timestamp()
    last_used_at = Timestamp(allow_none=True)
    revoked_at = Timestamp(allow_none=True)
    masked_token = fields.String()


class CodeSent(ResponseSchema):
    expires_at = Timestamp(**described("A code that was sent works until then."))


class OpeningRecord(ResponseSchema):
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
    """What a link opens. Behind a prompt `title`, `note` and `documents` are null."""

    optional = (
        *("documents", "upload_url", "files_left", "bytes_left", "max_file_bytes"),
        *("asks", "agreement", "agreement_sha256", "watermark", "receipt_url"),
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
    files_left = fields.Integer()
    bytes_left = fields.Integer(**described("Of all files together."))
    max_file_bytes = fields.Integer()
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
