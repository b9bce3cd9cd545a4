"""Chooses how a document is shown. One module per kind of document."""

from collections.abc import Callable
from typing import Final

from ..content.detection import contradicts
from ..content.media_types import IMAGES, OPEN_DOCUMENT, OPEN_XML, PDF
from ..formats import card
from ..formats.archives import archive
from ..formats.calendars import agenda
from ..formats.mail import mail, mailbox
from ..formats.original import Original
from ..formats.pdf import pdf
from ..formats.pdf.pages import PdfPages
from ..formats.pictures import audio_video, image, picture
from ..formats.preview import Preview
from ..formats.sheets import spreadsheet, table
from ..formats.text import code, markdown, notebook, text
from ..formats.web import html
from ..formats.words import book, converted, office
from ..markup.names import extension_of
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
    **dict.fromkeys(IMAGES, image.preview),
    **dict.fromkeys(office.RTF_TYPES, office.rtf_preview),
    **dict.fromkeys(office.UNCONVERTED, office.unconverted_preview),
    **dict.fromkeys(picture.LABELS, picture.preview),
    **dict.fromkeys(archive.LABELS, archive.preview),
    book.EPUB: book.preview,
    mailbox.MBOX: mailbox.preview,
}
BY_EXTENSION: Final[dict[str, dict[str, Renderer]]] = {  # of the name, where the type is general
    "text/plain": {
        **dict.fromkeys(("md", "markdown"), markdown.preview),
        **dict.fromkeys(("csv", "tsv"), table.preview),
        **dict.fromkeys(("ics", "vcf"), agenda.preview),
        "ipynb": notebook.preview,
        "mbox": mailbox.preview,
    },
    "application/json": {"ipynb": notebook.preview},
}
BY_PREFIX: Final[dict[tuple[str, ...], Renderer]] = {
    ("audio/", "video/"): audio_video.preview,
    spreadsheet.TYPES: spreadsheet.preview,
    (OPEN_XML, OPEN_DOCUMENT): office.preview,
}
SHOWN_AS_THEY_ARE: Final = (image.preview, audio_video.preview, text.preview, code.preview)
CARDS: Final = (card.preview, office.unconverted_preview)
FAILED: Final = "The preview could not be drawn. The original is intact."


def preview_of(original: Original) -> Preview:
    """Return the preview of a document; a card if it is empty or can't be drawn."""
    media_type = original.media_type()
    if not original.size:
        return card.preview(original, media_type, "This document is empty.")
    media_type = _shown_type(original, media_type)
    try:
        pages = converted.preview(original, media_type)
        return pages or _renderer(media_type, original.name)(original, media_type)
    except SandboxError:
        return card.preview(original, media_type, FAILED)


def has_pages(original: Original) -> bool:
    """Whether it is a PDF, or a document that can be converted to one."""
    media_type = _shown_type(original, original.media_type())
    return media_type == PDF or converted.is_convertible(original, media_type)


def shows_original(original: Original) -> bool:
    """Whether the page of a document shows its bytes as they are: no pages are drawn of them, and
    nothing that they hold is left out.
    """
    media_type = _shown_type(original, original.media_type())
    renderer = _renderer(media_type, original.name)
    return renderer in SHOWN_AS_THEY_ARE and not converted.is_convertible(original, media_type)


def pages_of(original: Original) -> PdfPages:
    """Return the pages of a document that has them; SandboxError if it can't be converted."""
    media_type = _shown_type(original, original.media_type())
    is_pdf = media_type == PDF
    return PdfPages(original if is_pdf else converted.to_pdf(original, media_type))


def _shown_type(original: Original, media_type: str) -> str:
    """Return the detected type if there is a preview for it and none for the other.

    The first bytes also decide if they are those of another binary type: what a name promises is
    often wrong, as of a photograph in JPEG that is named .heic.
    """
    is_wrong = contradicts(media_type, original.beginning)
    if not is_wrong and _renderer(media_type, original.name) not in CARDS:
        return media_type
    found = original.detected_type()
    worse = CARDS[:1] if is_wrong else CARDS
    return media_type if _renderer(found, original.name) in worse else found


def _renderer(media_type: str, name: str) -> Renderer:
    by_extension = BY_EXTENSION.get(media_type, {})
    if extension_of(name) in by_extension:
        return by_extension[extension_of(name)]
    if media_type in BY_TYPE:
        return BY_TYPE[media_type]
    for prefixes, renderer in BY_PREFIX.items():
        if media_type.startswith(prefixes):
            return renderer
    if code.is_code(media_type, name):
        return code.preview
    return text.preview if media_type.startswith("text/") else card.preview
