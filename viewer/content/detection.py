"""The type of a document: by the declared one, by that of its name, by its first bytes."""

import re
from collections.abc import Callable
from typing import Final

from .decoding import BYTE_ORDER_MARKS, detect_wide
from .media_types import BINARY, CODE_TYPE, MEDIA_TYPE, OPEN_DOCUMENT, OPEN_XML, UNKNOWN, UNTYPED

FIRST_BYTES: Final = 4096  # what is looked at
PACKED_SVG: Final = "image/svg+xml-compressed"
TNEF: Final = ("application/ms-tnef", "application/vnd.ms-tnef")  # winmail.dat
OLE: Final = "application/x-ole-storage"  # the container of .doc, .xls, .ppt and .msg
OUTLOOK: Final = "application/vnd.ms-outlook"  # or any mail: other programs name theirs .msg, too
# Declared types that say nothing certain: .docx is sent as a ZIP, TypeScript (.ts) as a video.
UNCERTAIN: Final = UNTYPED | {
    "application/zip",
    OLE,
    "application/ogg",
    "application/mp4",
    "video/mp2t",
    "video/vnd.dlna.mpeg-tts",
}
SIGNATURES: Final = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff\xf7", "image/jls"),  # JPEG-LS, which no browser shows
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"II+\0", "image/tiff"),  # BigTIFF
    (b"MM\0+", "image/tiff"),
    (b"8BPS\0\1", "image/vnd.adobe.photoshop"),
    (b"\0\0\0\x0cjP  \r\n\x87\n", "image/jp2"),
    (b"\xff\x4f\xff\x51", "image/jp2"),  # without the container
    (b"\0\0\1\0", "image/x-icon"),
    *((b"\0\0\2\0%c\0" % number, "image/x-icon") for number in range(1, 17)),  # of pointers
    (b"\n\5\1", "image/x-pcx"),
    (b"\1\xda\0\1", "image/x-sgi"),
    (b"\1\xda\1\1", "image/x-sgi"),
    (b"qoif\0", "image/qoi"),
    (b"icns\0", "image/icns"),
    (b"DDS ", "image/vnd-ms.dds"),
    (b"PK\x05\x06", "application/zip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLE),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"\xfd7zXZ\0", "application/x-xz"),
    (b"BZh", "application/x-bzip2"),
    (b"!<arch>\ndebian-binary", "application/vnd.debian.binary-package"),
    (b"!<arch>\n", "application/x-archive"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"\x78\x9f\x3e\x22", TNEF[0]),
    (b"SQLite format 3\0", "application/vnd.sqlite3"),
    (b"{\\rtf", "application/rtf"),
    (b"\xffWPC", "application/vnd.wordperfect"),
    (b"AT&TFORM", "image/vnd.djvu"),
    (b"gimp xcf ", "image/x-xcf"),
    (b"%!PS", "application/postscript"),
    (b"SIMPLE  =", "application/fits"),  # which has a head of text
    (b"\xc5\xd0\xd3\xc6", "application/postscript"),  # with a picture of its own
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"\xff\xfa", "audio/mpeg"),
    (b"\xff\xf3", "audio/mpeg"),
    (b"\xff\xf2", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"RIFF", "audio/wav"),
    (b"\x1aE\xdf\xa3", "video/webm"),
    (b"PK\x03\x04", "application/zip"),
    (b"fLaC", "audio/flac"),
)
TEXTS: Final = ("message/rfc822", "application/mbox", "application/x-subrip")  # not text/…
PUBLISHER: Final = "application/x-mspublisher"
OFFICE: Final = ("application/msword", "application/vnd.ms-", OPEN_XML, OPEN_DOCUMENT)
EXCEL_2003: Final = b"urn:schemas-microsoft-com:office:spreadsheet"  # in the first bytes of its XML
PAGE: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:[^?]|\?xml[^>]*>\s*<(?:!doctype )?html)", re.I)
ARCHIVED_PAGE: Final = re.compile(rb"^content-type:\s*multipart/related", re.I | re.M)
XML_STARTS: Final = (b"<?xml ", b"\xef\xbb\xbf<?xml ")
OGG_VIDEO: Final = re.compile(rb"theora|\x01video")
RIFF: Final = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
BRANDS: Final = {  # of ISO base media files (ISO/IEC 14496-12); the others are video/mp4
    b"avif": "image/avif",
    b"avis": "image/avif",
    b"heic": "image/heic",
    b"heix": "image/heic",
    b"heim": "image/heic",
    b"heis": "image/heic",
    b"hevc": "image/heic",
    b"hevx": "image/heic",
    b"mif1": "image/heif",
    b"msf1": "image/heif",
    b"M4A ": "audio/mp4",
    b"M4B ": "audio/mp4",
    b"qt  ": "video/quicktime",
    b"crx ": "image/x-canon-cr3",
}
FOLDERS: Final = {  # of Office files (ECMA-376, part 2)
    b"word/": f"{OPEN_XML}wordprocessingml.document",
    b"xl/": f"{OPEN_XML}spreadsheetml.sheet",
    b"ppt/": f"{OPEN_XML}presentationml.presentation",
}
# Types whose files begin as those of another type do: the name tells them apart.
SPECIAL_CASES: Final = {
    "application/zip": (
        OPEN_XML,
        OPEN_DOCUMENT,
        "application/vnd.ms-",
        "application/epub+zip",
        "application/java-archive",
        "application/vnd.google-earth.kmz",
        "application/vnd.apple.",
    ),
    OLE: ("application/msword", "application/vnd.ms-", "application/vnd.visio", PUBLISHER),
    f"{OPEN_XML}spreadsheetml.sheet": ("application/vnd.ms-excel.sheet.binary.",),
    "image/heif": ("image/heic",),
    "application/gzip": (PACKED_SVG,),
    "video/mp4": ("audio/mp4", "video/quicktime", "video/3gpp", "audio/3gpp"),
    "video/webm": ("audio/webm",),
    "audio/ogg": ("video/ogg",),
}


