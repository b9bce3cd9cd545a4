"""The formats, and the choice among them: by media type, by name, by the first bytes."""

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple

from ..content.detection import OLE, OUTLOOK, PACKED_SVG, TNEF
from ..content.media_types import IMAGES, OPEN_XML, PDF
from ..formats import card
from ..formats.archives import archive
from ..formats.job_format import ANY, JobFormat, Renderer, card_saying
from ..formats.original import Original
from ..formats.pdf import pdf
from ..formats.pdf.pages import PdfPages
from ..formats.pictures import picture
from ..formats.preview import Preview
from ..formats.sheets import workbook
from ..formats.text import code
from ..formats.words import converted
from ..markup.names import extension_of
from ..sandbox.process import Job, SandboxError

TEXT: Final = JobFormat(
    "text",
    Job("viewer.formats.text.text_lines", memory_mb=256, cpu_seconds=6, seconds=10),
    types=("application/mbox", "application/x-subrip"),
    read_bytes=2 << 20,
    tools=frozenset({"zoom", "wrap", "copy"}),
    styles=("text/lines.css",),
)
CODE: Final = JobFormat(
    "code",
    Job("viewer.formats.text.highlighting", memory_mb=512, cpu_seconds=8, seconds=20),
    read_bytes=TEXT.read_bytes,
    otherwise={ANY: TEXT.preview},
    tools=TEXT.tools,
    styles=("text/lines.css", "text/colours.css"),
)
TABLE: Final = JobFormat(
    "table",
    Job("viewer.formats.sheets.table", memory_mb=384, cpu_seconds=6, seconds=10),
    types=("text/csv", "text/tab-separated-values"),
    read_bytes=2 << 20,
    otherwise={ANY: TEXT.preview},
    styles=("grid.css", "sheets/numbers.css"),
)
MARKDOWN: Final = JobFormat(
    "markdown",
    Job("viewer.formats.text.markdown_text", memory_mb=512, cpu_seconds=6, seconds=10),
    types=("text/markdown",),
    most_bytes=512 << 10,
    otherwise={ANY: TEXT.preview},
    styles=("prose.css", "text/colours.css"),
)
NOTEBOOK: Final = JobFormat(
    "notebook",
    Job("viewer.formats.text.notebook_cells", memory_mb=768, cpu_seconds=10, seconds=20),
    types=("application/x-ipynb+json",),
    most_bytes=32 << 20,
    otherwise={ANY: CODE.preview},
    styles=("prose.css", "text/colours.css"),
)
AGENDA: Final = JobFormat(
    "agenda",
    Job("viewer.formats.calendars.entries", memory_mb=384, cpu_seconds=6, seconds=15),
    types=("text/calendar", "text/vcard", "text/x-vcard", "text/directory"),
    most_bytes=16 << 20,
    otherwise={ANY: TEXT.preview},
    styles=("calendars/agenda.css",),
)
PAGE: Final = JobFormat(
    "web",
    Job("viewer.formats.web.foreign_html", memory_mb=768, cpu_seconds=3, seconds=12),
    types=("text/html", "application/xhtml+xml"),
    most_bytes=4 << 20,
    otherwise={ANY: CODE.preview},
    tools=frozenset(),
    styles=("web/frame.css",),
    scripts=("web/frame.js",),
)
MAIL: Final = JobFormat(
    "mail",
    Job("viewer.formats.mail.letter", memory_mb=768, cpu_seconds=8, seconds=15),
    types=("message/rfc822", OUTLOOK, *TNEF),
    most_bytes=32 << 20,
    otherwise={
        "size": card_saying("This message is too large to be shown here. Save it to open it.")
    },
    tools=frozenset(),
    styles=("text/lines.css", "archives/files.css", "web/frame.css"),
)
ARCHIVE: Final = JobFormat(
    "archive",
    Job("viewer.formats.archives.members", memory_mb=768, cpu_seconds=10, seconds=20),
    types=tuple(archive.LABELS),
    otherwise={"format": card_saying("This file is named an archive, but cannot be read as one.")},
    tools=frozenset(),
    styles=("grid.css", "text/lines.css", "archives/files.css"),
)
PICTURE: Final = JobFormat(
    "image",
    Job("viewer.formats.pictures.pictures", memory_mb=1536, cpu_seconds=20, seconds=40),
    types=(*picture.LABELS, PACKED_SVG),
    otherwise={
        "size": card_saying(
            "This picture has too many pixels to be shown here. Save it to open it."
        )
    },
    styles=picture.STYLES,
)
HEIF: Final = replace(
    PICTURE,
    job=replace(PICTURE.job, threads=True),
    types=tuple(picture.HEIF),
)
# A document of Office that has a password lies in a container, which other files lie in as well.
LOCKED: Final = card_saying(
    "This document is locked with a password. Save the original to open it."
)
FORMATS: Final = (TEXT, TABLE, MARKDOWN, NOTEBOOK, AGENDA, PAGE, MAIL, ARCHIVE, PICTURE, HEIF)
BY_TYPE: Final[dict[str, Renderer]] = {
    PDF: pdf.preview,
    **dict.fromkeys(IMAGES, picture.image_preview),
    **{media_type: one.preview for one in FORMATS for media_type in one.types},
}
# A mailbox begins with a line "From …"; some programs name a single message a mailbox.
FIRST_HEADER: Final = re.compile(rb"[!-9;-~]{1,80}:")
GZIP: Final = b"\x1f\x8b"
# Declared types of files that programs know by their names; but the source of a page is a text.
GENERAL: Final = frozenset({"text/plain", "application/json", "application/xml", "text/xml"})
SOURCES: Final = frozenset({"text/html", "application/xhtml+xml", "image/svg+xml"})
SHOWN_AS_THEY_ARE: Final = (
    picture.image_preview,
    picture.audio_video_preview,
    TEXT.preview,
    CODE.preview,
)
MOST_PARSED_BYTES: Final = 256 << 20
TOO_LARGE: Final = card_saying("Too large to be shown here. Save it to open it.")
SHOWN_IN_ANY_SIZE: Final = (  # they read the beginning, load ranges, or leave a long text to others
    picture.audio_video_preview,
    card.preview,
    LOCKED,
    *(one.preview for one in (TEXT, CODE, TABLE, MARKDOWN, NOTEBOOK, AGENDA, PAGE)),
)
FAILED: Final = "The preview could not be drawn. The original is intact."


