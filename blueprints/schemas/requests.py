"""Requests of the API: JSON bodies, the parts of forms, and queries."""

import codecs
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from typing import Any, cast

from marshmallow import (
    EXCLUDE,
    Schema,
    ValidationError,
    fields,
    post_load,
    pre_load,
    validate,
)
from werkzeug.http import parse_options_header

import viewer
from models import EVENT_TYPES, PERMISSIONS, SCOPES
from models.accounts import ROLES
from models.core import is_seen
from models.documents import MOST_DOCUMENTS
from models.links import MOST_NOTE_CHARACTERS, UPLOAD

from ..http import is_form
from ..http.base64_payload import Base64Payload
from ..http.body import SMALL_BODY_BYTES, FieldsTooLarge, LongString, parse_json
from ..http.multipart import Part, last_name
from ..http.problems import MalformedJson
from .fields import (
    MAX_BYTES,
    Base64,
    CamelCaseSchema,
    Email,
    File,
    Folder,
    Integer,
    List,
    LowerCase,
    MediaType,
    Metadata,
    Name,
    Origin,
    Password,
    QueryBoolean,
    StrictBoolean,
    StrictInteger,
    String,
    StringMap,
    Text,
    Timestamp,
    described,
    loaded_field_by_field,
)

METADATA_PAIRS = 16
METADATA_BYTES = 4096
USUAL_FILES = 20  # the usual number of files that a link takes
_NO_EVENT = "Use the id of an event."
_CHARSET = "_charset_"  # a part that names the charset of the texts
_MOST_CHARSET_BYTES = 40
_UNICODE = ("utf-8", "us-ascii", "utf-16", "utf-16le", "utf-16be")
_ISO_8859 = tuple(f"iso-8859-{part}" for part in (1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16))
_WINDOWS = tuple(f"windows-{page}" for page in range(1250, 1259))
_OTHERS = ("cp874", "koi8-r", "koi8-u", "cp866", "mac-roman")
_ASIAN = ("gbk", "gb2312", "gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr")
# The charsets of texts in forms: those that browsers know (Encoding standard, section 4.2).
_CHARSETS = _UNICODE + _ISO_8859 + _WINDOWS + _OTHERS + _ASIAN


class Edit(CamelCaseSchema):
    """Changes: no field is required, and an absent field stays as it is."""

    def __init__(self, **options: Any) -> None:
        super().__init__(partial=True, **options)


def _choices(known: Iterable[str], most: int, kind: str, **options: Any) -> List:
    """Return a field for a list of 1 to `most` of the known words, each of which is a `kind`."""
    length = validate.Length(1, most, error=f"Name at least one {kind}.")
    return List(String(validate=validate.OneOf(known)), validate=length, **options)


def _id(prefix: str, mistake: str, description: str) -> String:
    form = f"{prefix}_[0-9a-z]{{26}}"
    return String(
        validate=validate.Regexp(rf"{form}\Z", error=mistake),
        **described(description, pattern=f"^{form}$"),
    )


# Accounts and keys


class Registration(CamelCaseSchema):
    email = Email(required=True)
    password = Password(0, 4096, required=True, metadata={"maxLength": 1024})
    name = Name(allow_none=True, load_default=None)
    invite = Text(
        allow_none=True,
        load_default=None,
        **described("An invitation's secret. It is for one e-mail address."),
    )


class ProfileEdit(Edit):
    name = Name(allow_none=True)
    show_name = StrictBoolean(
        attribute="shows_name",
        **described("Whether readers of your links see your name and address."),
    )


class Login(CamelCaseSchema):
    email = Text(0, 4096, required=True)
    password = Password(0, 4096, required=True)


class PasswordReset(CamelCaseSchema):
    email = Email(required=True)


class PasswordChange(CamelCaseSchema):
    current_password = Password(0, 4096, required=True)
    new_password = Password(0, 4096, required=True, metadata={"maxLength": 1024})


class NewSpace(CamelCaseSchema):
    name = Name(1, 100, required=True)


class MemberEdit(CamelCaseSchema):
    role = String(required=True, validate=validate.OneOf(ROLES))


class NewMember(MemberEdit):
    email = Email(required=True)


class NewApiKey(CamelCaseSchema):
    name = Name(allow_none=True, load_default=None)
    scopes = _choices(SCOPES, 16, "scope", load_default=list(SCOPES))
    expires_at = Timestamp(allow_none=True, load_default=None)


class ApiKeyRotation(CamelCaseSchema):
    overlap_seconds = StrictInteger(
        0, 604_800, load_default=0, **described("How long the old key stays valid.")
    )


# Links


