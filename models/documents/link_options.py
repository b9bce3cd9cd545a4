"""What the owner of a document sets for a link to it."""

from dataclasses import dataclass

from crypto import LINKS, passwords

PERMISSIONS = ("view", "download")
OPTIONS = {  # what an owner sets, and the names of these fields in events
    **{"label": "label", "permissions": "permissions", "allowed_origins": "allowedOrigins"},
    **{"expires_at": "expiresAt", "max_views": "maxViews", "password_digest": "password"},
}


@dataclass(frozen=True)
class LinkOptions:
    """What a new token permits, and until when; lists are words with spaces between them."""

    label: str | None
    permissions: str
    allowed_origins: str
    expires_at: int | None
    max_views: int | None = None
    password_digest: str | None = None


def hash_password(password: str | None, owner_id: str) -> str | None:
    """The `password_digest` of a token. It is slow: call it before a transaction begins."""
    return None if password is None else passwords.hash_password(password, owner_id, LINKS)
