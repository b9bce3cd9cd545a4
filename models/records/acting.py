"""A credential of an account that others act as, with the membership that permits it to one person.

All four rows are found by one query, and each has to be genuine.
"""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from peewee import Table as TableReference

from ..core import now
from ..storage import param, prepared
from .authenticated import (
    OWNER_COLUMNS,
    Authenticated,
    Credential,
    OwnerAuthority,
    genuine_owner,
    log_altered,
    owner_columns,
)
from .keyed import OWNER_TABLE

C = TypeVar("C", bound=Credential)
M = TypeVar("M", bound=Authenticated)


@dataclass(frozen=True)
class PresentedByMember(Generic[C, M]):
    """A credential of the account `owner`, and the member of it, the `person`, who acts by it."""

    row: C
    member: M
    owner: OwnerAuthority
    person: OwnerAuthority


def presented_by_member(
    credentials: type[C], members: type[M], id: str
) -> PresentedByMember[C, M] | None:
    """Return the credential with this id, with its member, account and person.

    The member is the row with the credential's owner as `space_id` and `acting_user_id` as
    `user_id`. None if one of the rows is absent or altered, or the credential is no longer `live`.
    """
    values = _by_member(credentials, members).first(id=id, now=now())
    if values is None:
        return None
    of_member = len(credentials._meta.sorted_fields)
    of_owner = of_member + len(members._meta.sorted_fields)
    of_person = of_owner + OWNER_COLUMNS
    row = credentials._of_row(values[:of_member])
    member = members._of_row(values[of_member:of_owner])
    owner = genuine_owner(values[of_owner:of_person])
    person = genuine_owner(values[of_person:])
    if not (row.is_genuine() or log_altered(row.id)):
        return None
    if not (member.is_genuine() or log_altered(member.id)):
        return None
    if owner is None or person is None:
        return None
    return PresentedByMember(row, member, owner, person)


@prepared
def _by_member(credentials: Any, members: Any) -> Any:
    owner = TableReference(OWNER_TABLE).alias("owner")
    person = TableReference(OWNER_TABLE).alias("person")
    columns = (
        *credentials._meta.sorted_fields,
        *members._meta.sorted_fields,
        *owner_columns(owner),
        *owner_columns(person),
    )
    return (
        credentials.select(*columns)
        .from_(credentials, members, owner, person)
        .where(
            credentials.id == param("id"),
            *credentials.live(param("now")),
            members.space_id == credentials.owner_id,
            members.user_id == credentials.acting_user_id,
            owner.c.id == credentials.owner_id,
            person.c.id == credentials.acting_user_id,
        )
    )
