"""Runs in the child process. Reads the tables of an SQLite database in memory.

Only tables are read, not views; nothing that the schema defines as code runs, but what computes
columns. Source: the database file format of SQLite, 1.3 (header), and deserialize.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from ...markup.formatting import format_count
from ...sandbox import MAX_HTML
from ...sandbox.messages import Message, shown_as
from .tables import MAX_COLUMNS, table, table_row

MAX_TABLES: Final = 100
MAX_ROWS: Final = 20  # of each table
MAX_LENGTH: Final = 128 << 20  # bytes of a row that is read
VERSIONS: Final = slice(18, 20)  # of the format: 2 is a write-ahead log, which is another file
ROLLBACK_JOURNAL: Final = b"\1\1"
LIMITS: Final = {
    sqlite3.SQLITE_LIMIT_LENGTH: MAX_LENGTH,
    sqlite3.SQLITE_LIMIT_COLUMN: 2_000,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
}
TABLES: Final = (  # pragma_table_list would expand views, which may double at each step
    "SELECT name, rootpage = 0 FROM sqlite_schema"
    " WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name"
)
HIDDEN: Final = frozenset(  # what virtual tables keep in tables beside them: FTS3 to 5, R*Tree
    {"content", "data", "idx", "docsize", "config", "stat", "segments", "segdir"}
    | {"node", "rowid", "parent"}
)
SECONDS: Final = 5.0  # of CPU time for the columns and rows of all tables
STEPS: Final = 100_000  # of SQLite's machine, after each of which the time is asked
COLUMNS: Final = "SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden <> 1"


def render(data: bytes, _options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the tables; raise sqlite3.DatabaseError if it is no database."""
    database = _opened(data)
    tables = _tables(database)
    deadline = time.process_time() + SECONDS
    database.set_progress_handler(lambda: time.process_time() > deadline, STEPS)
    out: list[str] = []
    size, damaged = 0, False
    for name, is_virtual in tables[:MAX_TABLES]:
        html, whole = _table(database, name, is_virtual=is_virtual)
        size, damaged = size + len(html), damaged or not whole
        if size > MAX_HTML:
            break
        out.append(html)
    cut = f"Only the first {len(out):,} tables are shown." if len(out) < len(tables) else ""
    left_out = "Not all of this database could be read: it is damaged, or takes too long."
    note = left_out if damaged else cut
    facts = shown_as("SQLite database", format_count(len(tables), "table"), notes=[note])
    yield facts, "".join(out).encode("utf-8", "replace")


def _opened(data: bytes) -> sqlite3.Connection:
    changed = bytearray(data)
    changed[VERSIONS] = ROLLBACK_JOURNAL
    database = sqlite3.connect(":memory:")
    for limit, value in LIMITS.items():
        database.setlimit(limit, value)
    database.deserialize(changed)
    for setting in ("trusted_schema = OFF", "query_only = ON", "temp_store = MEMORY"):
        database.execute(f"PRAGMA {setting}")
    database.text_factory = lambda text: text.decode("utf-8", "replace")
    return database


def _tables(database: sqlite3.Connection) -> list[tuple[str, bool]]:
    """Return the name of each table, and whether it is virtual."""
    found = database.execute(TABLES).fetchall()
    virtual = {name for name, is_virtual in found if is_virtual}

    def is_hidden(name: str) -> bool:
        stem, _, last = name.rpartition("_")
        return last in HIDDEN and stem in virtual

    return [(name, bool(is_virtual)) for name, is_virtual in found if not is_hidden(name)]


def _table(database: sqlite3.Connection, name: str, *, is_virtual: bool) -> tuple[str, bool]:
    """Return a table as HTML, and whether all of it could be read; no rows of a virtual one."""
    columns: list[tuple[str, str]] = []
    rows: list[str] = []
    about, whole = "virtual table" if is_virtual else "", False
    with suppress(sqlite3.Error):
        columns = database.execute(COLUMNS, (name,)).fetchmany(MAX_COLUMNS)
        if columns and not is_virtual:
            chosen = ", ".join(_quoted(column) for column, _ in columns)
            source = f"FROM {_quoted(name)}"
            for row in database.execute(f"SELECT {chosen} {source} LIMIT {MAX_ROWS}"):
                rows.append(table_row(row))
            count = int(database.execute(f"SELECT count(*) {source}").fetchone()[0])
            first = f", the first {MAX_ROWS}:" if count > MAX_ROWS else ""
            about = format_count(count, "row") + first
        whole = True
    return table(name, about, columns, rows), whole


def _quoted(name: str) -> str:
    return '"{}"'.format(name.replace('"', '""'))
