"""An attempt to send something: which process makes it, and how it ended.

Deliveries of webhooks and mails wait in rows. Rows of one lane are sent one after another: the
deliveries to a webhook, the mails of an owner. Where several processes serve one database, the one
that holds the claim of a lane sends.
"""

import socket
import ssl
import threading
from dataclasses import dataclass
from typing import Any

from peewee import BigIntegerField, IntegerField, Model, TextField

from ..records import Table
from ..runtime import node_name
from ..storage import SERVER_NOW, connected, database, engine

LEASE_MS = 20_000  # longer than an attempt takes; a killed process holds nothing back for long

delivery_queued = threading.Event()  # set when there is something new to send


@dataclass(frozen=True)
class Outcome:
    """The result of an attempt: the receiver's status and answer, or an error in a sentence.

    A row that is refused `for_good` is not tried again.
    """

    duration_ms: int
    status: int | None = None
    answer: str | None = None
    error: str | None = None
    retry_after_seconds: int = 0
    for_good: bool = False

    @property
    def succeeded(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


def failure_of(error: Exception, deadline_seconds: float) -> str:
    """Return a sentence that says why there was no answer."""
    cause = error.__context__ if isinstance(error.__context__, TimeoutError) else error
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"The certificate is not good: {cause.verify_message}."
    if isinstance(cause, TimeoutError):
        return f"There was no answer within {deadline_seconds:g} s."
    if isinstance(cause, socket.gaierror):
        return "The name is not known."
    if isinstance(cause, ConnectionRefusedError):
        return "The connection was refused."
    return f"The connection failed: {type(cause).__name__}."


class Claim(Model):
    """The right of a process to send the rows of a lane: a lease by the server's clock."""

    lane = TextField(primary_key=True)
    node_id = TextField()
    until = BigIntegerField()

    class Meta:
        database = database

    @classmethod
    def take(cls, lane: str) -> bool:
        """Claim a lane, and return whether this process sends next in it."""
        claim = cls.insert(lane=lane, node_id=node_name(), until=SERVER_NOW + LEASE_MS)
        free = claim.on_conflict(
            conflict_target=[cls.lane],
            preserve=[cls.node_id, cls.until],
            where=cls.until <= SERVER_NOW,
        )
        with connected():
            return bool(free.as_rowcount().execute())


class Sendable(Table):
    """A row that is to be sent at `due_at`, after so many `attempts`."""

    owner_id: "TextField[str]"
    due_at: "BigIntegerField[int | None]"
    attempts: "IntegerField[int]"

    @property
    def lane(self) -> str:
        raise NotImplementedError

    def itself(self) -> Any:
        """Return the condition that finds this row."""
        return type(self).id == self.id

    def record_failure(self, due_at: int | None) -> bool:
        """Count an attempt that raised an error. Without `due_at` no further one is made.

        Returns whether the row is given up.
        """
        raise NotImplementedError

    def claim(self) -> bool:
        """Claim the row; return whether this process sends it now. Then call `release_lane`."""
        if engine().is_shared and not Claim.take(self.lane):
            return False
        table = type(self)
        unchanged = table.due_at == self.due_at, table.attempts == self.attempts
        with connected():
            is_unchanged = bool(table.select().where(self.itself(), *unchanged).exists())
        if not is_unchanged:  # another one was faster, and is done
            release_lane(self.lane)
        return is_unchanged


def release_lane(lane: str) -> None:
    """Let others send, after the outcome was stored."""
    _release(Claim.lane == lane)


def release_lanes() -> None:
    """Release the lanes of this process at its end, or of a killed process of the same name."""
    _release()


def _release(*which: Any) -> None:
    if engine().is_shared:
        with connected():
            Claim.delete().where(Claim.node_id == node_name(), *which).execute()
