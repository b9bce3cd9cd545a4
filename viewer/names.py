"""File names: the sender's, made fit to show, to save and to stand in a header."""

from urllib.parse import quote

from viewer.escaping import plain
from viewer.extensions import extension

UNSAFE_IN_FILES = dict.fromkeys(map(ord, '\\/:*?"<>|'), "_")
LONGEST = 180


def shown_name(name: str, id: str, content_type: str) -> str:
    """The name to show, without what deceives; the id and the type's ending where it is empty."""
    return plain(name).strip() or id + extension(content_type)


def file_name(name: str) -> str:
    """The name as a file may have it on any system: one part, no hidden file, not too long."""
    flat = plain(name).translate(UNSAFE_IN_FILES).strip().lstrip(".") or "document"
    stem, dot, end = flat.rpartition(".")
    if len(flat) <= LONGEST or not dot or len(end) > 20:
        return flat[:LONGEST]
    return stem[: LONGEST - len(end) - 1] + dot + end


def disposition(name: str, *, inline: bool = False) -> str:
    """Content-Disposition by RFC 6266: a plain name for old readers, the true one beside it."""
    true = file_name(name)
    ascii_name = true.encode("ascii", "replace").decode().replace("?", "_").replace("%", "_")
    encoded = quote(true.encode("utf-8", "replace"), safe="")
    kind = "inline" if inline else "attachment"
    return f"{kind}; filename=\"{ascii_name}\"; filename*=UTF-8''{encoded}"
