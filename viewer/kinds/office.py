"""Office and OpenDocument files, and archives: reading views made in the child."""

from typing import Final

from viewer.original import Original
from viewer.preview import Preview
from viewer.sandbox.process import result

SECONDS: Final = 15
LABELS: Final = {
    "docx": "Word document",
    "xlsx": "Spreadsheet",
    "pptx": "Presentation",
    "odt": "Text document",
    "ods": "Spreadsheet",
    "odp": "Presentation",
    "zip": "Archive",
}
BROAD: Final = frozenset({"xlsx", "ods", "pptx", "odp", "zip"})
NOTE: Final = "Reading view: text, tables and pictures. The layout may differ from the original."


def preview(original: Original, _kind: str) -> Preview:
    """Structure, text, tables and pictures; what it is, is read from the file itself."""
    facts, html = result("office", original.pieces(), {}, seconds=SECONDS)
    form = str(facts["form"])
    broad = " broad" if form in BROAD else ""
    return Preview(
        "office",
        LABELS[form],
        f'<article class="prose{broad}">{html}</article>',
        facts=tuple(map(str, facts["counts"])),
        note="" if form == "zip" else NOTE,
        tools=frozenset({"zoom"}),
    )
