"""Agreements: the texts that links ask to accept.

The owner can read them while the target lives, also when the link asks for another one.
"""

from typing import Self

from peewee import TextField

from ..core import NotFound
from ..records import Sealed
from ..runtime import refuse_if_full
from .gate import digest_of
from .target import SealedByTarget, Target

MOST_TEXTS = 1000  # that links of one target ask to accept, in all


class KeptText(SealedByTarget):
    """A text that links of a target have asked to accept."""

    PREFIX = "txt"

    sha256 = TextField()

    text = Sealed[str]()

    class Meta:
        table_name = "kept_text"

    @classmethod
    def of(cls, target: Target, sha256: str) -> Self | None:
        return cls.first(cls.select().where(cls.target_id == target.id, cls.sha256 == sha256))


def keep_text(target: Target, text: str | None) -> None:
    """Keep the text that a link asks to accept from now on, if any.

    Call it in the transaction that stores the link. Raises `QuotaExceeded` if the target has kept
    too many others.
    """
    if text is None:
        return
    sha256 = digest_of(text)
    if KeptText.of(target, sha256):
        return
    of_target = KeptText.target_id == target.id
    KeptText.delete().where(of_target, KeptText.sha256 == sha256).execute()  # altered
    count = KeptText.select().where(of_target).count()
    refuse_if_full(count, MOST_TEXTS, "text", "Use one of them.", "to be accepted here")
    kept = KeptText.fresh(owner_id=target.owner_id, target_id=target.id, sha256=sha256, text=text)
    kept.target = target
    kept.store()


def texts_of(target: Target) -> set[str]:
    """Return the SHA-256 of each text that links of the target have asked to accept."""
    kept = KeptText.rows(KeptText.select().where(KeptText.target_id == target.id))
    return {one.sha256 for one in kept}


def kept_text(target: Target, sha256: str) -> str:
    """Return a text that a link of the target has asked to accept, or raise `NotFound`."""
    kept = KeptText.of(target, sha256)
    if kept is None:
        raise NotFound
    return kept.text


def drop_texts_of(target: Target) -> None:
    KeptText.delete().where(KeptText.target_id == target.id).execute()
