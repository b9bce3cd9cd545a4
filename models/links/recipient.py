"""Those for whom a link is, and the codes that they get by mail.

A code is drawn when its mail is first tried, so to ask for one takes as long for any address. One
wrong try after another is counted, under the owner's lock, before the code is compared.
"""

import hmac
import re
import secrets
from typing import Any, Self

from peewee import BigIntegerField, BlobField, IntegerField, TextField

from crypto import sealing

from ..core import WrongCredentials, now
from ..events import KINDS, Event
from ..records import Authenticated, Owned, has_passed
from ..storage import transaction
from .target import Target

MOST_TRIES = 5
CODE_MS, OPENED_CODE_MS = KINDS["code"].life_seconds * 1000, 12 * 60 * 60 * 1000
MOST = 10_000  # of a link; the oldest go


class WrongCode(WrongCredentials):
    sentence = "This code is not right, or it has ended. Check the address, or ask for a new code."


class Recipient(Authenticated, Owned):
    PREFIX = "rcp"
    AUTHORITY = (
        *("id", "owner_id", "target_id", "token_id", "digest", "sealed_address"),
        *("code_digest", "code_until", "code_failures"),
    )

    target_id = TextField(column_name="document_id")
    token_id = TextField()
    digest = TextField()  # of the address, by the key of the target
    sealed_address = BlobField()
    code_digest = TextField(null=True)
    code_until = BigIntegerField(null=True)
    code_failures = IntegerField(default=0)
    opened_at = BigIntegerField(null=True)

    target: Target

    @classmethod
    def of(cls, target: Target, token_id: str, address: str) -> Self:
        """The row of an address; of one that was sent no code the row of all such, so that to judge
        either takes as long. In a transaction.
        """
        wanted, others = (_digest(target, token_id, one) for one in (address, ""))
        found = cls.select().where(cls.token_id == token_id, cls.digest.in_([wanted, others]))
        rows = {row.digest: row for row in cls.genuine(found)}
        row: Self = rows.get(wanted) or rows.get(others) or cls._add(target, token_id, "")
        row.target = target
        return row

    @classmethod
    def _add(cls, target: Target, token_id: str, address: str) -> Self:
        digest = _digest(target, token_id, address)
        cls.delete().where(cls.token_id == token_id, cls.digest == digest).execute()  # altered
        row: Self = cls.fresh(
            owner_id=target.owner_id, target_id=target.id, token_id=token_id, digest=digest
        )
        row.sealed_address, row.code_failures = target.seal("recipient/1", row.id, address), 0
        row.insert_row()
        cls.keep_newest(MOST, cls.token_id == token_id)
        return row

    @classmethod
    def draw_code(cls, target: Target, token_id: str, address: str) -> str:
        """A new code, which replaces the former one."""
        with transaction(target.owner_id):
            row = cls.of(target, token_id, address)
            if row.digest != _digest(target, token_id, address):
                row = cls._add(target, token_id, address)
            code = f"{secrets.randbelow(10**8):08}"
            digest = _digest(target, row.id, code, "code/1")
            row.change(code_digest=digest, code_until=now() + CODE_MS, code_failures=0)
        return code

    @classmethod
    def prove(cls, target: Target, token: Any, address: str, code: str) -> Self:
        """The recipient with this address and code. `WrongCode`, always the same, for any other."""
        is_listed = token.gate.admits(address)
        with transaction(target.owner_id):
            row = cls.of(target, token.id, address)
            row.change(code_failures=row.code_failures + 1)
            opens = is_listed and row._takes(re.sub(r"\s", "", code))
        if not opens:
            reason = "code" if is_listed else "recipient"
            Event.record_refusal(target.owner_id, token.id, target.id, reason)
            raise WrongCode
        return row

    def _takes(self, code: str) -> bool:
        """Whether it is the right one. Then it was no wrong try, and goes on working for 12 hours
        from its first use; in the transaction that has counted it.
        """
        states = [_digest(self.target, self.id, code, of) for of in ("code/1", "opened/1")]
        is_right = [hmac.compare_digest(state, self.code_digest or "") for state in states]
        if self.code_failures > MOST_TRIES or has_passed(self.code_until) or not any(is_right):
            return False
        opened = {"code_digest": states[1], "code_until": now() + OPENED_CODE_MS}
        self.change(code_failures=self.code_failures - 1, **(opened if is_right[0] else {}))
        return True

    def note_opening(self) -> bool:
        """Whether it is the first one by this recipient; in a transaction."""
        seen = Recipient.opened_at.is_null(), Recipient.id == self.id
        return bool(Recipient.update(opened_at=now()).where(*seen).execute())


def _digest(target: Target, of: str, text: str, purpose: str = "recipient/1") -> str:
    return sealing.keyed_digest(target.key, purpose, of, text)
