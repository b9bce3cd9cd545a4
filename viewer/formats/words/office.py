"""Documents and slides where no converter shows their pages: plain reading views."""

from typing import Final

from ...content.media_types import OPEN_XML
from ...markup.formatting import CUT_NOTE, format_count, left_out_note
from ...sandbox.messages import Message
from ...sandbox.process import Job, SandboxError
from .. import card
from ..archives import archive
from ..original import Original
from ..preview import OtherFormatError, Preview
from ..text import code

JOB: Final = Job("viewer.formats.words.reading_view", memory_mb=768, cpu_seconds=10, seconds=15)
RTF_JOB: Final = Job("viewer.formats.words.rtf", memory_mb=512, cpu_seconds=8, seconds=15)
LABELS: Final = {
    "docx": "Word document",
    "pptx": "Presentation",
    "odt": "Text document",
    "odp": "Presentation",
}
NOTE: Final = "Reading view: text, tables and pictures, without layout, formats and list numbers."
RTF_NOTE: Final = "Reading view: text alone, without layout and formats."
MISSING: Final = "LibreOffice on the server would show its pages."
FAILED: Final = "LibreOffice could not show its pages."
RTF_TYPES: Final = ("application/rtf", "application/x-rtf", "text/rtf", "text/richtext")
ENCRYPTED: Final = "EncryptedPackage".encode("utf-16-le")  # MS-OFFCRYPTO 1.3.3
FIRST_BYTES: Final = 4 << 20  # where the list of the streams of an encrypted document is
# Binary formats that only a converter reads.
UNCONVERTED: Final = {
    "application/msword": "Word 97–2003 documents",
    "application/vnd.ms-excel.sheet.binary.macroenabled.12": "binary Excel workbooks (XLSB)",
    "application/vnd.ms-powerpoint": "PowerPoint 97–2003 presentations",
    "application/vnd.ms-works": "Works documents",
    "application/vnd.visio": "Visio drawings",
    "application/vnd.wordperfect": "WordPerfect documents",
    "application/x-mspublisher": "Publisher documents",
    "application/x-ole-storage": "documents of older office programs",
}


def preview(original: Original, media_type: str) -> Preview:
    """Return text, headings, tables and pictures. The format is read from the file itself."""
    message = original.run_html_job(JOB, {})
    file_format = str(message[0]["format"])
    if file_format == "sheets":
        raise OtherFormatError(f"{OPEN_XML}spreadsheetml.sheet")
    if file_format == "zip":
        return archive.preview(original, media_type)
    return _reading_view(original, LABELS[file_format], NOTE, message)


def rtf_preview(original: Original, media_type: str) -> Preview:
    """Return the text of RTF; its source if it is none."""
    try:
        message = original.run_html_job(RTF_JOB, {})
    except SandboxError:
        return code.preview(original, media_type)
    return _reading_view(original, "RTF document", RTF_NOTE, message)


def _reading_view(original: Original, label: str, note: str, message: Message) -> Preview:
    facts, html = message
    slides = int(facts.get("slides", 0))
    no_pages = FAILED if original.converter else MISSING
    notes = (note, left_out_note(facts["left_out"]), CUT_NOTE if facts["cut"] else "", no_pages)
    return Preview(
        "office",
        label,
        b'<article class="prose%b">%b</article>' % (b" broad" if slides else b"", html),
        facts=(format_count(slides, "slide"),) if slides else (),
        note=" ".join(filter(None, notes)),
        tools=frozenset({"zoom"}),
    )


def unconverted_preview(original: Original, media_type: str) -> Preview:
    """Return a card that says why there is no preview."""
    message = f"This service has no converter for {UNCONVERTED[media_type]}."
    if ENCRYPTED in original.first(FIRST_BYTES):
        message = "This document is locked with a password."
    return card.preview(original, media_type, f"{message} Save the original to open it.")
