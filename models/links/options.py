"""What the owner of a link sets for it."""

from dataclasses import dataclass
from typing import Any, Self

from crypto import LINKS, passwords

from ..core import now
from ..runtime import current_runtime

PERMISSIONS = ("view", "download")
OPTIONS = {  # what an owner sets, and the names of these fields in events
    **{"label": "label", "permissions": "permissions", "allowed_origins": "allowedOrigins"},
    **{"expires_at": "expiresAt", "max_views": "maxViews", "password_digest": "password"},
}


def stored_options(owner_id: str, **options: Any) -> dict[str, Any]:
    """Those `OPTIONS` that are given, as a token stores them: lists as words, `password` as its
    digest. To hash one is slow: call it before a transaction begins.
    """
    for name in options.keys() & {"permissions", "allowed_origins"}:
        options[name] = " ".join(dict.fromkeys(options[name]))
    if "password" in options:
        password = options.pop("password")
        digest = None if password is None else passwords.hash_password(password, owner_id, LINKS)
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

    @classmethod
    def of(cls, owner_id: str, **options: Any) -> Self:
        """From the options of `stored_options`. Without an end it gets the usual lifetime."""
        usual_end = now() + current_runtime().settings.token_seconds * 1000
        return cls(**{"expires_at": usual_end} | stored_options(owner_id, **options))
