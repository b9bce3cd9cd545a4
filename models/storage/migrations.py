"""Runs migrations: files of SQL that both engines execute, in the order of their names.

They are written in SQLite's types. What only a server needs, or what is to be said otherwise there,
is in `postgres/`: it comes behind the migration of the same name. A server begins with the first
one there, `0015_baseline`. A migration that computes is a file of Python, with `up(migrator, db)`.
"""

import re
from collections.abc import Collection
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

from playhouse.migrations import Migration, Runner


class _Migration(Migration):  # type: ignore[misc]
    """`path` holds those of its files."""

    TYPES: ClassVar[dict[str, str]] = {}  # that the engine calls otherwise than SQLite

    def load(self) -> Any:
        if self.path[0].suffix == ".py":
            return Migration(*self)._replace(path=self.path[0]).load()
        text = "".join(path.read_text() for path in self.path)
        for type, called in self.TYPES.items():
            text = re.sub(rf"\b{type}\b", called, text)
        return SimpleNamespace(up=partial(_execute, text.rstrip().removesuffix(";").split(";\n")))


class _OnServer(_Migration):
    """Text sorts by its bytes, whatever the language of the database: ids are compared."""

    TYPES: ClassVar = {"TEXT": 'TEXT COLLATE "C"', "INTEGER": "BIGINT", "BLOB": "BYTEA"}


class MigrationRunner(Runner):  # type: ignore[misc]
    """`only` are the names of those to run, in another order perhaps."""

    def __init__(
        self,
        database: Any,
        directory: str,
        *,
        on_server: bool = False,
        only: Collection[str] | None = None,
    ) -> None:
        super().__init__(database, directory)
        self._on_server, self._only = on_server, only

    def migrations(self) -> list[Any]:
        files = sorted(Path(self.directory).glob("[0-9]*.*"))
        if self._on_server:
            own = sorted(Path(self.directory, "postgres").glob("[0-9]*.*"))
            files = [path for path in files if path.stem[:4] > own[0].stem[:4]] + own
        kind, name_of = _OnServer if self._on_server else _Migration, attrgetter("stem")
        by_name = {name: tuple(them) for name, them in groupby(sorted(files, key=name_of), name_of)}
        names = by_name if self._only is None else filter(by_name.get, self._only)
        return [kind(place, name, by_name[name], None) for place, name in enumerate(names)]


def _execute(statements: list[str], _migrator: Any, db: Any) -> None:
    for statement in statements:
        db.execute_sql(statement)