class Shown(NamedTuple):
    """A media type and what shows it; `converts` means as the pages that LibreOffice makes."""

    media_type: str
    renderer: Renderer
    converts: bool


@dataclass(frozen=True)
class ShownDocument(Original):
    """An original, of which it is decided once how it is shown.

    `as_pages` asks for a workbook as the pages that LibreOffice draws.
    """

    as_pages: bool = False

    @cached_property
    def shown(self) -> Shown:
        """Choose the view that is asked for, if the document has several."""
        shown = self._usually_shown
        if self.as_pages and self.has_two_views:
            return Shown(shown.media_type, workbook.pages_preview, converts=True)
        return shown

    @property
    def has_two_views(self) -> bool:
        """Whether it is a workbook, which is shown as tables, and can be drawn as pages."""
        return self._usually_shown.renderer == workbook.preview and self.converter is not None

    @cached_property
    def _usually_shown(self) -> Shown:
        """Choose the declared type, unless the detected one is shown better, or is the true one.

        What a name promises is often wrong, as of a photograph in JPEG that is named .heic.
        """
        media_type, is_wrong = self.decided_type
        named = self.named_type
        is_open = media_type in GENERAL and named != media_type and named not in SOURCES
        if is_open and self.detected_type == named and _renderer(named, self) != card.preview:
            media_type = named
        renderer = _renderer(media_type, self)
        if is_wrong or renderer == card.preview:
            other = _renderer(self.detected_type, self)
            if other != card.preview:
                media_type = self.detected_type
                renderer = other
        if self.size > MOST_PARSED_BYTES and renderer not in SHOWN_IN_ANY_SIZE:
            return Shown(media_type, TOO_LARGE, converts=False)
        return Shown(media_type, renderer, converted.is_convertible(self, media_type))

    @property
    def has_pages(self) -> bool:
        """Whether it is a PDF, or a document that can be converted to one, and not too large."""
        media_type, renderer, converts = self.shown
        return renderer != TOO_LARGE and (media_type == PDF or converts)

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
            if self.watermark and not converts and media_type != PDF:
                return card.preview(self, media_type, FAILED)
            return renderer(self, media_type)
        except SandboxError:
            return card.preview(self, media_type, FAILED)

    def pages(self) -> PdfPages:
        """Return the pages if it has any; SandboxError if it can't be converted."""
        media_type, renderer, converts = self.shown
        if not converts:
            return PdfPages(self)
        converter = workbook if renderer == workbook.pages_preview else converted
        return PdfPages(converter.to_pdf(self, media_type))


def _renderer(media_type: str, original: Original) -> Renderer:
    """Return what shows a document of this type; the card if nothing does."""
    if media_type == "image/svg+xml" and original.beginning.startswith(GZIP):
        return PICTURE.preview
    if media_type == "application/mbox" and FIRST_HEADER.match(original.beginning):
        return MAIL.preview
    if media_type in BY_TYPE:
        return BY_TYPE[media_type]
    if media_type.startswith(("audio/", "video/")):
        return picture.audio_video_preview
    if media_type == OLE and original.named_type.startswith(OPEN_XML):
        return LOCKED
    return (
        _office_renderer(media_type, original)
        or _text_renderer(media_type, original)
        or card.preview
    )


def _office_renderer(media_type: str, original: Original) -> Renderer | None:
    if media_type.startswith(workbook.TYPES):
        return TABLE.preview if workbook.is_table(original) else workbook.preview
    if media_type.startswith(tuple(converted.LABELS)):
        return converted.preview if converted.extension(original, media_type) else card.preview
    return None


def _text_renderer(media_type: str, original: Original) -> Renderer | None:
    if media_type == "text/plain" and extension_of(original.name) == "dat":
        return TABLE.preview
    if code.is_code(media_type, original.name, original.beginning):
        return CODE.preview
    return TEXT.preview if media_type.startswith("text/") else None
