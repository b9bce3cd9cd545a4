"""Migrations: files that bring a database to the present schema, in the order of their names.

The first one, `0001_schema`, is the schema of version 1.0. Databases of versions before it are not
migrated.

A migration has up to three files of its name, which run in this order: SQL in SQLite's types, for
both engines; in `sqlite/` or `postgres/`, SQL for that engine alone; and Python with
`up(migrator, db)`, for computations.
"""

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

from playhouse.migrations import Migration, Runner

FIRST_MIGRATION = "0001_schema"


class _Migration(Migration):  # type: ignore[misc]
    """A migration. `path` holds the paths of its files."""

    TYPES: ClassVar[dict[str, str]] = {}  # that the engine calls otherwise than SQLite

    def load(self) -> Any:
        return SimpleNamespace(up=self._up)

    def _up(self, migrator: Any, db: Any) -> None:
        for path in self.path:
            if path.suffix == ".py":
                Migration(self.idx, self.name, path, None).load().up(migrator, db)
            else:
                for statement in self._statements(path.read_text()):
                    db.execute_sql(statement)

    def _statements(self, text: str) -> list[str]:
        """Return the statements, each of which begins at the beginning of a line."""
        for type, called in self.TYPES.items():
            text = re.sub(rf"\b{type}\b", called, text)
        return re.split(r";\n(?! )", text.rstrip().removesuffix(";"))


class _OnServer(_Migration):
    """A migration on a server. Text sorts by its bytes, whatever the language of the database."""

    TYPES: ClassVar = {"TEXT": 'TEXT COLLATE "C"', "INTEGER": "BIGINT", "BLOB": "BYTEA"}


class MigrationRunner(Runner):  # type: ignore[misc]
    """A runner of all migrations, or of `only` these, in another order perhaps."""

    def __init__(
        self,
        database: Any,
        directory: str,
        *,
        on_server: bool = False,
        only: Collection[str] | None = None,
    ) -> None:
        super().__init__(database, directory)
        self._folders = [
            Path(directory),
            Path(directory, "postgres" if on_server else "sqlite"),
        ]
        self._kind = _OnServer if on_server else _Migration
        self._only = only

    def names(self) -> list[str]:
        """Return the names of the migrations in the order in which they run."""
        known = {path.stem for folder in self._folders for path in folder.glob("[0-9]*.*")}
        return sorted(known) if self._only is None else [*filter(known.__contains__, self._only)]

    def migrations(self) -> list[Any]:
        return [self._migration(name, place) for place, name in enumerate(self.names())]

    def _migration(self, name: str, place: int) -> _Migration:
        return self._kind(place, name, tuple(self._files(name)), None)

    def _files(self, name: str) -> Iterator[Path]:
        for folder in self._folders:
            yield from folder.glob(f"{name}.sql")
        yield from Path(self.directory).glob(f"{name}.py")
