"""What a link asks of whoever opens it, and the texts that a target's links have asked to accept.

All that is set is sealed in one text under the key of the target. A text stays readable for the
owner as long as the target lives, also when the link asks for another one.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Any

from peewee import Table as TableReference

from ..core import Invalid, NotFound
from ..events import has_mail, is_mail_address
from ..runtime import refuse_if_full
from ..storage import database

_TEXTS: Any = TableReference("agreement", ("document_id", "sha256", "owner_id", "sealed_text"))
_NEEDS_MAIL = "This service sends no mail, so it cannot ask who somebody is: SMTP_URL is not set."
MOST_TEXTS = 1000  # that links of one target ask to accept, in all
_NO_RECIPIENT = "Use addresses as ana@example.org, or @example.org for all of a domain."


@dataclass(frozen=True)
class Proof:
    """What whoever opens a link has sent with it: all of it in one request."""

    password: str | None = None
    email: str = ""
    code: str = ""
    name: str = ""
    accept: str = ""


@dataclass(frozen=True)
class Gate:
    """`recipients` are addresses, or domains as `@example.org`, in small letters."""

    recipients: tuple[str, ...] = ()
    agreement: str | None = None
    watermark: bool = False

    @classmethod
    def opened(cls, target: Any, token_id: str, sealed: bytes | None) -> "Gate":
        if sealed is None:
            return NOTHING
        facts = target.unseal("gate/1", token_id, sealed)
        return cls(**facts | {"recipients": tuple(facts["recipients"])})

    def sealed(self, target: Any, token_id: str) -> bytes | None:
        """None if nothing is asked."""
        return None if self == NOTHING else target.seal("gate/1", token_id, vars(self))

    @property
    def agreement_sha256(self) -> str | None:
        return None if self.agreement is None else digest_of(self.agreement)

    def admits(self, address: str) -> bool:
        """Whether the address, in small letters, is one of the recipients."""
        local, at, domain = address.rpartition("@")
        return bool(local) and not {address, at + domain}.isdisjoint(self.recipients)

    def require_acceptance(self, proof: Proof) -> None:
        """`Invalid` unless the text in force was accepted, with a name."""
        if self.agreement is None:
            return
        if proof.accept.lower() != self.agreement_sha256:
            raise Invalid("#/accept", "Read the text as it is now, and accept it to go on.")
        if not proof.name.strip():
            raise Invalid("#/name", "Write your name: it stands with what you accept.")


NOTHING = Gate()
ASKED = tuple(vars(NOTHING))  # what a link can ask


def asked(name: str) -> Any:
    """A property of a link: one of the things that its gate asks."""
    return property(lambda token: getattr(token.gate, name))


def recipients_of(given: list[str] | None) -> tuple[str, ...]:
    """Raises `Invalid`."""
    if not given:
        return ()
    if not has_mail():
        raise Invalid("#/recipients", _NEEDS_MAIL)
    folded = dict.fromkeys(address.lower() for address in given)
    for address in folded:
        if not is_mail_address(re.sub("^@", "anybody@", address)):
            raise Invalid("#/recipients", _NO_RECIPIENT)
    return tuple(folded)


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def keep_text(target: Any, text: str | None) -> None:
    """Keep what a link asks to accept from now on; in the transaction that stores the link.

    `QuotaExceeded` if its target has kept too many others.
    """
    if text is not None and (sha256 := digest_of(text)) not in (kept := texts_of(target)):
        refuse_if_full(len(kept), MOST_TEXTS, "texts to be accepted here", "Use one of them.")
        sealed = target.seal("agreement/1", target.id + sha256, text)
        row = {"document_id": target.id, "sha256": sha256, "owner_id": target.owner_id}
        _TEXTS.insert([row | {"sealed_text": sealed}]).execute(database)


def texts_of(target: Any) -> set[str]:
    """The SHA-256 of each text that its links have asked to accept."""
    rows = _TEXTS.select(_TEXTS.sha256).where(_TEXTS.document_id == target.id).execute(database)
    return {row["sha256"] for row in rows}


def kept_text(target: Any, sha256: str) -> str:
    """Raises `NotFound`."""
    its = _TEXTS.document_id == target.id, _TEXTS.sha256 == sha256
    for row in _TEXTS.select(_TEXTS.sealed_text).where(*its).execute(database):
        return str(target.unseal("agreement/1", target.id + sha256, bytes(row["sealed_text"])))
    raise NotFound


def drop_texts_of(target: Any) -> None:
    _TEXTS.delete().where(_TEXTS.document_id == target.id).execute(database)
