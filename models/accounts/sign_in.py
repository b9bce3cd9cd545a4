"""The one rule by which the trusted proxy and a provider let people in.

An identity that is bound to an account opens this account. One that is bound to none is bound by an
invitation or makes a new account; the address alone never opens an account that exists.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from ..core import EmailTaken, Invalid, LastWayIn, NotFound, RegistrationClosed, is_seen
from ..events import Event, current_actor, is_mail_address
from ..records import Origin, end_derived
from ..runtime import current_runtime
from ..storage import SERVICE, transaction
from .identity import BY_INVITATION, BY_SETTING, PROXY, Identity
from .invitation import Invitation
from .user import User, fold_email

MOST_NAME_CHARACTERS = 255


class NotLetIn(RegistrationClosed):
    """Somebody whom the proxy or the provider names, and nothing lets in.

    `reason` is for the log of the operator, and names nobody.
    """

    reason = "SIGN_IN_ALLOW does not name them, and no invitation of theirs was opened"


class AddressNotVerified(NotLetIn):
    sentence = (
        "Your login brought no verified e-mail address. Ask the person who runs this service."
    )
    reason = "the ID token has no e-mail address with email_verified: true"


class NotAllowedAnyMore(NotLetIn):
    sentence = (
        "You may not log in here any more: you have left the group or the domain that may. Ask the "
        "person who runs this service."
    )
    reason = "SIGN_IN_ALLOW does not name them any more"


class AddressHasAccount(NotLetIn):
    """The verified address of somebody who is unknown belongs to an account."""

    reason = "an account has their address, and the login is not added to it"

    def __init__(self, email: str) -> None:
        advice = "Log in to it once with your password, then add this login in its settings."
        if current_runtime().settings.passwords == "off":
            advice = "Ask the person who runs this service for an invitation."
        super().__init__(f"There is an account for {email}. {advice}")


class AccountDisabled(NotLetIn):
    sentence = "Your account is disabled. Ask the person who runs this service."
    reason = "their account is disabled"


@dataclass(frozen=True)
class Assertion:
    """Somebody as the trusted proxy or a provider knows them.

    `email` is None unless it is verified.
    """

    issuer: str
    subject: str
    email: str | None
    name: str | None = None
    groups: frozenset[str] = frozenset()

    @classmethod
    def of_proxy(cls, email: str) -> "Assertion":
        return cls(PROXY, fold_email(email), email)

    @classmethod
    def of_claims(cls, claims: Mapping[str, Any]) -> "Assertion":
        """Return whom the claims of a verified ID token name."""
        email = claims.get("email")
        is_verified = claims.get("email_verified") is True
        is_usable = is_verified and isinstance(email, str) and is_mail_address(email)
        groups = claims.get("groups")
        groups = [groups] if isinstance(groups, str) else groups
        groups = groups if isinstance(groups, list) else []
        return cls(
            claims["iss"],
            claims["sub"],
            email if is_usable else None,
            _plain_name(claims.get("name")),
            frozenset(one for one in groups if isinstance(one, str)),
        )

    @property
    def way(self) -> str:
        """The word for it in events, as `via`."""
        return "proxy" if self.issuer == PROXY else "oidc"

    @property
    def is_allowed(self) -> bool:
        """Whether SIGN_IN_ALLOW lets them have an account."""
        email = fold_email(self.email or "")
        domain = email[email.rfind("@") :]
        own = {domain, *(f"group:{group}" for group in self.groups)}
        return not own.isdisjoint(current_runtime().settings.sign_in_allow or ())


def _plain_name(name: object) -> str | None:
    """Return a name as an account may have it."""
    if not isinstance(name, str):
        return None
    plain = "".join(character for character in name if character.isprintable())
    cut = plain.strip()[:MOST_NAME_CHARACTERS].strip()
    return cut if is_seen(cut) else None


def let_in(assertion: Assertion, invite: str, network: str) -> tuple[User, Identity]:
    """Return the account that an identity opens, with the identity.

    `invite` is the secret of an invitation, or ''. Raises `NotLetIn`, and `TooManyRequests` for
    new accounts.
    """
    with acting(assertion):
        identity = Identity.of(assertion.issuer, assertion.subject)
        if identity is None:
            identity = _bound(assertion, invite, network)
        elif identity.is_judged and not assertion.is_allowed:
            identity = _invited_again(identity, assertion, invite)
    user = User.find(identity.owner_id)
    if user is None or user.disabled_at is not None:
        raise AccountDisabled
    return user, identity


@contextmanager
def acting(assertion: Assertion) -> Iterator[None]:
    """Let the events in the block say by what way somebody came in."""
    before = current_actor.set({"via": assertion.way})
    try:
        yield
    finally:
        current_actor.reset(before)


def _bound(assertion: Assertion, invite: str, network: str) -> Identity:
    """Return an identity that was bound to no account, bound by the rule."""
    email = assertion.email
    if email is None:
        raise AddressNotVerified
    invitation = _invitation(invite, email)
    user = User.find_by_email(email)
    if user and invitation and invitation.space_id is None:
        return _bound_to_invited(user, assertion, invitation)
    if user:
        known = Identity.of(assertion.issuer, assertion.subject)
        if known:  # the same person was faster, in another window
            return known
        raise AddressHasAccount(email)
    if invitation or assertion.is_allowed:
        return _bound_to_new(email, assertion, invitation, network)
    raise NotLetIn


def _invitation(invite: str, email: str | None) -> Invitation | None:
    """Return the invitation of this secret for this address; None if there is none."""
    if invite and email:
        with suppress(Invalid):
            return Invitation.of_secret(invite, email)
    return None


def _invited_again(identity: Identity, assertion: Assertion, invite: str) -> Identity:
    """Return an identity that SIGN_IN_ALLOW lets in no more, let in by an invitation."""
    invitation = _invitation(invite, assertion.email)
    user = User.find_by_email(assertion.email or "")
    is_theirs = user is not None and user.id == identity.owner_id
    if invitation is None or invitation.space_id is not None or user is None or not is_theirs:
        raise NotAllowedAnyMore
    return _bound_to_invited(user, assertion, invitation)


def _bound_to_invited(user: User, assertion: Assertion, invitation: Invitation) -> Identity:
    if user.disabled_at is not None:
        raise AccountDisabled
    with transaction(user.id):
        known = Identity.of(assertion.issuer, assertion.subject)
        if known and not known.is_judged:  # the same person was faster, in another window
            return known
        _claim(invitation)
        return Identity.link(user.id, assertion.issuer, assertion.subject, BY_INVITATION)


def _bound_to_new(
    email: str, assertion: Assertion, invitation: Invitation | None, network: str
) -> Identity:
    current_runtime().registration_limiter.spend(network)
    with transaction():
        known = Identity.of(assertion.issuer, assertion.subject)
        if known:
            return known
        if invitation:
            _claim(invitation)
        try:
            user = User.register_without_password(
                email, assertion.name, _let_in_by(assertion, invitation)
            )
        except EmailTaken:
            raise AddressHasAccount(email) from None
        if invitation:
            invitation.join_space(user)
        how = BY_INVITATION if invitation else BY_SETTING
        return Identity.link(user.id, assertion.issuer, assertion.subject, how)


def _let_in_by(assertion: Assertion, invitation: Invitation | None) -> str:
    """Return who lets somebody have an account: a person only if SIGN_IN_ALLOW does not."""
    return SERVICE if invitation is None or assertion.is_allowed else invitation.let_in_by


def _claim(invitation: Invitation) -> None:
    try:
        invitation.claim()
    except Invalid:
        raise NotLetIn from None


def remove_identity(user: User, id: str) -> None:
    """Unbind an identity from its account, and end the sessions that began by it.

    Raises `NotFound`, and `LastWayIn` if nothing else would let the user in.
    """
    with transaction(user.id):
        identity = Identity.one_of(user.id, id)
        others = [one for one in Identity.of_owner(user.id) if one.id != id and one.works]
        if not (others or user.has_password):
            raise LastWayIn
        unbind(identity)


def unbind(identity: Identity) -> None:
    """Unbind an identity, also the only one, and end the sessions that began by it."""
    with transaction(identity.owner_id):
        if not Identity.delete().where(Identity.id == identity.id).execute():
            raise NotFound
        Event.record(identity.owner_id, "identity.unlinked", identity.facts)
        count = end_derived(Origin.IDENTITY, identity.id)
        if count:
            facts = {"session_id": None, "count": count}
            Event.record(identity.owner_id, "session.ended", facts)
