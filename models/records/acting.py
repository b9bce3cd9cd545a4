"""A credential of an account that others act as, with the membership that permits it to one person.

All four rows are found by one query, and each has to open. Whether they are still there is asked
again in the transaction of what the member does.
"""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from peewee import Table as TableReference

from ..core import now
from ..storage import Prepared, engine, param, prepared
from .credential import Credential, columns_of_owner, is_enabled
from .keyed import Owner
from .owned import SealedByOwner

C = TypeVar("C", bound=Credential)
M = TypeVar("M", bound=SealedByOwner)


@dataclass(frozen=True)
class PresentedByMember(Generic[C, M]):
    """A credential of the account `owner`, and the member of it, the `person`, who acts by it."""

    row: C
    member: M
    owner: Owner
    person: Owner


def presented_by_member(
    credentials: type[C], members: type[M], id: str
) -> PresentedByMember[C, M] | None:
    """Return the credential with this id, with its member, account and person.

    The member is the row of the same owner with the credential's `acting_user_id` as `user_id`.
    None if one of the rows is absent or altered, or the credential is no longer `live`.
    """
    values = _by_member(credentials, members).first(id=id, now=now())
    if values is None:
        return None
    of_member = len(credentials._meta.sorted_fields)
    of_owner = of_member + len(members._meta.sorted_fields)
    of_person = of_owner + len(Owner._meta.sorted_fields)
    row = credentials.of_columns(values[:of_member])
    member = members.of_columns(values[of_member:of_owner])
    owner = Owner.of_columns(values[of_owner:of_person])
    person = Owner.of_columns(values[of_person:])
    if not (owner.is_usable() and person.is_usable()):
        return None
    row.owner = owner
    member.owner = owner
    if not (row.is_usable() and member.is_usable()):
        return None
    return PresentedByMember(row, member, owner, person)


def unended_by_member(credentials: type[C], members: type[M], columns: tuple[str, ...]) -> Prepared:
    """Return the query of these columns of the member who acts by the credential with an `id`.

    It finds nothing if the credential, the membership or one of the accounts was ended since they
    were presented; what ends by time is not judged. Until the transaction ends, nobody ends the
    credential or changes the member.
    """
    return _unended_by_member(credentials, members, columns)


@prepared
def _unended_by_member(credentials: Any, members: Any, columns: tuple[str, ...]) -> Any:
    found = (
        credentials.select(*(getattr(members, name) for name in columns))
        .from_(credentials, members)
        .where(
            credentials.id == param("id"),
            members.owner_id == credentials.owner_id,
            members.user_id == credentials.acting_user_id,
            is_enabled(credentials.owner_id),
            is_enabled(credentials.acting_user_id, credentials.login_generation),
        )
    )
    return engine().keeping(found, credentials, members)


@prepared
def _by_member(credentials: Any, members: Any) -> Any:
    owner = TableReference(Owner._meta.table_name).alias("owner")
    person = TableReference(Owner._meta.table_name).alias("person")
    columns = (
        *credentials._meta.sorted_fields,
        *members._meta.sorted_fields,
        *columns_of_owner(owner),
        *columns_of_owner(person),
    )
    return (
        credentials.select(*columns)
        .from_(credentials, members, owner, person)
        .where(
            credentials.id == param("id"),
            *credentials.live(param("now")),
            members.owner_id == credentials.owner_id,
            members.user_id == credentials.acting_user_id,
            owner.c.id == credentials.owner_id,
            person.c.id == credentials.acting_user_id,
        )
    )
