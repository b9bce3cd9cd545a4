"""Runs in the child. Office and OpenDocument files -> a reading view, with the standard library.

Structure, text, tables and pictures, not the page layout: the original is one click away.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from viewer.decoding import load_codecs
from viewer.sandbox.frames import Frame
from viewer.sandbox.office import archive, docx, odf, pptx, xlsx
from viewer.sandbox.office.package import Package
from viewer.sandbox.sanitizer import clean

Reader = Callable[[Package], tuple[str, list[str]]]

FORMS: Final[tuple[tuple[str, str, Reader], ...]] = (
    ("word/document.xml", "docx", docx.read),
    ("xl/workbook.xml", "xlsx", xlsx.read),
    ("ppt/presentation.xml", "pptx", pptx.read),
)


def prepare(_data: bytes, _order: dict[str, Any]) -> None:
    """Names in old archives are in cp437."""
    load_codecs("cp437")


def frames(data: bytes, _order: dict[str, Any]) -> Iterator[Frame]:
    """One fragment, and which form it was."""
    package = Package(data)
    form, reader = _form(package)
    html, counts = reader(package)
    yield {"form": form, "counts": counts}, clean(html).encode("utf-8", "replace")


def _form(package: Package) -> tuple[str, Reader]:
    for part, form, reader in FORMS:
        if part in package.names:
            return form, reader
    open_document = odf.form(package)
    return (open_document, odf.read) if open_document else ("zip", archive.read)
