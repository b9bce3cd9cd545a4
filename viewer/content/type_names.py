"""Names of types in words, for documents of which nothing but the type can be said."""

from typing import Final

from .detection import OLE
from .kinds import kind_of, type_of_name
from .media_types import OPEN_DOCUMENT, OPEN_XML, UNKNOWN, canonical_type

NAMES: Final = {
    OLE: "Office file of before 2007, or another compound file",
    "application/java-archive": "Java archive",
    "application/java-vm": "Java program",
    "application/msword": "Word document",
    "application/pdf": "PDF document",
    "application/postscript": "PostScript document",
    "application/rtf": "RTF document",
    "application/vnd.android.package-archive": "Android app",
    "application/vnd.apache.parquet": "Parquet table",
    "application/vnd.apple.keynote": "Keynote presentation",
    "application/vnd.apple.numbers": "Numbers spreadsheet",
    "application/vnd.apple.pages": "Pages document",
    "application/vnd.debian.binary-package": "Debian package",
    "application/vnd.ms-excel": "Excel workbook",
    "application/vnd.ms-outlook": "Outlook message",
    "application/vnd.ms-powerpoint": "PowerPoint presentation",
    "application/vnd.ms-visio.drawing": "Visio drawing",
    "application/vnd.ms-works": "Works document",
    "application/vnd.rar": "RAR archive",
    "application/vnd.sqlite3": "SQLite database",
    "application/vnd.visio": "Visio drawing",
    "application/x-mspublisher": "Publisher document",
    "application/vnd.wordperfect": "WordPerfect document",
    "application/x-7z-compressed": "7z archive",
    "application/x-archive": "Unix archive",
    "application/x-bzip2": "bzip2 archive",
    "application/x-msdownload": "Windows program",
    "application/x-xz": "XZ archive",
    "application/zip": "ZIP archive",
    "font/collection": "Fonts",
    "font/otf": "OpenType font",
    "font/ttf": "TrueType font",
    "font/woff": "Web font",
    "font/woff2": "Web font",
    "image/jls": "JPEG-LS image",
    "image/vnd.djvu": "DjVu document",
    "image/x-canon-cr3": "Photograph of a camera, undeveloped",
    "image/x-xcf": "GIMP image",
    f"{OPEN_DOCUMENT}graphics": "Drawing",
    f"{OPEN_DOCUMENT}presentation": "Presentation",
    f"{OPEN_DOCUMENT}spreadsheet": "Spreadsheet",
    f"{OPEN_DOCUMENT}text": "Text document",
    f"{OPEN_XML}presentationml.presentation": "PowerPoint presentation",
    f"{OPEN_XML}spreadsheetml.sheet": "Excel workbook",
    f"{OPEN_XML}wordprocessingml.document": "Word document",
}
BY_EXTENSION: Final = {  # of types that have no media type here
    "accdb": "Access database",
    "ai": "Illustrator drawing",
    "bin": "Binary file",
    "dmg": "Disk image of macOS",
    "dwg": "AutoCAD drawing",
    "emf": "Windows metafile",
    "eps": "PostScript drawing",
    "exe": "Windows program",
    "indd": "InDesign document",
    "iso": "Disk image",
    "mdb": "Access database",
    "mpp": "Project plan",
    "msi": "Windows installer",
    "one": "OneNote notebook",
    "ost": "Outlook mailbox",
    "pst": "Outlook mailbox",
    "pub": "Publisher document",
    "wma": "Windows Media audio",
    "wmf": "Windows metafile",
    "wmv": "Windows Media video",
}


def type_in_words(media_type: str, name: str) -> str:
    """Return such as "RAR archive", by the type, else by the name; "File of unknown type" if
    neither tells it.
    """
    canonical = canonical_type(media_type)
    _, dot, extension = name.rpartition(".")
    by_name = BY_EXTENSION.get(extension.lower(), "") if dot else ""
    if canonical in (UNKNOWN, OLE) and by_name:
        return by_name
    known = type_of_name(name) if canonical == UNKNOWN else canonical
    if known in NAMES:
        return NAMES[known]
    kind = kind_of(known)
    is_plain = dot and 0 < len(extension) <= 8 and extension.isascii() and extension.isalnum()
    if kind == "File":
        return f"{extension.upper()} file" if is_plain else "File of unknown type"
    return kind
