"""SQLite databases and Parquet files: what tables and columns they have, and the first rows."""

from typing import Final

from ...markup.formatting import format_count
from ...sandbox.process import Job, SandboxError
from .. import card
from ..original import Original
from ..preview import Preview

SQLITE: Final = "application/vnd.sqlite3"
PARQUET: Final = "application/vnd.apache.parquet"
MAX_SIZE: Final = 128 << 20  # of a database, which is read as a whole
MAX_FOOTER: Final = 16 << 20  # of a Parquet file: its schema is at the end
JOB: Final = Job("viewer.formats.databases.sqlite_tables", memory_mb=768, cpu_seconds=8, seconds=15)
PARQUET_JOB: Final = Job(
    "viewer.formats.databases.parquet_schema", memory_mb=512, cpu_seconds=5, seconds=10
)
TOO_LARGE: Final = "This database is too large to be looked into here. Save it to open it."
STYLES: Final = ("grid.css", "databases/tables.css")


def preview(original: Original, media_type: str) -> Preview:
    """Return the tables with their columns and first rows; a card above MAX_SIZE."""
    if original.size > MAX_SIZE:
        return card.preview(original, media_type, TOO_LARGE)
    (facts, html) = original.run_html_job(JOB, {})
    tables, shown = int(facts["tables"]), int(facts["shown"])
    note = "" if shown == tables else f"Only the first {shown:,} tables are shown."
    if facts["damaged"]:
        note = "This database is damaged: not all of it could be read."
    counted = (format_count(tables, "table"),)
    return Preview("database", "SQLite database", html, facts=counted, note=note, styles=STYLES)


def parquet_preview(original: Original, media_type: str) -> Preview:
    """Return the columns, and how many rows they have."""
    end = original.read(max(0, original.size - MAX_FOOTER), original.size)
    result = original.run(PARQUET_JOB, end, {})
    if result.failure == "encrypted":
        return card.preview(original, media_type, "This Parquet file is encrypted.")
    if result.failure or len(result.messages) != 1:
        raise SandboxError(result.failure or "not one message")
    ((facts, html),) = result.messages
    counted = format_count(facts["columns"], "column"), format_count(facts["rows"], "row")
    note = "The columns are shown, not the rows. Save the original to read them."
    return Preview("database", "Parquet", html, facts=counted, note=note, styles=STYLES)
