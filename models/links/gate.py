"""The gate of a link: its questions to whoever opens it, and their answers, which are a proof."""

import hashlib
import re
from dataclasses import dataclass
from typing import Any, Protocol

from ..core import Invalid, is_seen
from ..events import has_mail, is_mail_address

_NEEDS_MAIL = "This service sends no mail, so it cannot ask who readers are: SMTP_URL is not set."
_NO_RECIPIENT = "Use addresses as ana@example.org, or @example.org for all of a domain."


@dataclass(frozen=True)
class Proof:
    """The answers of whoever opens a link, all of them in one request."""

    password: str | None = None
    email: str = ""
    code: str = ""
    name: str = ""
    accept: str = ""


@dataclass(frozen=True)
class Gate:
    """The questions of a link. `recipients` are addresses, or domains as `@example.org`, in small
    letters.
    """

    recipients: tuple[str, ...] = ()
    agreement: str | None = None
    watermark: bool = False

    @classmethod
    def of(cls, facts: dict[str, Any] | None) -> "Gate":
        """Return the gate of `facts`, as a link has them."""
        if facts is None:
            return NOTHING
        return cls(**facts | {"recipients": tuple(facts["recipients"])})

    @property
    def facts(self) -> dict[str, Any] | None:
        """The questions as a link stores them; None if the link asks nothing."""
        if self == NOTHING:
            return None
        return {**vars(self), "recipients": list(self.recipients)}

    @property
    def agreement_sha256(self) -> str | None:
        return None if self.agreement is None else digest_of(self.agreement)

    def lists_recipient(self, address: str) -> bool:
        """Return whether the address, in small letters, is one of the recipients."""
        local, at, domain = address.rpartition("@")
        return bool(local) and not {address, at + domain}.isdisjoint(self.recipients)

    def require_acceptance(self, proof: Proof) -> None:
        """Raise `Invalid` unless the text in force was accepted, with a name."""
        if self.agreement is None:
            return
        if proof.accept.lower() != self.agreement_sha256:
            raise Invalid("#/accept", "Read the text as it is now, and accept it to go on.")
        if not is_seen(proof.name):
            raise Invalid("#/name", "Write your name: it stands with the agreement.")


class Gated(Protocol):
    """A link that asks a reader for answers, as its row or a grant says it."""

    @property
    def id(self) -> str: ...

    @property
    def answers_id(self) -> str: ...

    @property
    def gate(self) -> Gate: ...


NOTHING = Gate()
ASKED = tuple(vars(NOTHING))  # the questions that a link can ask


def asked(name: str) -> Any:
    """Return a property of a link: one of the questions of its gate."""
    return property(lambda token: getattr(token.gate, name))


def recipients_of(given: list[str] | None) -> tuple[str, ...]:
    """Return the recipients as a gate has them. Raises `Invalid`."""
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
