"""Limits of mails: to one address, by one link, by one account, and by all accounts together.

A budget is spent only when a mail is made that is really sent; of several limits either all count
it or none. No setting but `mails_per_day` changes them. Accounts are free to make: so new ones may
send less, and all new ones together a part of what is left to all. What an account can make, as a
space or an invitation, gives it no further mails: see `payers_of`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from peewee import BigIntegerField

from crypto import mac

from ..core import Busy, By, Limit, first_id, generate_id, now
from ..records import Owner, Table
from ..runtime import current_runtime
from ..storage import SERVICE, engine

MINUTE, HOUR, DAY = 60, 3600, 86_400
LOCK_SECONDS = 5
YOUNG_ACCOUNT_MS = 7 * DAY * 1000
_ACCOUNTS = "usr_", "spc_"  # begin the ids of accounts and spaces; the moment of creation follows
MOST_PAYERS = 12  # of one mail: longer chains of invitations count as if anybody had made them
YOUNG_PART = 5  # all young accounts together send a fifth of the mails of all accounts


@dataclass(frozen=True)
class MailKind:
    """The time for which a mail is tried, and the limits of mails to one address."""

    life_seconds: int
    limits: tuple[Limit, ...] = ()


def _to_address(kind: str, count: int, seconds: int) -> Limit:
    return Limit(f"mail-{kind}-{seconds}", "mails to one address", count, seconds, By.MAILBOX)


MAIL_KINDS = {
    "code": MailKind(15 * MINUTE, (_to_address("code", 5, HOUR), _to_address("code", 20, DAY))),
    "reset": MailKind(HOUR, (_to_address("reset", 3, HOUR),)),
    "invitation": MailKind(7 * DAY),
    "member": MailKind(7 * DAY, (_to_address("member", 3, DAY),)),
    "confirmation": MailKind(DAY, (_to_address("confirmation", 3, HOUR),)),
    "link": MailKind(3 * DAY, (_to_address("link", 1, MINUTE), _to_address("link", 20, DAY))),
    "receipt": MailKind(3 * DAY, (_to_address("receipt", 20, DAY),)),
    "notice": MailKind(3 * DAY, (_to_address("notice", 1, MINUTE),)),
}
QUESTIONS_OF_OWNER = Limit("mail-questions", "questions of one account", 20, DAY, By.PAYER)
NOTICES_OF_OPENINGS = Limit("mail-openings", "openings of one link", 200, DAY, By.LINK)
NOTICE_OF_READER = Limit("mail-reader", "openings of one link by one reader", 1, DAY, By.LINK)
QUESTION_BY_LINK = Limit("mail-question", "questions because of links", 1, DAY, By.MAILBOX)
OF_LINK = Limit("mail-link", "mails of one link", 200, DAY, By.LINK)
OF_OWNER = Limit("mail-owner", "mails of one account", 1000, DAY, By.PAYER)
OF_YOUNG_OWNER = Limit("mail-owner", "mails of a new account", 50, DAY, By.PAYER)
RESET_MAILS = Limit("mail-resets", "links for new passwords", 1000, DAY, By.SERVICE)
RESETS_OF_YOUNG = Limit(
    "mail-resets-young", "links for new passwords of new accounts", 100, DAY, By.SERVICE
)


class MailLimit(Table):
    """One count of a limit: a mail, or a fact that a mail reports. It counts until `due_at`.

    So in each period of an hour or a day no more mails are sent than the limit permits. All
    processes share the rows. Their ids reveal no address.
    """

    PREFIX = "mlt"

    due_at = BigIntegerField()  # when it stops counting

    class Meta:
        table_name = "mail_limit"

    @classmethod
    def wait_ms(cls, owner_id: str, kind: str, address: str, link_id: str = "") -> int:
        """Count a mail and return 0 if it may be sent; else return for how long none may.

        Call it in a transaction. `owner_id` is the account that sends, or for a new password the
        account that the mail is for.
        """
        payers = payers_of(owner_id)
        limits = list(_limits(payers, kind, address, link_id))
        counting = [(limit, _prefix(limit, key)) for limit, key in limits]
        own = {payer.id for payer in payers}
        of_address = MAIL_KINDS[kind].limits
        shared = {_prefix(limit, key) for limit, key in limits if limit in of_address or key in own}
        for prefix in sorted(shared):  # which other owners count at the same time
            if not engine().lock_name(prefix, LOCK_SECONDS):
                raise Busy
        waits = [cls._wait_ms(limit, prefix) for limit, prefix in counting]
        if any(waits):
            return max(waits)
        for limit, prefix in counting:
            cls._count(limit, prefix)
        return 0

    @classmethod
    def permits_notice(cls, link_id: str, reader: str) -> bool:
        """Return whether a notice may report that this reader has opened the link, and count it.

        Call it in the transaction that counts the opening.
        """
        return cls._count_all(
            (NOTICE_OF_READER, _prefix(NOTICE_OF_READER, f"{link_id} {reader}")),
            (NOTICES_OF_OPENINGS, _prefix(NOTICES_OF_OPENINGS, link_id)),
        )

    @classmethod
    def permits_question(cls, webhook_id: str) -> bool:
        """Return whether a link may have an address asked again, and count it."""
        return cls._count_all((QUESTION_BY_LINK, _prefix(QUESTION_BY_LINK, webhook_id)))

    @classmethod
    def _count_all(cls, *counting: tuple[Limit, str]) -> bool:
        """Return whether all limits permit one more; then all of them count it."""
        if any(cls._wait_ms(limit, prefix) for limit, prefix in counting):
            return False
        for limit, prefix in counting:
            cls._count(limit, prefix)
        return True

    @classmethod
    def forget_old(cls) -> None:
        """Delete rows that have stopped counting."""
        cls.delete_in_batches(cls.due_at <= now())

    @classmethod
    def _wait_ms(cls, limit: Limit, prefix: str) -> int:
        """Return how long the limit permits no mail; 0 if it permits one.

        That is until the oldest of the counted mails counts no more. A row that counts for longer
        than the limit says was written under a wrong clock.
        """
        its = cls.id.between(f"{prefix}-", f"{prefix}.")
        newest_first = cls.select(cls.due_at).where(its).order_by(cls.id.desc())
        due_at = newest_first.offset(limit.count - 1).limit(1).scalar() or 0
        wait_ms = int(due_at) - now()
        return wait_ms if 0 < wait_ms <= limit.seconds * 1000 else 0

    @classmethod
    def _count(cls, limit: Limit, prefix: str) -> None:
        row = cls.fresh()
        row.id = f"{prefix}-{generate_id(cls.PREFIX)}"
        row.due_at = row.created_at + limit.seconds * 1000
        row.store()


def mailbox_of(address: str) -> str:
    """Return the address in small letters, without a sub-address (RFC 5233) behind a plus sign."""
    local, _, domain = address.casefold().rpartition("@")
    return f"{local.partition('+')[0] or local}@{domain}"


@dataclass(frozen=True)
class MailPayer:
    """An account that a mail counts for, and whether it is one that anybody could have made in the
    last week.
    """

    id: str
    is_young: bool


def payers_of(owner_id: str) -> list[MailPayer]:
    """Return the accounts that a mail of this owner counts for, the owner first.

    A mail of a space counts for the person who made it, too, and that of an account in its first
    week for the person who invited it. A space is as young as its maker. An account that the
    operator, the proxy or a provider has let in is not young; nor is one that a person has invited,
    while nobody can register without an invitation.
    """
    chain: list[tuple[str, Owner | None]] = []
    id: str | None = owner_id
    while id and len(chain) < MOST_PAYERS:
        owner = Owner.find(id) if id.startswith(_ACCOUNTS) else None
        chain.append((id, owner))
        id = _answers_for(id, owner)
    is_invited_young = bool(id) or current_runtime().settings.registration == "open"
    payers: list[MailPayer] = []
    for id, owner in reversed(chain):
        if owner and owner.made_by and payers:
            is_young = payers[-1].is_young
        elif owner is None or owner.let_in_by is None:
            is_young = _is_new(id)
        elif owner.let_in_by == SERVICE:
            is_young = False
        else:
            is_young = _is_new(id) and is_invited_young
        payers.append(MailPayer(id, is_young))
    return payers[::-1]


def _answers_for(id: str, owner: Owner | None) -> str | None:
    """Return the id of the person for whom mails of this account count as well, if any."""
    if owner is None:
        return None
    if owner.made_by:
        return owner.made_by
    is_invited = owner.let_in_by not in {None, SERVICE}
    return owner.let_in_by if is_invited and _is_new(id) else None


def _is_new(id: str) -> bool:
    """Return whether an account or a space came into being in the last week."""
    return id.startswith(_ACCOUNTS) and id >= first_id(id[:3], now() - YOUNG_ACCOUNT_MS)


def _limits(
    payers: list[MailPayer], kind: str, address: str, link_id: str
) -> Iterator[tuple[Limit, str]]:
    """Yield the limits that count such a mail, each with the value it counts by."""
    owner = payers[0]
    mailbox = mailbox_of(address)
    if kind == "reset":
        # new accounts with sub-addresses of a mailbox take no mail from an established one
        mailbox = f"new {mailbox}" if owner.is_young else address.casefold()
        yield RESET_MAILS, ""
        if owner.is_young:
            yield RESETS_OF_YOUNG, ""
    elif owner.id != SERVICE:
        yield from _of_all_accounts(is_young=owner.is_young)
        for payer in payers:
            yield (OF_YOUNG_OWNER if payer.is_young else OF_OWNER), payer.id
    if kind == "notice":
        for payer in payers:
            yield _notices_of_owner(is_young=payer.is_young), payer.id
    if kind == "confirmation":
        for payer in payers:
            yield QUESTIONS_OF_OWNER, payer.id
    if link_id:
        yield OF_LINK, link_id
    for limit in MAIL_KINDS[kind].limits:
        yield limit, mailbox


def _of_all_accounts(*, is_young: bool) -> Iterator[tuple[Limit, str]]:
    """Yield the limits of all accounts together.

    They are counted without a lock: several processes may send some more at once.
    """
    most = current_runtime().settings.mails_per_day
    yield Limit("mail-service", "mails of all accounts", most, DAY, By.SERVICE), ""
    if is_young:
        most_of_young = max(1, most // YOUNG_PART)
        young = Limit("mail-service-young", "mails of new accounts", most_of_young, DAY, By.SERVICE)
        yield young, ""


def _notices_of_owner(*, is_young: bool) -> Limit:
    """Return the limit of notices, half of the owner's mails: strangers cause notices, and leave
    the rest to codes.
    """
    of_owner = OF_YOUNG_OWNER if is_young else OF_OWNER
    return Limit("mail-notices", "notices of one account", of_owner.count // 2, DAY, By.PAYER)


def _prefix(limit: Limit, key: str) -> str:
    columns = (limit.name, key)
    return mac(current_runtime().service_key, "mail_limit", columns).hex()
