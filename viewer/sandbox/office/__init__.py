"""Runs in the child process. Renders office files as a reading view.

Shown are structure, text, tables and pictures, but not the page layout.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from .. import MAX_HTML, MAX_PICTURES
from ..messages import Message
from ..sanitizer import sanitize_fragment
from . import docx, odf, pptx, xlsx
from .package import Package

Reader = Callable[[Package], tuple[str, list[str]]]

FORMATS: Final[tuple[tuple[str, str, Reader], ...]] = (
    ("word/document.xml", "docx", docx.read),
    ("ppt/presentation.xml", "pptx", pptx.read),
)


# Shown by other jobs.
WORKBOOK: Final[tuple[str, Reader]] = ("sheets", lambda _: ("", []))
ARCHIVE: Final[tuple[str, Reader]] = ("zip", lambda _: ("", []))


def render(data: bytes, _options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the view, the file format, and what there is to count."""
    package = Package(data)
    file_format, reader = _detect_format(package)
    html, counts = reader(package)
    limit = MAX_HTML + MAX_PICTURES - package.picture_bytes_left
    cut = len(html) > limit or package.pictures_left_out
    facts = {
        "format": file_format,
        "counts": counts,
        "left_out": dict(package.left_out),
        "cut": cut,
    }
    yield facts, sanitize_fragment(html[:limit]).encode("utf-8", "replace")


def _detect_format(package: Package) -> tuple[str, Reader]:
    for part, file_format, reader in FORMATS:
        if part in package.names:
            return file_format, reader
    if xlsx.WORKBOOK in package.names:
        return WORKBOOK
    open_document = odf.detect_format(package)
    if open_document == "ods":
        return WORKBOOK
    return (open_document, odf.read) if open_document else ARCHIVE
