"""In the child process: the files of an archive, listed, and the small ones taken out.

It reads ZIP, tar (also packed by gzip, bzip2 or xz), and single files packed by these.
"""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import IO, Any, Final, NamedTuple, cast

from ...content import charset_detection
from ...content.media_types import UNKNOWN
from ...markup.escaping import escape
from ...markup.formatting import format_count, format_size
from ...sandbox import MAX_HTML
from ...sandbox.messages import Message, RefusedError, shown_as
from .archive import LABELS
from .enclosed import MAX_NAME, File, section

MAX_LISTED: Final = 3_000  # files
MAX_TAKEN: Final = 60  # files that are taken out
MAX_FILE: Final = 1 << 20  # bytes of each
MAX_ALL: Final = 8 << 20  # bytes of them in all
MAX_UNPACKED: Final = 512 << 20  # bytes of a packed tar that are read
UNPACKERS: Final[tuple[tuple[bytes, Callable[[IO[bytes]], Any]], ...]] = (
    (b"\x1f\x8b", lambda packed: gzip.GzipFile(fileobj=packed)),
    (b"BZh", bz2.BZ2File),
    (b"\xfd7zXZ\0", lzma.LZMAFile),
)

ENCRYPTED: Final = 1  # flag of a file in a ZIP archive (APPNOTE, 4.4.4)
UTF_8: Final = 0x800  # flag of a name in a ZIP archive (APPNOTE, D.2)
# Western ones are left out: nothing tells them from cp437, in which names are without the flag.
OF_NAMES: Final = frozenset({"utf-8", "cp932", "euc_jp", "gb18030", "big5", "cp949", "cp866"})
UNREADABLE: Final = (  # what the archive modules raise for a damaged or encrypted file
    ValueError,
    OSError,
    RuntimeError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    tarfile.TarError,
)

CUT: Final = "Only the first files are listed. Save the original to see all."
ENCRYPTED_NOTE: Final = (
    "Files in it are encrypted. Save the original to open them with their password."
)

START: Final = (
    b'<div class="grid" tabindex="0" role="region" aria-label="Files"><table>\n<thead><tr>'
    b'<th scope="col">Name</th><th scope="col" class="num">Size</th></tr></thead>\n<tbody>\n'
)
END: Final = b"</tbody>\n</table></div>\n"

Listed = tuple[str, int | None, bool]  # name, size if it is known, whether it was taken out


class Member(NamedTuple):
    """A file in an archive; `read(limit)` returns at most so many of its bytes."""

    name: str
    size: int | None
    read: Callable[[int], bytes]


def prepare(_data: bytes, _options: dict[str, Any]) -> None:
    """Import what the archive modules import on first use, and codecs of names."""
    charset_detection.prepare()
    zipfile.ZipFile(io.BytesIO(), "w").close()
    list(_tar_members(io.BytesIO(bytes(tarfile.RECORDSIZE))))


