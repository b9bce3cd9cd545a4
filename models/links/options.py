"""What the owner of a link sets for it."""

from dataclasses import dataclass
from typing import Any, Self

from ..core import Invalid, ScopeMissing, now
from ..documents import Document
from ..runtime import current_runtime
from .gate import Gate, recipients_of
from .target import Target

PERMISSIONS = ("view", "download")
UPLOAD = "upload"  # alone, of a link to a collection: it takes files, and opens nothing
MOST_FILES = 200  # that such a link takes
OPTIONS = {  # what an owner sets, and the names of these fields in events
    **{"label": "label", "permissions": "permissions", "allowed_origins": "allowedOrigins"},
    **{"recipients": "recipients", "agreement": "agreement", "watermark": "watermark"},
    **{"expires_at": "expiresAt", "max_views": "maxViews", "password_digest": "password"},
}


def stored_options(owner_id: str, **options: Any) -> dict[str, Any]:
    """Those `OPTIONS` that are given, as a token stores them: lists as words, `password` as its
    digest. To hash one is slow: call it before a transaction begins.
    """
    for name in options.keys() & {"permissions", "allowed_origins"}:
        options[name] = " ".join(dict.fromkeys(options[name]))
    if "recipients" in options:
        options["recipients"] = recipients_of(options["recipients"])
    if "watermark" in options:
        options["watermark"] = bool(options["watermark"])
    if "password" in options:
        password = options.pop("password")
        digest = None
        if password is not None:
            digest = current_runtime().link_passwords.hash_password(password, owner_id)
        options["password_digest"] = digest
    return options


@dataclass(frozen=True)
class LinkOptions:
    """What a new token permits, and until when; lists are words with spaces between them."""

    label: str | None = None
    permissions: str = "view"
    allowed_origins: str = ""
    expires_at: int | None = None
    max_views: int | None = None
    password_digest: str | None = None
    recipients: tuple[str, ...] = ()
    agreement: str | None = None
    watermark: bool = False

    @classmethod
    def of(cls, owner_id: str, **options: Any) -> Self:
        """From the options of `stored_options`. Without an end it gets the usual lifetime.

        Raises `ScopeMissing` for a link that takes files, where the service has none.
        """
        if UPLOAD in options.get("permissions", ()) and current_runtime().settings.inbound == "off":
            raise ScopeMissing("Links take no files here: INBOUND is off.")
        usual_end = now() + current_runtime().settings.token_seconds * 1000
        return cls(**{"expires_at": usual_end} | stored_options(owner_id, **options))


def refuse_wrong_terms(  # noqa: PLR0917
    target_id: str,
    before: str | None,
    permissions: str,
    max_views: int | None,
    origins: str,
    gate: Gate,
) -> None:
    """`Invalid` for what a link that takes files may not be; `before` are its former permissions,
    of a new one None.
    """
    if UPLOAD not in (words := permissions.split()) and before != UPLOAD:
        return
    if words != [UPLOAD]:
        raise Invalid("#/permissions", "'upload' stands alone: what takes files opens nothing.")
    if before not in (None, UPLOAD):
        raise Invalid("#/permissions", "What opens something takes no files. Make another link.")
    if not target_id.startswith("col_"):
        raise Invalid("#/permissions", "Only a link to a collection takes files.")
    if max_views is None or max_views > MOST_FILES:
        raise Invalid("#/maxViews", f"The link takes 1 to {MOST_FILES} files.")
    for name in [name for name, value in vars(gate).items() if value]:
        raise Invalid(f"#/{name}", "A link that takes files asks for nothing but a password.")
    if origins:
        raise Invalid("#/allowedOrigins", "No other site may frame the page that takes files.")


def require_pages(target: Target, permissions: str) -> None:
    """For a link that marks them."""
    if permissions != "view":
        raise Invalid("#/watermark", "Pages are marked by a link that permits to view alone.")
    if not (isinstance(target, Document) and target.has_pages()):
        raise Invalid("#/watermark", "Only a PDF, or what is shown as one, has pages to mark.")
