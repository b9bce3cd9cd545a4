"""File names chosen by the uploader, made safe to show, to save and to put into a header."""

import re
from urllib.parse import quote_from_bytes

from .escaping import single_line

UNSAFE_IN_FILE_NAMES = dict.fromkeys(map(ord, ':*?"<>|'), "_")
KINDS = {"unknown": "file"}  # others are badges themselves
SHORTENED = {"pages": "page", "numbers": "num"}  # of longer extensions
MAX_LENGTH = 180
MAX_BYTES = 240  # file systems take 255 bytes, of which a number may need some
MAX_FOLDER_LENGTH = 500  # of a path of folders
RESERVED = re.compile(r"(?:con|prn|aux|nul|com[1-9¹²³]|lpt[1-9¹²³]) *(?:\.|$)", re.I)  # by Windows


def display_name(name: str, default: str) -> str:
    """Return the name without invisible characters; the default if nothing is left."""
    return single_line(name).strip() or default


def safe_file_name(name: str) -> str:
    """Return a file name valid on any system: not hidden, not reserved, at most MAX_LENGTH
    characters and MAX_BYTES bytes long. Of a path it holds the names alone, no step up.
    """
    steps = re.split(r"[\\/]", single_line(name).encode(errors="replace").decode())
    path = "_".join(step for step in steps if step.strip(" ."))
    flat = path.translate(UNSAFE_IN_FILE_NAMES)
    flat = flat.strip(" .") or "document"
    flat = f"_{flat}" if RESERVED.match(flat) else flat
    stem, dot, extension = flat.rpartition(".")
    if not dot or len(extension.encode()) > 20:
        return _cut(flat)
    return _cut(stem, f".{extension}")


def safe_folder(path: str, file_name: str | None = None) -> str:
    """Return the folder of a file as a path that is valid on any system; "" if it names none.

    The path has the names of folders alone, made safe by `safe_file_name`, with slashes between
    them. If its last name is `file_name`, that one is left out. Raise ValueError with a sentence
    for the sender if it begins with a slash, leads up or has over MAX_FOLDER_LENGTH characters.
    """
    steps = [step.strip() for step in re.split(r"[\\/]", single_line(path))]
    if len(steps) > 1 and not steps[0]:
        raise ValueError("Begin with the name of a folder, not with a slash.")
    if ".." in steps:
        raise ValueError("Name folders alone: '..' leads out of them.")
    names = [safe_file_name(step) for step in steps if step.strip(" .")]
    if file_name and names and names[-1] == safe_file_name(file_name):
        names.pop()
    safe = "/".join(names)
    if max(len(path), len(safe)) > MAX_FOLDER_LENGTH:
        raise ValueError(f"Use at most {MAX_FOLDER_LENGTH} characters.")
    return safe


def _cut(text: str, end: str = "") -> str:
    cut = text[: MAX_LENGTH - len(end)].encode()[: MAX_BYTES - len(end.encode())]
    whole = cut.decode(errors="ignore")
    return (whole if whole == text else whole.rstrip(" .")) + end


def content_disposition(name: str, *, inline: bool = False) -> str:
    """Return the header by RFC 6266: an ASCII file name for old clients, the real one beside it."""
    safe = safe_file_name(name)
    ascii_name = safe.encode("ascii", "replace").decode().replace("?", "_").replace("%", "_")
    encoded = quote_from_bytes(safe.encode("utf-8", "replace"), safe="")
    kind = "inline" if inline else "attachment"
    return f"{kind}; filename=\"{ascii_name}\"; filename*=UTF-8''{encoded}"


def extension_of(name: str) -> str:
    """Return a file name's extension in lower case, without the dot."""
    return name.rpartition(".")[2].lower() if "." in name else ""


def badge(name: str, kind: str) -> str:
    """Return the extension if it is short and plain, else the kind: at most four characters."""
    own = extension_of(name)
    own = SHORTENED.get(own, own)
    is_plain = 0 < len(own) <= 4 and own.isalnum() and own.isascii()
    return own if is_plain else KINDS.get(kind, kind[:4])
