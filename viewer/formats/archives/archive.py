"""The names of archives by their media types."""

from typing import Final

LABELS: Final = {
    "application/zip": "ZIP archive",
    "application/x-tar": "Archive",
    "application/gzip": "Packed by gzip",
    "application/x-bzip2": "Packed by bzip2",
    "application/x-xz": "Packed by xz",
    "application/java-archive": "Java archive",
    "application/epub+zip": "Book",
}
