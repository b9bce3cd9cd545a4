"""Reads zip-based office files safely: sizes are limited, DTDs are rejected."""

import base64
import io
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from posixpath import normpath
from typing import Any, Final, NamedTuple
from xml.etree.ElementTree import Element, ParseError

from ...markup.names import extension_of
from ...sandbox import MAX_PICTURES
from ...sandbox.messages import Message, RefusedError
from .elements import parse_xml

MANIFEST: Final = "META-INF/manifest.xml"  # of OpenDocument
ENCRYPTED: Final = b"encryption-data"
MAX_PART: Final = 32 << 20
MAX_TOTAL: Final = 96 << 20
MAX_PICTURE: Final = 4 << 20
PICTURES: Final = {"png": "png", "jpg": "jpeg", "jpeg": "jpeg", "gif": "gif", "webp": "webp"}


def render(data: bytes, _options: dict[str, Any]) -> Iterator[Message]:
    """Yield an empty message, as a job in the child process, if no password locks the file."""
    Package(data)
    yield {}, b""


class Target(NamedTuple):
    """The target of a relationship: a part of this package, or an external address."""

    address: str
    external: bool


class Package:
    """An office file; RefusedError "locked" if its parts are encrypted."""

    def __init__(self, data: bytes, max_total: int = MAX_TOTAL) -> None:
        self.archive = zipfile.ZipFile(io.BytesIO(data))
        self.names = set(self.archive.namelist())
        self.bytes_left = max_total
        self.picture_bytes_left = MAX_PICTURES
        self.pictures_left_out = False
        self.left_out: Counter[str] = Counter()  # what a reading view can't show, by its noun
        if MANIFEST in self.names and ENCRYPTED in self.read(MANIFEST):
            raise RefusedError("locked")

    def read(self, name: str, limit: int = MAX_PART) -> bytes:
        """Unpack a part; raise ValueError above its limit or that of the package."""
        most = min(limit, self.bytes_left)
        with self.archive.open(name) as part:
            data = part.read(most + 1)
        if len(data) > most:
            raise ValueError("a part is too large")
        self.bytes_left -= len(data)
        return data

    def read_start(self, name: str) -> tuple[bytes, bool]:
        """Unpack a part up to the limits; return it, and whether its end is missing."""
        most = min(MAX_PART, self.bytes_left)
        with self.archive.open(name) as part:
            data = part.read(most + 1)
        self.bytes_left -= min(len(data), most)
        return data[:most], len(data) > most

    def xml(self, name: str) -> Element:
        """Parse a part as XML, an absent one as an empty element; raise ValueError for a DTD."""
        if name not in self.names:
            return Element("absent")
        return parse_xml(self.read(name))

    def xml_if_sound(self, name: str) -> Element:
        """Parse a part that is not needed: a damaged one counts as an empty element."""
        try:
            return self.xml(name)
        except (ParseError, ValueError, zipfile.BadZipFile, zlib.error):
            return Element("damaged")

    def relationships(self, part: str) -> dict[str, Target]:
        """Return the targets of the relationship ids in a part; "" stands for the package."""
        folder, _, file = part.rpartition("/")
        items = self.xml_if_sound(f"{folder}/_rels/{file}.rels".lstrip("/"))
        return {item.get("Id", ""): _target(folder, item) for item in items}

    def leave_out(self, noun: str) -> str:
        """Count something that is not shown, and return what stands in its place."""
        self.left_out[noun] += 1
        return f'<span class="broken">{noun.capitalize()}, not shown</span>'

    def shown_picture(self, name: str) -> str:
        """Return an <img> with a picture of this package, or what stands in its place."""
        return self.picture(name) or self.leave_out("picture")

    def picture(self, name: str) -> str:
        """Return an <img> with a picture of this package, or an empty string."""
        source = self.picture_source(name)
        return f'<img alt="" src="{source}">' if source else ""

    def picture_source(self, name: str) -> str:
        """Return a picture of this package as a data: URI, or an empty string."""
        form = PICTURES.get(extension_of(name))
        if not form or name not in self.names:
            return ""
        data = base64.b64encode(self.read(name, MAX_PICTURE)).decode()
        if len(data) > self.picture_bytes_left:
            self.pictures_left_out = True
            return ""
        self.picture_bytes_left -= len(data)
        return f"data:image/{form};base64,{data}"


def has_picture_name(name: str) -> bool:
    return extension_of(name) in PICTURES


def _target(folder: str, item: Element) -> Target:
    address = item.get("Target", "")
    if item.get("TargetMode") == "External":
        return Target(address, external=True)
    whole = address if address.startswith("/") else f"/{folder}/{address}"
    return Target(normpath(whole).lstrip("/"), external=False)
