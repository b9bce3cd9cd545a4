"""Runs in the child process. Reads the lines and places of GPX and KML files.

Source: GPX 1.1; OGC KML 2.3 (coordinates are longitude, latitude, height), with Google's tracks.
"""

import io
import math
import zipfile
from collections.abc import Iterator
from typing import Any, Final
from xml.etree.ElementTree import Element

from ...markup.escaping import escape
from ...markup.formatting import format_count
from ...sandbox.messages import Message, shown_as
from ..packages.elements import children, descendants, first_child, local_name, parse_xml
from .track_drawing import Found, Point, drawing, measures

MAX_UNPACKED: Final = 32 << 20  # bytes of the KML in a KMZ file
MAX_POINTS: Final = 300_000
MAX_PLACES: Final = 300  # that are listed
MAX_NAME: Final = 100
NOTE: Final = "Drawn without a map: no map service is asked. North is up."
LINES: Final = frozenset({"LineString", "LinearRing"})


def prepare(_data: bytes, _options: dict[str, Any]) -> None:
    """Import what is imported on first use."""
    zipfile.ZipFile(io.BytesIO(), "w").close()


def render(data: bytes, _options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message: the numbers of points and places; the drawing and the measures as HTML.

    Raises ValueError if there is no point, or too many, and ParseError for malformed XML.
    """
    root = parse_xml(_unpacked(data))
    found = _read_gpx(root) if local_name(root) == "gpx" else _read_kml(root)
    points = sum(map(len, found.lines))
    if not points + len(found.places) or points > MAX_POINTS:
        raise ValueError("no point, or too many")
    title = f"<h2>{escape(found.name)}</h2>\n" if found.name else ""
    rows = "".join(f"<dt>{name}</dt><dd>{text}</dd>\n" for name, text in measures(found.lines))
    names = (escape(name) or "–" for name, _ in found.places[:MAX_PLACES])
    places = "".join(f"<li>{name}</li>\n" for name in names)
    listed = f"<h3>Places</h3>\n<ol>{places}</ol>\n" if places else ""
    html = f"{title}{drawing(found)}<dl>\n{rows}</dl>\n{listed}"
    label = "GPX track" if local_name(root) == "gpx" else "KML places"
    counts = ((points, "point"), (len(found.places), "place"))
    facts = shown_as(label, *(format_count(*one) for one in counts if one[0]), notes=[NOTE])
    yield facts, f'<section class="track">\n{html}</section>'.encode("utf-8", "replace")


def _unpacked(data: bytes) -> bytes:
    if not data.startswith(b"PK"):
        return data
    archive = zipfile.ZipFile(io.BytesIO(data))
    with archive.open(next(name for name in archive.namelist() if name.endswith(".kml"))) as file:
        return file.read(MAX_UNPACKED)


def _read_gpx(root: Element) -> Found:
    parts = [*descendants(root, "trkseg"), *descendants(root, "rte")]
    lines = [[*map(_gpx_point, (*children(p, "trkpt"), *children(p, "rtept")))] for p in parts]
    places = [(_text(one, "name"), _gpx_point(one)) for one in children(root, "wpt")]
    named = (root, first_child(root, "metadata"), *children(root, "trk"), *children(root, "rte"))
    name = next(filter(None, (_text(one, "name") for one in named)), "")
    return _valid(name, lines, places)


def _gpx_point(element: Element) -> Point:
    height = _number(_text(element, "ele"))
    return Point(_number(element.get("lon")), _number(element.get("lat")), height)


def _read_kml(root: Element) -> Found:
    lines: list[list[Point]] = []
    places: list[tuple[str, Point]] = []
    for mark in descendants(root, "Placemark"):
        for part in mark.iter():
            if local_name(part) in LINES:
                lines.append(list(_coordinates(_text(part, "coordinates"))))
            elif local_name(part) == "Point":
                points = _coordinates(_text(part, "coordinates"))
                places += [(_text(mark, "name"), point) for point in points]
            elif local_name(part) == "Track":  # of Google's extension
                groups = (_text(one).replace(" ", ",") for one in children(part, "coord"))
                lines.append(list(_coordinates(" ".join(groups))))
    document = first_child(root, "Document")
    return _valid(_text(document if document is not None else root, "name"), lines, places)


def _coordinates(text: str) -> Iterator[Point]:
    for group in text.split():
        numbers = [*map(_number, group.split(",", 3)[:3]), math.nan, math.nan]
        yield Point(numbers[0], numbers[1], numbers[2])


def _valid(name: str, lines: list[list[Point]], places: list[tuple[str, Point]]) -> Found:
    """Leave out points that are not on the earth."""
    kept = [[point for point in line if _is_on_earth(point)] for line in lines]
    named = [(title[:MAX_NAME], point) for title, point in places if _is_on_earth(point)]
    return Found(name[:MAX_NAME], list(filter(None, kept)), named)


def _is_on_earth(point: Point) -> bool:
    return abs(point.longitude) <= 180 and abs(point.latitude) <= 90  # not NaN


def _number(text: str | None) -> float:
    try:
        number = float((text or "")[:40])
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def _text(element: Element | None, *path: str) -> str:
    found = first_child(element, *path)
    return " ".join((found.text or "").split()) if found is not None else ""
