"""ZIP packages of office files, read safely: sizes are limited, DTDs are rejected."""

import io
import zipfile
import zlib
from posixpath import normpath
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element, ParseError

from .elements import parse_xml

MAX_PART: Final = 32 << 20
MAX_TOTAL: Final = 96 << 20


class Target(NamedTuple):
    """The target of a relationship: a part of this package, or an external address."""

    address: str
    external: bool
    kind: str = ""  # the last word of its type


class Package:
    """An office file."""

    def __init__(self, data: bytes, max_total: int = MAX_TOTAL) -> None:
        self.archive = zipfile.ZipFile(io.BytesIO(data))
        self.names = set(self.archive.namelist())
        self.bytes_left = max_total

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


def _target(folder: str, item: Element) -> Target:
    address = item.get("Target", "")
    kind = item.get("Type", "").rpartition("/")[2]
    if item.get("TargetMode") == "External":
        return Target(address, external=True, kind=kind)
    whole = address if address.startswith("/") else f"/{folder}/{address}"
    return Target(normpath(whole).lstrip("/"), external=False, kind=kind)
