"""File names chosen by the uploader, made safe to show, to save and to put into a header."""

from urllib.parse import quote_from_bytes

from .escaping import single_line

UNSAFE_IN_FILE_NAMES = dict.fromkeys(map(ord, '\\/:*?"<>|'), "_")
MAX_LENGTH = 180


def display_name(name: str, default: str) -> str:
    """Return the name without invisible characters; the default if nothing is left."""
    return single_line(name).strip() or default


def safe_file_name(name: str) -> str:
    """Return a file name valid on any system: no path, not hidden, at most MAX_LENGTH long."""
    flat = single_line(name).translate(UNSAFE_IN_FILE_NAMES).strip().lstrip(".") or "document"
    stem, dot, extension = flat.rpartition(".")
    if len(flat) <= MAX_LENGTH or not dot or len(extension) > 20:
        return flat[:MAX_LENGTH]
    return stem[: MAX_LENGTH - len(extension) - 1] + dot + extension


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
    return own if 0 < len(own) <= 4 and own.isalnum() and own.isascii() else kind[:4]
