"""Passwords and codes as people type and paste them."""

# Blanks that come along when a text is copied from a mail or a chat, beside Unicode's white space
_UNSEEN_BLANKS = "\u200b\u2060\ufeff"


def without_blanks(secret: str) -> str:
    """Return the text without blanks and line ends at its ends."""
    former = None
    while former != secret:
        former = secret
        secret = secret.strip().strip(_UNSEEN_BLANKS)
    return secret


def as_meant(secret: str) -> list[str]:
    """Return what may be meant: the text as it is, then, if it differs, without blanks at its ends.

    So a secret that was set with blanks opens as it was set, and one that was copied with blanks
    opens as well. Both are one try.
    """
    shorter = without_blanks(secret)
    return [secret, shorter] if shorter and shorter != secret else [secret]
