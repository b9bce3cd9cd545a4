"""Recipients: the addresses that a link is for, each proved by a code that is sent to it.

A code is drawn when the mail is first tried, so a request for a code takes as long for any address.
One wrong try after another is counted, under the owner's lock, before the code is compared.
"""

import hmac
import re
import secrets
from typing import Any, Self

from peewee import BigIntegerField, IntegerField, TextField

from crypto import sealing
from crypto.typed import without_blanks

from ..core import WrongCredentials, now
from ..events import MAIL_KINDS, Event
from ..records import Sealed, has_passed
from ..storage import transaction
from .gate import Gated
from .target import SealedByTarget, Target

MOST_TRIES = 5
CODE_MS = MAIL_KINDS["code"].life_seconds * 1000
OPENED_CODE_MS = 12 * 60 * 60 * 1000
MOST_RECIPIENTS = 10_000  # of a link; the oldest go


class WrongCode(WrongCredentials):
    sentence = "This code is not right, or it has ended. Check the address, or ask for a new code."


class Recipient(SealedByTarget):
    """An address that a link is for, with the last code that was sent to it."""

    PREFIX = "rcp"
    UNBOUND = ("opened_at",)

    token_id = TextField()
    digest = TextField()  # of the address, by the key of the target
    code_digest = TextField(null=True)
    code_until = BigIntegerField(null=True)
    code_failures = IntegerField(default=0)
    opened_at = BigIntegerField(null=True)

    target: Target

    address = Sealed[str](never_remembered="The address of a person.")
    """'' of the row that stands for all addresses without a code."""

    @classmethod
    def of_address(cls, target: Target, token_id: str, address: str) -> Self:
        """Return the row of an address; call it in a transaction.

        All addresses that were sent no code share one row, so that judging a code takes as long for
        them as for an address that was sent one.
        """
        wanted = _keyed_digest(target, token_id, address)
        others = _keyed_digest(target, token_id, "")
        found = cls.select().where(cls.token_id == token_id, cls.digest.in_([wanted, others]))
        rows = {row.digest: row for row in cls.rows(found)}
        row: Self = rows.get(wanted) or rows.get(others) or cls._add(target, token_id, "")
        row.target = target
        return row

    @classmethod
    def _add(cls, target: Target, token_id: str, address: str) -> Self:
        digest = _keyed_digest(target, token_id, address)
        cls.delete().where(cls.token_id == token_id, cls.digest == digest).execute()  # altered
        row = cls.fresh(owner_id=target.owner_id, token_id=token_id)
        row.store_without_code(target, address)
        cls.keep_newest(MOST_RECIPIENTS, token_id=token_id)
        return row

    def store_without_code(self, target: Target, address: str) -> None:
        """Store the row of an address that was sent no code."""
        self.target_id = target.id
        self.digest = _keyed_digest(target, self.token_id, address)
        self.target = target
        self.address = address
        self.code_failures = 0
        self.store()

    @classmethod
    def draw_code(cls, target: Target, token_id: str, address: str) -> str:
        """Return a new code, which replaces the former one."""
        with transaction(target.owner_id):
            row = cls.of_address(target, token_id, address)
            if row.digest != _keyed_digest(target, token_id, address):
                row = cls._add(target, token_id, address)
            code = f"{secrets.randbelow(10**8):08}"
            digest = _keyed_digest(target, row.id, code, "code/1")
            row.change(code_digest=digest, code_until=now() + CODE_MS, code_failures=0)
        return code

    @classmethod
    def prove(cls, target: Target, grant: Gated, address: str, code: str) -> Self:
        """Return the recipient with this address and code; raise `WrongCode` for any other."""
        is_listed = grant.gate.lists_recipient(address)
        with transaction(target.owner_id):
            row = cls.of_address(target, grant.id, address)
            row.change(code_failures=row.code_failures + 1)
            opens = is_listed and row._accepts_code(re.sub(r"\s", "", without_blanks(code)))
        if not opens:
            reason = "code" if is_listed else "recipient"
            Event.record_refusal(target.owner_id, grant.id, target.id, reason)
            raise WrongCode
        return row

    def _accepts_code(self, code: str) -> bool:
        """Return whether the code is right, in the transaction that has counted the try.

        A right code was no wrong try, and goes on working for 12 hours from its first use.
        """
        stored = self.code_digest or ""
        as_sent = _keyed_digest(self.target, self.id, code, "code/1")
        as_opened = _keyed_digest(self.target, self.id, code, "opened/1")
        is_first_use = hmac.compare_digest(as_sent, stored)
        is_later_use = hmac.compare_digest(as_opened, stored)
        is_right = is_first_use or is_later_use
        if self.code_failures > MOST_TRIES or has_passed(self.code_until) or not is_right:
            return False
        changes: dict[str, Any] = {"code_failures": self.code_failures - 1}
        if is_first_use:
            changes["code_digest"] = as_opened
            changes["code_until"] = now() + OPENED_CODE_MS
        self.change(**changes)
        return True

    def note_opening(self) -> bool:
        """Return whether this is the first opening by this recipient; call it in a transaction."""
        is_first = (Recipient.id == self.id) & Recipient.opened_at.is_null()
        return bool(Recipient.update(opened_at=now()).where(is_first).execute())


def _keyed_digest(target: Target, of: str, text: str, purpose: str = "recipient/1") -> str:
    return sealing.keyed_digest(target.key, purpose, of, text)
