"""Archives: ZIP, tar and packed files as a list; small files can be looked into."""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, Final

from ..formatting import format_count, format_size
from ..media_types import UNKNOWN
from ..original import Original
from ..preview import Preview
from ..sandbox.process import SandboxError
from ..templating import render
from . import card
from .files import File, section

SECONDS: Final = 20
LABELS: Final = {
    "application/x-tar": "Archive",
    "application/gzip": "Packed by gzip",
    "application/x-bzip2": "Packed by bzip2",
    "application/x-xz": "Packed by xz",
    "application/java-archive": "Java archive",
    "application/epub+zip": "Book",
}
UNREADABLE: Final = "This file says it is an archive, but it is not one that can be read."


def preview(original: Original, media_type: str) -> Preview:
    """Return the names and sizes of the files, and the small ones among them as links."""
    result = original.run("archive", original.pieces(), {"name": original.name}, seconds=SECONDS)
    if result.failure == "format":
        return card.preview(original, media_type, UNREADABLE)
    if not result.messages:
        raise SandboxError(result.failure or "no list")
    (facts, _), *contents = result.messages
    listed = facts["files"]
    taken = list(_taken(listed, [content for _, content in contents]))
    html = render("kinds/archive.html", rows=list(_rows(listed)))
    more = "more than " if facts["cut"] else ""
    return Preview(
        "archive",
        LABELS.get(media_type, "ZIP archive"),
        html.encode("utf-8", "replace") + (section("Small files", taken) if taken else b""),
        facts=(more + format_count(len(listed), "file"),),
        styles=("grid.css", "files.css"),
        note="Only the first files are listed. Save the original to see all." if more else "",
    )


def _rows(listed: Sequence[Any]) -> Iterator[tuple[str, str, int | None]]:
    """Yield name, size, and the number of a file that was taken out."""
    numbers = count(1)
    for name, size, is_taken in listed:
        shown = "" if size is None else format_size(size)
        yield name, shown, next(numbers) if is_taken else None


def _taken(listed: Sequence[Any], contents: Sequence[bytes]) -> Iterator[File]:
    names = (name for name, _, is_taken in listed if is_taken)
    for name, content in zip(names, contents, strict=False):
        yield File(name, UNKNOWN, len(content), content)
