"""Any other zip: the list of what is in it. Nothing is unpacked."""

from viewer.sandbox.office.grid import html_table
from viewer.sandbox.office.package import Package
from viewer.wording import counted

MOST_ENTRIES = 3_000


def read(package: Package) -> tuple[str, list[str]]:
    """Names and sizes."""
    entries = package.archive.infolist()
    rows = [["Name", "Size", "Packed"]]
    for entry in entries[:MOST_ENTRIES]:
        rows.append([entry.filename, f"{entry.file_size:,}", f"{entry.compress_size:,}"])
    return html_table(rows), [counted(len(entries), "file")]