class NewDocumentToken(CamelCaseSchema):
    """The permissions of a link, and its terms."""

    label = Name(allow_none=True)
    permissions = _choices(
        (*PERMISSIONS, UPLOAD),
        8,
        "permission",
        load_default=list(PERMISSIONS),
        **described("`upload` stands alone, in a link to a collection: it takes files."),
    )
    expires_at = Timestamp(
        allow_none=True,
        **described("Null for no end. A new link ends in seven days if this is absent."),
    )
    max_views = StrictInteger(
        1,
        1_000_000,
        allow_none=True,
        **described(
            "Null for no limit; with none left the link is used up. Of a link that takes files: "
            "how many, 20 if absent in a new one."
        ),
    )
    password = Password(
        1, 1024, allow_none=True, **described("A new one closes pages opened before.")
    )
    allowed_origins = List(Origin(), validate=validate.Length(max=32, error="At most 32 origins."))
    recipients = List(
        Text(3, 254),
        allow_none=True,
        validate=validate.Length(1, 50, error="Name 1 to 50 addresses."),
        **described("Addresses, or `@example.org`; a code, sent by mail, proves it."),
    )
    agreement = Text(
        1,
        16_384,
        allow_none=True,
        **described("A text to be accepted, with a name, at each opening."),
    )
    watermark = StrictBoolean(
        allow_none=True,
        **described(
            "Each page carries who opened it, and when; for a link that may view a PDF alone."
        ),
    )
    hide_name = StrictBoolean(
        allow_none=True,
        attribute="hides_name",
        **described(
            "A page that asks for something first does not name what it opens. With recipients "
            "no page does."
        ),
    )
    notify_owner = StrictBoolean(
        allow_none=True,
        attribute="notifies_owner",
        **described(
            "You get a mail when it is opened, or takes a file: once in 24 hours for each reader. "
            "Your address is asked first."
        ),
    )

    @post_load
    def _limit_files(self, body: dict[str, Any], *, partial: Any, **_: Any) -> dict[str, Any]:
        takes_files = not partial and UPLOAD in body["permissions"]
        return {"max_views": USUAL_FILES} | body if takes_files else body


class DocumentTokenEdit(Edit, NewDocumentToken):
    """Terms of a link that change."""

    enabled = StrictBoolean(
        **described("False turns the link off: it opens nothing until it is turned on again.")
    )


class LinkEdit(DocumentTokenEdit):
    """Changes of a link; `documentId` or `collectionId` becomes `target_id`."""

    document_id = _id("doc", "Use the id of a document.", "What the link opens from now on.")
    collection_id = _id("col", "Use the id of a collection.", "What the link opens from now on.")

    @post_load
    def _merge_target(self, body: dict[str, Any], **_: Any) -> dict[str, Any]:
        targets = [body.pop(name) for name in ("document_id", "collection_id") if name in body]
        if len(targets) > 1:
            raise ValidationError({"collectionId": ["A link opens one of the two."]})
        return body | {"target_id": targets[0]} if targets else body


# Requests of a link's reader


class Line(Text):
    bounds = (0, 200)
    form = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029]*")
    mistake = "Write the name in one line."


class LinkNote(CamelCaseSchema):
    """A line of text that is sent with a link."""

    note = Line(
        0,
        MOST_NOTE_CHARACTERS,
        allow_none=True,
        load_default=None,
        **described("A line of text that stands in the mail."),
    )


class ReaderProof(CamelCaseSchema):
    """The proof that a guarded link asks for beside a password."""

    email = Text(0, 254, **described("One of the link's recipients."))
    code = Text(0, 40, **described("That the address got by mail. Spaces are passed over."))
    name = Line(**described("Whoever accepts the agreement."))
    accept = Text(0, 64, **described("The `agreementSha256` of the text that is accepted."))


class CodeRequest(CamelCaseSchema):
    email = Email(required=True)

    @pre_load
    def _leave_rest(self, body: Any, **_: Any) -> Any:
        """Return the address alone: a form may also hold the fields that are sent with the code."""
        return {"email": body.get("email")} if is_form() else body


class ViewRequest(ReaderProof):
    password = Password(0, 1024, allow_none=True, load_default=None)


class DownloadRequest(ReaderProof):
    """The passwords of a saved file, and the proof that a guarded link asks for.

    JSON needs at least one of the two passwords; a form may have neither, as a link may need none.
    """

    password = Password(0, 1024, **described("Of your choice.", minLength=1))
    pdf_password = Password(1, 1024, **described("That of an encrypted PDF."))


# Documents and uploads


