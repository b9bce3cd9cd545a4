"""Cards of documents that only other programs read."""

from typing import Final

from .. import card
from ..job_format import LOCKED
from ..original import Original
from ..preview import Preview
from . import converted

LOCKS: Final = (
    "EncryptedPackage".encode("utf-16-le"),  # MS-OFFCRYPTO 1.3.3: the name of a stream
    b"\x14\0\0\0\xdf\xc4\xd1\xf3",  # MS-PPT 2.3.2: size and headerToken
)
FIRST_BYTES: Final = 4 << 20  # in which they are looked for
NAMES: Final = {
    **dict.fromkeys(
        ("application/rtf", "application/x-rtf", "text/rtf", "text/richtext"), "RTF documents"
    ),
    "application/msword": "Word 97–2003 documents",
    "application/vnd.ms-excel.sheet.binary.macroenabled.12": "binary Excel workbooks (XLSB)",
    "application/vnd.ms-powerpoint": "PowerPoint 97–2003 presentations",
    "application/vnd.ms-works": "Works documents",
    "application/vnd.visio": "Visio drawings",
    "application/vnd.wordperfect": "WordPerfect documents",
    "application/x-mspublisher": "Publisher documents",
    "application/x-ole-storage": "compound files, as of older office programs",
    "application/postscript": "PostScript",
    "image/vnd.djvu": "DjVu pages",
    "image/x-xcf": "pictures of GIMP",
}


def preview(original: Original, media_type: str) -> Preview:
    """Return a card that says why there is no preview."""
    first = original.first(FIRST_BYTES)
    if any(lock in first for lock in LOCKS) or converted.is_locked(original, media_type):
        return LOCKED["locked"](original, media_type)
    message = f"This service has no converter for {NAMES[media_type]}."
    if converted.is_convertible(original, media_type):
        message = "LibreOffice could not show its pages."
    return card.preview(original, media_type, f"{message} Save the original to open it.")
