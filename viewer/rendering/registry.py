"""Chooses how a document is shown. One module per kind of document."""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Final, NamedTuple

from ..content.detection import PACKED_SVG
from ..content.media_types import IMAGES, OPEN_DOCUMENT, OPEN_XML, PDF
from ..formats import card
from ..formats.archives import archive
from ..formats.calendars import agenda
from ..formats.databases import database
from ..formats.fonts import font
from ..formats.mail import mail
from ..formats.maps import track
from ..formats.original import Original
from ..formats.pdf import pdf
from ..formats.pdf.pages import PdfPages
from ..formats.pictures import headers, picture
from ..formats.preview import OtherFormatError, Preview
from ..formats.sheets import spreadsheet, table
from ..formats.text import code, markdown, notebook, subtitles, text
from ..formats.web import html
from ..formats.words import book, converted, office
from ..sandbox.process import SandboxError

Renderer = Callable[[Original, str], Preview]

BY_TYPE: Final[dict[str, Renderer]] = {
    PDF: pdf.preview,
    "text/markdown": markdown.preview,
    "text/csv": table.preview,
    "text/tab-separated-values": table.preview,
    "text/html": html.preview,
    "application/xhtml+xml": html.preview,
    **dict.fromkeys(("message/rfc822", mail.OUTLOOK), mail.preview),
    "application/zip": office.preview,
    "application/x-ipynb+json": notebook.preview,
    **dict.fromkeys(agenda.TYPES, agenda.preview),
    **dict.fromkeys(IMAGES, picture.image_preview),
    **dict.fromkeys(office.RTF_TYPES, office.rtf_preview),
    **dict.fromkeys(office.UNCONVERTED, office.unconverted_preview),
    **dict.fromkeys(picture.LABELS, picture.preview),
    PACKED_SVG: picture.packed_svg_preview,
    **dict.fromkeys(headers.MESSAGES, headers.preview),
    **dict.fromkeys(font.LABELS, font.preview),
    **dict.fromkeys(track.LABELS, track.preview),
    **dict.fromkeys(subtitles.TYPES, subtitles.preview),
    database.SQLITE: database.preview,
    database.PARQUET: database.parquet_preview,
    **dict.fromkeys(archive.LABELS, archive.preview),
    book.EPUB: book.preview,
    mail.MBOX: mail.mailbox_preview,
}
BY_PREFIX: Final[dict[tuple[str, ...], Renderer]] = {
    ("audio/", "video/"): picture.audio_video_preview,
    spreadsheet.TYPES: spreadsheet.preview,
    (OPEN_XML, OPEN_DOCUMENT): office.preview,
}
# Declared types of files that programs know by their names; but the source of a page is a text.
GENERAL: Final = frozenset({"text/plain", "application/json", "application/xml", "text/xml"})
SOURCES: Final = frozenset({"text/html", "application/xhtml+xml", "image/svg+xml"})
SHOWN_AS_THEY_ARE: Final = (
    picture.image_preview,
    picture.audio_video_preview,
    text.preview,
    code.preview,
)
CARDS: Final = (card.preview, headers.preview, office.unconverted_preview)
FAILED: Final = "The preview could not be drawn. The original is intact."


class Shown(NamedTuple):
    """How a document is shown; `converts` means as the pages that LibreOffice makes of it."""

    media_type: str
    renderer: Renderer
    converts: bool


class Document(Original):
    """An original, of which it is decided once how it is shown."""

    @cached_property
    def shown(self) -> Shown:
        """The type that is declared, unless the detected one is shown better, or is the true one.

        What a name promises is often wrong, as of a photograph in JPEG that is named .heic.
        """
        media_type, is_wrong = self.decided_type
        named = self.named_type
        is_known = named not in SOURCES and BY_TYPE.get(named, card.preview) not in CARDS
        if media_type in GENERAL and is_known and self.detected_type == named:
            media_type = named
        renderer = _renderer(media_type, self.name)
        if is_wrong or renderer in CARDS:
            other = _renderer(self.detected_type, self.name)
            if other not in (CARDS[:1] if is_wrong else CARDS):
                media_type, renderer = self.detected_type, other
        return Shown(media_type, renderer, converted.is_convertible(self, media_type))

    @property
    def has_pages(self) -> bool:
        """Whether it is a PDF, or a document that can be converted to one."""
        return self.shown.media_type == PDF or self.shown.converts

    @property
    def shows_original(self) -> bool:
        """Whether its page shows its bytes as they are: no pages are drawn of them, and nothing
        that they hold is left out.
        """
        return self.shown.renderer in SHOWN_AS_THEY_ARE and not self.shown.converts

    def preview(self) -> Preview:
        """Return how it is shown; a card if it is empty or can't be drawn."""
        if not self.size:
            return card.preview(self, self.media_type, "This document is empty.")
        media_type, renderer, converts = self.shown
        try:
            pages = converted.preview(self, media_type) if converts else None
            return pages or renderer(self, media_type)
        except OtherFormatError as other:
            return replace(self, content_type=other.media_type).preview()
        except SandboxError:
            return card.preview(self, media_type, FAILED)

    def pages(self) -> PdfPages:
        """Return the pages if it has any; SandboxError if it can't be converted."""
        converts, media_type = self.shown.converts, self.shown.media_type
        return PdfPages(converted.to_pdf(self, media_type) if converts else self)


def _renderer(media_type: str, name: str) -> Renderer:
    if media_type in BY_TYPE:
        return BY_TYPE[media_type]
    for prefixes, renderer in BY_PREFIX.items():
        if media_type.startswith(prefixes):
            return renderer
    if code.is_code(media_type, name):
        return code.preview
    return text.preview if media_type.startswith("text/") else card.preview