def detect(named: str, first: bytes) -> str:
    """Return the type of what begins with these FIRST_BYTES; octet-stream if nothing tells it.

    `named` is the type that the name says, or empty. It counts for text, for which there are no
    signatures, and where the first bytes don't contradict it.
    """
    if not first:
        return named or UNKNOWN
    is_text = _is_text(first)
    is_portable = named.startswith("image/x-portable-") and first.startswith(b"P")  # PNM
    is_readable = _is_text_type(named) or named == OUTLOOK
    if is_portable or (is_readable and (is_text or detect_wide(first))):
        return named
    if found := _by_signature(first):
        return named if named.startswith(SPECIAL_CASES.get(found, ())) else found
    if is_text and named.startswith(OFFICE) and (exported := _exported(first)):
        return exported
    if is_text:
        return "application/xml" if first.startswith(XML_STARTS) else "text/plain"
    return UNKNOWN if _is_text_type(named) or named in _SIGNED else named or UNKNOWN


def shown_type(declared: str, named: str, first: bytes) -> str:
    """Return the detected type if the declared one is among UNCERTAIN, and there is one."""
    found = detect(named, first) if declared in UNCERTAIN else UNKNOWN
    return declared if found == UNKNOWN else found


def contradicts(declared: str, first: bytes) -> bool:
    """Whether a document of this binary type can't begin so, but one of another type does.

    Texts are declared as recordings: Devicetree (.dts), lists of what to play.
    """
    if _is_text_type(declared):
        return False
    exported = _exported(first) if declared.startswith(OFFICE) else ""
    is_recording = declared.startswith(("audio/", "video/"))
    found = _by_signature(first) or exported or (is_recording and first and _is_text(first))
    return bool(found) and detect(declared, first) != declared


def _exported(first: bytes) -> str:
    """Return what programs of the web export by the name of a document: a workbook of Excel 2003,
    a page, or one with its pictures (MHTML), which is read as a mail; empty for anything else.
    """
    if EXCEL_2003 in first:
        return "application/vnd.ms-excel"
    if PAGE.match(first):
        return "text/html"
    return "message/rfc822" if ARCHIVED_PAGE.search(first) else ""


def _is_text(first: bytes) -> bool:
    for mark, encoding in BYTE_ORDER_MARKS:
        if first.startswith(mark):
            first = first.decode(encoding, "replace").encode("utf-8", "replace")
            break
    return not BINARY.search(first)


def _is_text_type(media_type: str) -> bool:
    is_text = media_type.startswith("text/") or media_type in TEXTS
    return is_text or bool(CODE_TYPE.fullmatch(media_type))


def _by_signature(first: bytes) -> str:
    if first[4:8] == b"ftyp":
        return _by_brands(first[8:12], first[16 : int.from_bytes(first[:4])])
    if first[257:262] == b"ustar":
        return "application/x-tar"
    if first[:2] == b"BM" and first[6:10] == bytes(4):
        return "image/bmp"
    known = (media_type for start, media_type in SIGNATURES if first.startswith(start))
    found = next(known, "")
    return CONTAINERS[found](first) if found in CONTAINERS else found


def _by_brands(major: bytes, compatible: bytes) -> str:
    """Return the type by the major brand; a still image may name its format after it."""
    brands = {compatible[at : at + 4] for at in range(0, len(compatible), 4)}
    found = BRANDS.get(major, "video/mp4")
    if found == "image/heif":
        return next((BRANDS[one] for one in (b"avif", b"heic", b"heix") if one in brands), found)
    return found


def _in_zip(first: bytes) -> str:
    if first[30:38] == b"mimetype":  # not compressed (OpenDocument 1.3, part 2, 3.3; EPUB 3.3, 4.2)
        media_type = first[38 : 38 + int.from_bytes(first[18:22], "little")].decode("latin-1")
        is_known = media_type.startswith((OPEN_DOCUMENT, "application/epub+zip"))
        return media_type if is_known and MEDIA_TYPE.fullmatch(media_type) else "application/zip"
    folders = FOLDERS.items() if b"[Content_Types].xml" in first else ()
    return next(
        (media_type for folder, media_type in folders if folder in first), "application/zip"
    )


CONTAINERS: Final[dict[str, Callable[[bytes], str]]] = {  # what is in a file of this type
    "application/zip": _in_zip,
    "audio/ogg": lambda first: "video/ogg" if OGG_VIDEO.search(first[:64]) else "audio/ogg",
    "audio/wav": lambda first: RIFF.get(first[8:12], ""),
    "video/webm": lambda first: "video/x-matroska" if b"matroska" in first[:64] else "video/webm",
}
_SIGNED: Final = {
    media_type
    for media_type in (*(named for _, named in SIGNATURES), *RIFF.values(), *BRANDS.values())
    if not media_type.startswith(("audio/", "video/"))  # players find out
}