def render(data: bytes, options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the list of the files, and the small ones. Raises RefusedError."""
    files, contents, cut = list_files(data, options["name"])
    listed, html = _table(files)
    names = [name for name, _, is_taken in files if is_taken]
    pairs = zip(names, contents, strict=True)
    html += section("Small files", [File(name, UNKNOWN, len(one), one) for name, one in pairs])
    cut = cut or listed < len(files)
    is_encrypted = data.startswith(b"PK") and _is_encrypted(data)
    count = ("more than " if cut else "") + format_count(listed, "file")
    notes = (CUT if cut else "", ENCRYPTED_NOTE if is_encrypted else "")
    yield shown_as(LABELS[options["type"]], count, notes=notes, holds_files=bool(names)), html


def list_files(data: bytes, name: str) -> tuple[list[Listed], list[bytes], bool]:
    """Return the files, the contents of those that were taken out, and whether there are more.

    `name` is that of the archive. Raises RefusedError if no file can be read.
    """
    files: list[Listed] = []
    contents: list[bytes] = []
    cut = False
    left = MAX_ALL
    try:
        for member in _members(data, name):
            content = _taken(member, left) if len(contents) < MAX_TAKEN else None
            files.append((member.name, member.size, content is not None))
            if content is not None:
                contents.append(content)
                left -= len(content)
            if cut := len(files) >= MAX_LISTED:
                break
    except Exception as error:  # damaged in one of many ways
        if not files:
            raise RefusedError("format") from error
        cut = True
    return files, contents, cut


def _table(files: list[Listed]) -> tuple[int, bytes]:
    """Return how many files there is room for, and the list of these."""
    out = bytearray(START)
    numbers = count(1)
    for listed, (name, size, is_taken) in enumerate(files):
        if len(out) > MAX_HTML:
            return listed, bytes(out + END)
        shown = escape(name[:MAX_NAME])
        if is_taken:
            shown = f'<a href="#file-{next(numbers)}">{shown}</a>'
        length = "" if size is None else format_size(size)
        row = f'<tr><td class="long">{shown}</td><td class="num">{length}</td></tr>\n'
        out += row.encode("utf-8", "replace")
    return len(files), bytes(out + END)


def _taken(member: Member, left: int) -> bytes | None:
    """Return the whole content of a small file; None if it is larger, encrypted or damaged."""
    limit = min(MAX_FILE, left)
    if member.size is not None and member.size > limit:
        return None
    try:
        content = member.read(limit + 1)
    except UNREADABLE:
        return None
    return content if len(content) <= limit else None


def _members(data: bytes, name: str) -> Iterator[Member]:
    if data.startswith(b"PK"):
        return _zip_members(data)
    unpack = next((unpack for start, unpack in UNPACKERS if data.startswith(start)), None)
    if unpack is None:
        return _tar_members(io.BytesIO(data))
    if _is_tar(unpack(io.BytesIO(data)).read(tarfile.BLOCKSIZE)):
        return _tar_members(_Limited(unpack(io.BytesIO(data)), MAX_UNPACKED))
    single = Member(name.rpartition(".")[0] or "content", None, unpack(io.BytesIO(data)).read)
    return iter((single,))


def _is_tar(start: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(start, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def _zip_members(data: bytes) -> Iterator[Member]:
    archive = zipfile.ZipFile(io.BytesIO(data))
    named = {one.filename: _name_bytes(one) for one in archive.infolist()}
    charset = charset_detection.detect(b"\n".join(filter(None, named.values()))) or "utf-8"
    for entry in archive.infolist():
        if not entry.is_dir():
            name = entry.filename
            written = named[entry.filename]
            if written and charset in OF_NAMES:
                name = written.decode(charset, "replace")
            yield Member(name, entry.file_size, partial(_read_entry, archive, entry))


def _is_encrypted(data: bytes) -> bool:
    entries = zipfile.ZipFile(io.BytesIO(data)).infolist()
    return any(entry.flag_bits & ENCRYPTED for entry in entries)


def _name_bytes(entry: zipfile.ZipInfo) -> bytes:
    """Return a name as it is written; nothing if it says that it is UTF-8."""
    return b"" if entry.flag_bits & UTF_8 else entry.filename.encode("cp437", "replace")


def _read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, limit: int) -> bytes:
    with archive.open(entry) as file:
        return file.read(limit)


def _tar_members(stream: Any) -> Iterator[Member]:
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for entry in filter(tarfile.TarInfo.isfile, archive):
            content = cast(IO[bytes], archive.extractfile(entry))
            yield Member(entry.name, entry.size, content.read)


class _Limited:
    """A stream that ends after so many bytes."""

    def __init__(self, stream: Any, left: int) -> None:
        self.stream = stream
        self.left = left

    def read(self, size: int) -> bytes:
        data: bytes = self.stream.read(min(size, self.left))
        self.left -= len(data)
        return data
