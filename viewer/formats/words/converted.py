"""Text documents and slides, shown as the pages of the PDF that LibreOffice makes of them.

Without it, or where it fails, a Word document (DOCX) is shown as text, and others have a card.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, Final

from ...content.detection import PUBLISHER
from ...content.media_types import OPEN_DOCUMENT, OPEN_XML, PDF
from ...sandbox.converter import Conversion
from ...sandbox.process import TIME, AnyJob, Job, JobResult, RunJob, SandboxError
from .. import card
from ..job_format import JobFormat
from ..original import Original
from ..pdf import pdf
from ..preview import Preview

NOTE: Final = (
    "Converted by LibreOffice: the layout may differ, and comments and speaker notes are not shown."
)
NOT_INSTALLED: Final = (
    "LibreOffice, which shows this document, is not installed on the server. "
    "Save the original to open it."
)
FAILED: Final = (
    "LibreOffice could not show this document: it may be locked with a password, or damaged. "
    "Save the original to open it."
)
TOO_SLOW: Final = (
    "LibreOffice took too long to convert this document, and was stopped. Open it again in a few "
    "minutes to try once more."
)
WHY_TEXT: Final = {
    TOO_SLOW: "LibreOffice took too long to draw the pages.",
    NOT_INSTALLED: "LibreOffice, which shows the pages, is not installed on the server.",
    FAILED: "LibreOffice could not show the pages.",
}
WORD: Final = JobFormat(
    "word",
    Job("viewer.formats.words.word_document", memory_mb=768, cpu_seconds=10, seconds=15),
    most_bytes=32 << 20,
    styles=("prose.css",),
)
WORDPERFECT: Final = b"\xffWPC"
WORD_2: Final = b"\xdb\xa5"
ZIP: Final = b"PK\x03\x04"
OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
RTF: Final = b"{\\rtf"
EXTENSIONS: Final = {  # of what begins so, by label; LibreOffice detects the rest
    ZIP: {
        "Word document": "docx",
        "Presentation": "pptx",
        "Text document": "odt",
        "Pages document": "pages",
        "Keynote presentation": "key",
        "Numbers spreadsheet": "numbers",
        "Drawing": "odg",
        "Visio drawing": "vsdx",
    },
    OLE: {
        "Word document": "doc",
        "Presentation": "ppt",
        "Visio drawing": "vsd",
        "Publisher document": "pub",
    },
    WORDPERFECT: {"WordPerfect document": "wpd"},
    WORD_2: {"Word document": "doc"},
    RTF: {"Word document": "rtf", "RTF document": "rtf", "Text document": "rtf"},
}
APPLE: Final = "application/vnd.apple."  # of whose newer files LibreOffice may make an empty page
EMPTY: Final = 2_000  # bytes of a PDF: more than one has without text and pictures
MICROSOFT: Final = "application/vnd.ms-"
LABELS: Final = {
    "application/msword": "Word document",
    f"{MICROSOFT}word": "Word document",
    f"{OPEN_XML}wordprocessingml.": "Word document",
    f"{MICROSOFT}powerpoint": "Presentation",
    "application/mspowerpoint": "Presentation",
    f"{OPEN_XML}presentationml.": "Presentation",
    f"{OPEN_DOCUMENT}presentation": "Presentation",
    f"{OPEN_DOCUMENT}text": "Text document",
    f"{OPEN_DOCUMENT}graphics": "Drawing",
    f"{MICROSOFT}visio": "Visio drawing",
    "application/vnd.visio": "Visio drawing",
    PUBLISHER: "Publisher document",
    "application/vnd.wordperfect": "WordPerfect document",
    f"{APPLE}pages": "Pages document",
    f"{APPLE}keynote": "Keynote presentation",
    f"{APPLE}numbers": "Numbers spreadsheet",
    "application/rtf": "RTF document",
    "application/x-rtf": "RTF document",
    "text/rtf": "RTF document",
    "text/richtext": "RTF document",
}


def preview(original: Original, media_type: str) -> Preview:
    """Return the pages; the text or a card if there is no converter, or it failed."""
    if not is_convertible(original, media_type):
        return _without_pages(original, media_type, NOT_INSTALLED)
    message = FAILED
    try:
        made = to_pdf(original, media_type)
        shown = pdf.preview(made, PDF, is_converted=True)
        is_empty = media_type.startswith(APPLE) and made.size < EMPTY
        if shown.kind == "pdf" and not is_empty:
            return labelled(shown, _label(media_type), NOTE)
    except SandboxError as error:
        message = TOO_SLOW if str(error) == TIME else FAILED
    return _without_pages(original, media_type, message)


def _without_pages(original: Original, media_type: str, message: str) -> Preview:
    """Return the text of a Word document, unless it would have to be marked; else a card."""
    if extension(original, media_type) == "docx" and not original.watermark:
        with suppress(SandboxError):
            shown = WORD.preview(original, media_type)
            return replace(shown, note=f"{WHY_TEXT[message]} {shown.note}")
    return card.preview(original, media_type, message)


def labelled(shown: Preview, label: str, note: str) -> Preview:
    """Return a preview that names the document's own kind, also in a saved file."""
    offline = shown.offline
    return replace(
        shown,
        label=label,
        note=" ".join(filter(None, (note, shown.note))),
        offline=(lambda: labelled(offline(), label, note)) if offline else None,
    )


def is_convertible(original: Original, media_type: str) -> bool:
    """Whether there is a converter for a document of this type that begins like this one."""
    return bool(original.converter and extension(original, media_type))


def to_pdf(original: Original, media_type: str) -> Original:
    """Return the PDF made of a convertible document, as an original whose jobs have own names.

    Raises SandboxError if it can't be converted.
    """
    return made_of(original, extension(original, media_type), "pdf", PDF)


def made_of(
    original: Original,
    extension: str | None,
    target: str,
    media_type: str,
    prepared_by: Job | None = None,
) -> Original:
    """Return the document that LibreOffice makes of this one, or of what a job makes of it.

    Raises SandboxError.
    """
    if not original.converter or not extension:
        raise SandboxError("no converter")
    job = Conversion(original.converter, extension, target=target, prepared_by=prepared_by)
    result = original.run(job, original.pieces(), {})
    if result.failure:
        raise SandboxError(result.failure)
    ((_, made),) = result.messages
    return replace(
        original,
        content_type=media_type,
        size=len(made),
        read=(lambda start, stop: (made[start:stop],)) if isinstance(made, bytes) else made.read,
        run=partial(_run, original.run),
    )


@lru_cache(256)
def _label(media_type: str) -> str:
    return next((label for start, label in LABELS.items() if media_type.startswith(start)), "")


def extension(original: Original, media_type: str) -> str | None:
    """Return a name's extension for the converter; None if the content is none of its formats.

    The content decides, so that no page or script is handed to the converter as a document.
    """
    label = _label(media_type)
    first = original.beginning if label else b""
    kinds = (names for start, names in EXTENSIONS.items() if first.startswith(start))
    return next(kinds, {}).get(label)


def _run(run: RunJob, job: AnyJob, pieces: Iterable[bytes], options: dict[str, Any]) -> JobResult:
    return run(job, pieces, options | {"converted": True})
