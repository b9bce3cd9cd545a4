"""Lists the entries of a zip archive. Nothing is unpacked."""

from ...formatting import format_count
from .grid import html_table
from .package import Package

MAX_ENTRIES = 3_000


def read(package: Package) -> tuple[str, list[str]]:
    entries = package.archive.infolist()
    rows = [["Name", "Size", "Packed"]]
    for entry in entries[:MAX_ENTRIES]:
        rows.append([entry.filename, f"{entry.file_size:,}", f"{entry.compress_size:,}"])
    return html_table(rows), [format_count(len(entries), "file")]
