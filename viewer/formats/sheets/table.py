"""CSV and TSV: a table; text if it can't be parsed."""

import csv
from typing import Any

from ...content.decoding import browser_label
from ...markup.formatting import format_count
from ...markup.names import extension_of
from ...sandbox.process import Job, SandboxError
from ..original import Original
from ..preview import Preview
from ..text import text
from . import csv_table

JOB = Job("viewer.formats.sheets.csv_table", memory_mb=384, cpu_seconds=6, seconds=10)


def preview(original: Original, media_type: str) -> Preview:
    """Return the first rows as a table; plain text if the content can't be parsed."""
    is_tsv = media_type == "text/tab-separated-values" or extension_of(original.name) == "tsv"
    options = {"delimiter": "\t" if is_tsv else ""}
    try:
        facts, html = text.render_start(JOB, csv_table, original, options, in_child=True)
    except (SandboxError, csv.Error):
        return text.preview(original, media_type)
    partial = facts["cut"] or original.size > text.MAX_READ
    return Preview(
        "table",
        "TSV" if facts["delimiter"] == "\t" else "CSV",
        html,
        facts=() if partial else (format_count(int(facts["rows"]), "row"),),
        note=_note(facts, partial=partial),
        tools=frozenset({"zoom"}),
        source={
            "charset": browser_label(str(facts["encoding"])),
            "delimiter": str(facts["delimiter"]),
            "note": _note(facts, partial=False),
            **({"cut": "yes"} if partial else {}),
        },
        styles=("grid.css",),
        scripts=("text/source.js", "sheets/table.js"),
    )


def _note(facts: dict[str, Any], *, partial: bool) -> str:
    shown = [f"the first {format_count(int(facts['rows']), 'row')}"] if partial else []
    if facts["columns"] > csv_table.MAX_COLUMNS:
        columns = format_count(int(facts["columns"]), "column")
        shown.append(f"{csv_table.MAX_COLUMNS} of {columns}")
    return f"Showing {' and '.join(shown)}. Save the original to read all of it." if shown else ""
