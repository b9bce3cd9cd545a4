"""Archives: ZIP, tar and packed files as a list; small files can be looked into."""

from typing import Final

from ...markup.formatting import format_count
from ...sandbox.process import Job, SandboxError
from .. import card
from ..original import Original
from ..preview import SECTION_STYLES, Preview, section

JOB: Final = Job("viewer.formats.archives.members", memory_mb=768, cpu_seconds=10, seconds=20)
LABELS: Final = {
    "application/x-tar": "Archive",
    "application/gzip": "Packed by gzip",
    "application/x-bzip2": "Packed by bzip2",
    "application/x-xz": "Packed by xz",
    "application/x-archive": "Archive",
    "application/vnd.debian.binary-package": "Debian package",
    "application/java-archive": "Java archive",
    "application/epub+zip": "Book",
}
CUT: Final = "Only the first files are listed. Save the original to see all."
ENCRYPTED: Final = "Files in it are encrypted. Save the original to open them with their password."
UNREADABLE: Final = "This file says it is an archive, but it is not one that can be read."


def preview(original: Original, media_type: str) -> Preview:
    """Return the names and sizes of the files, and the small ones among them as links."""
    result = original.run(JOB, original.pieces(), {"name": original.name})
    if result.failure == "format":
        return card.preview(original, media_type, UNREADABLE)
    if not result.messages:
        raise SandboxError(result.failure or "no list")
    (facts, html), *files = result.messages
    more = "more than " if facts["cut"] else ""
    notes = (CUT if more else "", ENCRYPTED if facts["encrypted"] else "")
    return Preview(
        "archive",
        LABELS.get(media_type, "ZIP archive"),
        html + section("Small files", files),
        facts=(more + format_count(int(facts["files"]), "file"),),
        styles=("grid.css", *SECTION_STYLES),
        note=" ".join(filter(None, notes)),
    )
