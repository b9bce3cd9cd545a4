"""Does everything open? Each check gives the sentences of what is wrong."""

from collections.abc import Callable, Iterator
from typing import Any

from crypto import DecryptionError, KeyringError

from ..document import Document
from ..errors import NotFound
from ..setup import TABLES_WITH_KEYS
from ..storage.database import database
from ..user import User
from .progress import ReportProgress, no_progress

ROWS = 200


def keys(tell: ReportProgress = no_progress) -> list[str]:
    """Every row's key, unwrapped."""
    done, wrong, total = 0, [], sum(table.select().count() for table in TABLES_WITH_KEYS)
    for table in TABLES_WITH_KEYS:
        for row in _every(table):
            wrong += _unless(_open_key, row)
            done += 1
            tell(done, total)
    return wrong


def payloads(tell: ReportProgress = no_progress) -> list[str]:
    """Every row's key, and all that is sealed with it: names, passwords, and each piece."""
    wrong = keys()
    for user in _every(User):
        wrong += _unless(_open_user, user)
    done, (_, total) = 0, Document.stored()
    for document in _every(Document):
        wrong += _unless(_read, document)
        done += document.size
        tell(done, total)
    return list(dict.fromkeys(wrong))


def database_file(deep: bool) -> list[str]:
    """What SQLite finds wrong with its file; `deep` also compares indexes with their tables."""
    look = "integrity_check" if deep else "quick_check"
    said = [str(one) for (one,) in database.execute_sql(f"PRAGMA {look}(10)").fetchall()]
    wrong = [one for one in said if one != "ok"]
    return [f"The database file is damaged ({one}). Restore a backup." for one in wrong]


def some_payloads(count: int) -> list[str]:
    """The last piece of some documents, drawn by lot."""
    drawn = Document.rows("TRUE ORDER BY RANDOM() LIMIT :count", count=count)
    return [sentence for document in drawn for sentence in _unless(_read_end, document)]


def _every(table: Any) -> Iterator[Any]:
    after = ""
    while rows := table.rows("id > :after ORDER BY id LIMIT :rows", after=after, rows=ROWS):
        yield from rows
        after = rows[-1].id


def _unless(opens: Callable[[Any], Any], row: Any) -> list[str]:
    """What is wrong, unless it opens, or has been deleted since it was read."""
    try:
        opens(row)
    except (DecryptionError, KeyringError):
        return [f"{row.id} does not open."] if row.rows("id = :id", id=row.id) else []
    except NotFound:
        return []
    return []


def _open_key(row: Any) -> None:
    _ = row.key


def _open_user(user: User) -> None:
    _ = user.name, user.password_digest


def _read(document: Document) -> None:
    _ = document.meta
    for _ in document.read():
        pass


def _read_end(document: Document) -> None:
    _ = document.meta
    for _ in document.read(max(document.size - 1, 0)):
        pass