def _limit_metadata(pairs: dict[str, str]) -> None:
    if len(pairs) > METADATA_PAIRS:
        raise ValidationError(f"At most {METADATA_PAIRS} pairs.")
    if sum(len(key.encode()) + len(pairs[key].encode()) for key in pairs) > METADATA_BYTES:
        raise ValidationError(f"At most {METADATA_BYTES} bytes in all.")


class DocumentEdit(CamelCaseSchema):
    name = Name(allow_none=True)
    metadata = Metadata(
        keys=Text(),
        values=Text(0, None),
        validate=_limit_metadata,
        allow_none=True,
        **described(
            f"Names and values have at most {METADATA_BYTES} bytes in all. `path` is the folder of "
            "the file in a ZIP file.",
            maxProperties=METADATA_PAIRS,
        ),
    )
    expires_at = Timestamp(allow_none=True)


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
    """The JSON object of an upload."""

    payload = Base64(required=True)
    content_type = MediaType(required=True)

    def load(self, data: Any, **options: Any) -> Any:
        """Load the object. Report a long payload's error together with those of other fields."""
        if isinstance(data, dict):
            with suppress(ValidationError):
                return loaded_field_by_field(self, data)
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
    name = Name(**described("The part's `filename` if absent."))
    content_type = MediaType(
        **described(
            "The part's `Content-Type` if absent; if that is absent or generic, what the name and "
            "the first bytes say."
        )
    )
    expires_at = Timestamp()

    @pre_load
    def _read_parts(self, parts: list[Part], **_: Any) -> dict[str, Any]:
        """Return the values by name. The header of the file's part stands in for absent values."""
        read = _values(self, parts)
        file = read.get("file")
        said = {"name": _seen_name(file), "contentType": file.content_type} if file else {}
        return {name: value for name, value in said.items() if value} | read

    @post_load
    def _detect_type(self, body: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Detect a missing or generic content type by the name and the first bytes of the file."""
        file = body["payload"]
        if viewer.is_generic(body.setdefault("content_type", "")):
            named = viewer.type_of_name(body.get("name", "")) or viewer.type_of_name(file.filename)
            body["content_type"] = viewer.detect(named, file.content.head(viewer.FIRST_BYTES))
        return body


_UPLOAD_FORM = UploadForm()
_IS_SHA256 = validate.Regexp(r"[0-9a-f]{64}\Z", error="Use 64 characters of hex.")
_OTHER_NAMES = {"name": "filename", "type": "filetype"}  # that some clients send


class UploadMetadata(NewDocument):
    """The values of an upload in pieces. `load` takes the pairs of `Upload-Metadata`, as texts."""

    name = Name(data_key="filename", **described("The file name."))
    content_type = MediaType(
        data_key="filetype",
        **described("If absent or generic, what the name and the first bytes say."),
    )
    expires_at = Timestamp()
    sha256 = LowerCase(
        validate=_IS_SHA256,
        **described("Of the whole file, in hex. Another file is not stored."),
    )
    folder = Folder(data_key="relativePath", load_default="")

    @pre_load
    def _read_pairs(self, pairs: dict[str, str], **_: Any) -> dict[str, Any]:
        """Return the values by name, where JSON is parsed."""
        values = _named(pairs)
        for name in ("metadata", "token"):
            if name in values:
                values[name] = _parsed(name, values[name])
        return values

    @post_load
    def _put_into_folder(self, values: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Put the folder into the metadata, unless these name one; it may end with the name."""
        folder = viewer.safe_folder(values.pop("folder"), values.get("name"))
        if not folder:
            return values
        return values | {"metadata": {"path": folder} | values.get("metadata", {})}


class SentUploadMetadata(CamelCaseSchema):
    """The values of an upload in pieces by a link, as `UploadMetadata` takes them."""

    name = Name(data_key="filename")
    content_type = MediaType(data_key="filetype")
    sender = Name(0, 200, data_key="from", load_default="")
    folder = Folder(data_key="relativePath", load_default="")
    sha256 = LowerCase(validate=_IS_SHA256)

    @pre_load
    def _read_pairs(self, pairs: dict[str, str], **_: Any) -> dict[str, Any]:
        return _named(pairs)

    @post_load
    def _leave_name_out(self, values: dict[str, Any], **_: Any) -> dict[str, Any]:
        """The name may be the last one of the path."""
        return values | {"folder": viewer.safe_folder(values["folder"], values.get("name"))}


def _named(pairs: Mapping[str, str]) -> dict[str, Any]:
    """Return the pairs by their usual names; an empty name or type is absent."""
    values: dict[str, Any] = dict(pairs)
    for name, usual_name in _OTHER_NAMES.items():
        value = values.pop(name, None)
        if value is not None:
            values.setdefault(usual_name, value)
    if "filename" in values:
        values["filename"] = last_name(values["filename"])
    for name in _OTHER_NAMES.values():
        if not is_seen(values.get(name, "")):
            values.pop(name, None)
    return values


def _parsed(name: str, text: str) -> Any:
    try:
        return parse_json(text.encode())
    except MalformedJson as error:
        raise ValidationError({name: [f"This takes JSON. {error.sentence}"]}) from None


class SentFile(CamelCaseSchema):
    """The parts of a form that a person sends by a link."""

    file = File(required=True, attribute="payload")
    sender = Name(0, 200, data_key="from", load_default="", **described("Who sends it."))
    folder = Folder(data_key="relativePath", load_default="")

    @pre_load
    def _read_parts(self, parts: list[Part], **_: Any) -> dict[str, Any]:
        return _values(self, parts)

    @post_load
    def _describe(self, body: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Add the name and the type that an upload of the same part has.

        The name may be the last one of the path.
        """
        uploaded = _UPLOAD_FORM.load([body["payload"]])
        name = uploaded.get("name")
        folder = viewer.safe_folder(body["folder"], name)
        return body | {
            "name": name,
            "content_type": uploaded["content_type"],
            "folder": folder,
        }


def _values(schema: Schema, parts: list[Part]) -> dict[str, Any]:
    """Return the values of the parts by name; the parts themselves for files and unknown fields."""
    charset = _default_charset(parts)
    parts = [part for part in parts if part.name != _CHARSET]
    by_name = {part.name: part for part in parts}
    if len(by_name) < len(parts):
        twice = next(part.name for part in parts if by_name[part.name] is not part)
        raise ValidationError({twice: ["Send this part once."]})
    kinds = {field.data_key: field for field in schema.load_fields.values()}
    _limit_texts([by_name[name] for name in by_name.keys() & kinds.keys() - {"file"}])
    return {name: _value(part, kinds.get(name), charset) for name, part in by_name.items()}


def _default_charset(parts: list[Part]) -> str:
    """Return the charset of texts that name none (RFC 7578, section 4.6): of a part `_charset_`."""
    for part in parts:
        if part.name == _CHARSET:
            return part.content.head(_MOST_CHARSET_BYTES).decode("ascii", "replace").strip()
    return "utf-8"


@cache
def _codecs_of_charsets() -> frozenset[str]:
    """Return Python's names of the charsets, of which each has a module of its own."""
    return frozenset(codecs.lookup(name).name for name in _CHARSETS)


def _text(raw: bytes, charset: str) -> str:
    """Return the text of a part. Raise ValueError with a sentence for the client."""
    try:
        codec = codecs.lookup(charset).name
    except (LookupError, ValueError):
        codec = ""
    if codec not in _codecs_of_charsets():
        raise ValueError("The charset of this part is not known here. Send it in UTF-8.")
    try:
        return raw.decode(codec)
    except UnicodeDecodeError:
        called = "UTF-8" if codec == "utf-8" else charset
        raise ValueError(f"This part is not {called}.") from None


def _seen_name(file: Any) -> str | None:
    """Return the name of a file's part; None if nothing of it is seen, or it is no file."""
    name = getattr(file, "filename", None)
    return name if name and is_seen(name) else None


def _limit_texts(parts: list[Part]) -> None:
    if sum(part.size for part in parts) > SMALL_BODY_BYTES:
        longest = max(parts, key=lambda part: part.size)
        raise ValidationError({longest.name: [FieldsTooLarge.sentence]})


def _value(part: Part, field: fields.Field[Any] | None, charset: str) -> Any:
    """Return the JSON or the text of a part; the part itself for a file or an unknown field."""
    if field is None or isinstance(field, File):
        return part
    raw = part.content.head(part.size)
    try:
        if isinstance(field, StringMap | fields.Nested):
            return parse_json(raw)
        _, parameters = parse_options_header(part.content_type or "")
        return _text(raw, parameters.get("charset", charset))
    except MalformedJson as error:
        sentence = f"This part takes JSON. {error.sentence}"
    except ValueError as error:
        sentence = str(error)
    raise ValidationError({part.name: [sentence]})


# Collections


def _documents(description: str, **options: Any) -> List:
    length = validate.Length(max=MOST_DOCUMENTS, error=f"At most {MOST_DOCUMENTS} documents.")
    return List(Text(1, 100), validate=length, **described(description), **options)


class NewCollection(CamelCaseSchema):
    title = Name(1, 200, required=True)
    note = Text(1, 2000, allow_none=True, load_default=None)
    document_ids = _documents("In the order in which they are shown.", load_default=list)
    max_bytes = StrictInteger(1, 10**12, load_default=1 << 30, **MAX_BYTES)
    token = fields.Nested(NewDocumentToken, allow_none=True, load_default=None)


class CollectionEdit(Edit, NewCollection):
    class Meta:
        exclude = ("document_ids", "token")

    add = _documents("Documents that it shall also have, behind the others.")
    remove = _documents("Documents that it shall not have.")
    order = _documents("These come first, in this order; the others follow as they were.")


class FilePassword(CamelCaseSchema):
    password = Password(1, 1024, required=True, **described("Of your choice: it opens the file."))


# Webhooks


class NewWebhook(CamelCaseSchema):
    url = Text(
        1,
        2048,
        required=True,
        **described("A public `https` address, or `mailto:` and one of mail.", format="uri"),
    )
    types = _choices(
        tuple(EVENT_TYPES),
        len(EVENT_TYPES),
        "type of events",
        data_key="events",
        **described("Which events are sent. A new webhook gets all of them if absent."),
    )
    description = Name(allow_none=True)


class WebhookEdit(Edit, NewWebhook):
    enabled = StrictBoolean()


# Queries


class PageQuery(CamelCaseSchema):
    """The query of a page: `limit`, and `after`, the id of the previous page's last row or None."""

    limit = Integer(1, 100, load_default=50)
    cursor = _id(
        "[a-z]{3}",
        "This cursor is not one that a list gave. Start again without it.",
        "A page's `nextCursor`.",
    )

    def load(self, data: Any, **options: Any) -> Any:
        """Load a query as marshmallow does; what `limit` alone makes is loaded once.

        Most queries of lists are of that kind; to load one takes 6 % of a list of one document.
        """
        if data.keys() <= {"limit"}:
            return dict(_loaded(self, data.get("limit"), **options))
        return super().load(data, **options)

    @post_load
    def _merge_cursor(self, query: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {"after": query.pop("cursor", None)} | query


@lru_cache(256)
def _loaded(schema: PageQuery, limit: str | None, **options: Any) -> Mapping[str, Any]:
    given = {} if limit is None else {"limit": limit}
    loaded: Mapping[str, Any] = CamelCaseSchema.load(schema, given, **options)
    return loaded


class SpaceQuery(PageQuery):
    waiting = QueryBoolean(
        load_default=False,
        **described("Those to which the caller was added, and which they have not entered yet."),
    )


class DocumentQuery(PageQuery):
    name = Text(
        **described(
            "Words of the name, in any order, each at any place, without case and accents: at most "
            "ten, in the first 200 characters."
        )
    )
    content_type = MediaType()
    created_after = Timestamp()
    created_before = Timestamp()


class DocumentTokenQuery(PageQuery):
    state = String(
        validate=validate.OneOf(("live", "ended")),
        **described("`live`: on, and neither expired, revoked nor used up; or `ended`."),
    )
    document_id = Text(1, 100)
    collection_id = Text(1, 100)


class CollectionQuery(PageQuery):
    document_id = Text(1, 100, **described("Only those with this document."))


class EventQuery(PageQuery):
    after = _id("evt", _NO_EVENT, "Continue after the event with this id, even if it is deleted.")
    cursor = _id("evt", _NO_EVENT, "The same as `after`, under the name that other lists use.")
    type = String(validate=validate.OneOf(tuple(EVENT_TYPES)))
    document_id = Text(1, 100)
    collection_id = Text(1, 100)


class OEmbedQuery(CamelCaseSchema):
    url = Text(1, 2048, required=True, **described("A link's `viewUrl` or `shortUrl`."))
    format = String(
        load_default="json",
        validate=validate.OneOf(("json", "xml"), error="Use json."),
        metadata={"enum": ["json"]},
    )
    maxwidth = Integer(1, 100_000, load_default=10_000)
    maxheight = Integer(1, 100_000, load_default=10_000)


class ViewQuery(CamelCaseSchema):
    """The query of a view of a document; mails and chats add parameters of their own."""

    shown_as = String(
        data_key="as",
        validate=validate.OneOf(("pages",), error="Use pages, or leave it out."),
        **described("`pages`: a workbook as the pages that LibreOffice draws."),
    )

    def load(self, data: Any, **options: Any) -> Any:
        """Load a query as marshmallow does; one that asks for nothing, as most, takes no time."""
        asks = any(field.data_key in data for field in self.load_fields.values())
        if options.get("unknown") == EXCLUDE and not asks:
            return {}
        return super().load(data, **options)


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
