"""A zip package that refuses bombs: parts read within limits, XML without DTD."""

import base64
import io
import zipfile
from posixpath import normpath
from typing import Any, Final, NamedTuple
from xml.etree import ElementTree as ET  # noqa: N817

LARGEST_PART: Final = 32 << 20
LARGEST_TOTAL: Final = 96 << 20
LARGEST_PICTURE: Final = 4 << 20
PICTURES: Final = {"png": "png", "jpg": "jpeg", "jpeg": "jpeg", "gif": "gif", "webp": "webp"}


class Target(NamedTuple):
    """Where a relationship leads: a part of this package, or an address outside."""

    address: str
    external: bool


class _WithoutDoctype(ET.TreeBuilder):
    """No office program writes a DTD; entities in one are how XML bombs are built."""

    def doctype(self, *_: object) -> None:
        raise ValueError("a DTD is not allowed")


class Package:
    """The parts of an office file."""

    def __init__(self, data: bytes) -> None:
        self.archive = zipfile.ZipFile(io.BytesIO(data))
        self.names = set(self.archive.namelist())
        self.left = LARGEST_TOTAL

    def read(self, name: str, limit: int = LARGEST_PART) -> bytes:
        """A part, counted against what may be unpacked in all."""
        most = min(limit, self.left)
        with self.archive.open(name) as part:
            data = part.read(most + 1)
        if len(data) > most:
            raise ValueError("a part is too large")
        self.left -= len(data)
        return data

    def xml(self, name: str) -> ET.Element:
        """A part as a tree."""
        parser: Any = ET.XMLParser(target=_WithoutDoctype())  # noqa: S314
        parser.feed(self.read(name))
        root: ET.Element = parser.close()
        return root

    def relationships(self, part: str) -> dict[str, Target]:
        """What the ids in a part stand for."""
        folder, _, file = part.rpartition("/")
        name = f"{folder}/_rels/{file}.rels"
        if name not in self.names:
            return {}
        return {item.get("Id", ""): _target(folder, item) for item in self.xml(name)}

    def picture(self, name: str) -> str:
        """An <img> that carries a picture of this package, or nothing."""
        form = PICTURES.get(name.rpartition(".")[2].lower())
        if not form or name not in self.names:
            return ""
        data = base64.b64encode(self.read(name, LARGEST_PICTURE)).decode()
        return f'<img alt="" src="data:image/{form};base64,{data}">'


def _target(folder: str, item: ET.Element) -> Target:
    address = item.get("Target", "")
    if item.get("TargetMode") == "External":
        return Target(address, external=True)
    whole = address if address.startswith("/") else f"/{folder}/{address}"
    return Target(normpath(whole).lstrip("/"), external=False)
