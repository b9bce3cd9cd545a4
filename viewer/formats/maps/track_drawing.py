"""Runs in the child process. Measures lines on the earth, and draws them with places and a scale.

Distances are those on a sphere, by the haversine formula. The drawing is an equirectangular
projection that is true to scale in its middle.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from ...markup.escaping import escape

RADIUS: Final = 6_371_009  # metres: the mean of the earth's
DEGREE: Final = math.pi / 180 * RADIUS
WIDTH, LOWEST, HIGHEST, MARGIN = 1000, 300, 620, 50  # of the drawing, in its own units
SMALLEST: Final = 1e-3  # degrees that fill the drawing
MAX_DRAWN: Final = 6_000  # points of all lines
MAX_LINES: Final = 2_000
MAX_NUMBERED: Final = 60  # places


class Point(NamedTuple):
    """Degrees; metres above the sea, which may be NaN."""

    longitude: float
    latitude: float
    height: float = math.nan


class Found(NamedTuple):
    """What a file holds: its name, its lines, and its places with their names."""

    name: str
    lines: list[list[Point]]
    places: list[tuple[str, Point]]


class Projection:
    """Degrees to the units of the drawing."""

    def __init__(self, points: list[Point]) -> None:
        west, east = min(p.longitude for p in points), max(p.longitude for p in points)
        south, north = min(p.latitude for p in points), max(p.latitude for p in points)
        self.longitude, self.latitude = (west + east) / 2, (south + north) / 2
        self.shrunk = max(0.01, math.cos(math.radians(self.latitude)))
        wide, high = max((east - west) * self.shrunk, SMALLEST), max(north - south, SMALLEST)
        self.scale = min((WIDTH - 2 * MARGIN) / wide, (HIGHEST - 2 * MARGIN) / high)
        self.height = max(LOWEST, round(high * self.scale + 2 * MARGIN))

    def place(self, point: Point) -> tuple[str, str]:
        x = WIDTH / 2 + (point.longitude - self.longitude) * self.shrunk * self.scale
        y = self.height / 2 - (point.latitude - self.latitude) * self.scale
        return f"{x:.1f}", f"{y:.1f}"


def measures(lines: list[list[Point]]) -> Iterator[tuple[str, str]]:
    """Yield name and value of what can be said of the lines."""
    if length := sum(_distance(*two) for line in lines for two in pairwise(line)):
        yield "Distance", _metres(length)
    heights = [point.height for line in lines for point in line if math.isfinite(point.height)]
    if heights and max(heights) > min(heights):
        yield "Height", f"{min(heights):,.0f} to {max(heights):,.0f} m"


def drawing(found: Found) -> str:
    """Return SVG: the lines with where they begin and end, the places, a scale."""
    every = [point for line in found.lines for point in line]
    projection = Projection(every + [point for _, point in found.places])
    step = max(1, len(every) // MAX_DRAWN)
    parts = []
    for line in found.lines[:MAX_LINES]:
        drawn = map(projection.place, (*line[:-1:step], line[-1]))
        parts.append(f'<polyline points="{" ".join(map(",".join, drawn))}"/>\n')
    for line in found.lines[:1]:
        if line[0][:2] != line[-1][:2]:  # else it is an area
            parts += [_mark(projection, line[0], "start"), _mark(projection, line[-1], "end")]
    for number, (name, point) in enumerate(found.places[:MAX_NUMBERED], 1):
        x, y = projection.place(point)
        parts.append(_mark(projection, point, "place", escape(name)))
        parts.append(f'<text x="{float(x) + 10:.1f}" y="{y}">{number}</text>\n')
    return (
        f'<svg viewBox="0 0 {WIDTH} {projection.height}" role="img" aria-label="The drawing">\n'
        f"{''.join(parts)}{_scale(projection)}</svg>\n"
    )


def _mark(projection: Projection, point: Point, kind: str, title: str = "") -> str:
    x, y = projection.place(point)
    title = f"<title>{title or kind}</title>"
    return f'<circle class="{kind}" cx="{x}" cy="{y}" r="7">{title}</circle>\n'


def _scale(projection: Projection) -> str:
    """Return a bar of a round length, at most a quarter of the width."""
    most = WIDTH / 4 / projection.scale * DEGREE
    power = 10 ** math.floor(math.log10(most))
    length = max(factor * power for factor in (1, 2, 5) if factor * power <= most)
    y, right = projection.height - 20, 20 + length / DEGREE * projection.scale
    return (
        f'<path class="scale" d="M20 {y - 8}v8H{right:.1f}v-8"/>'
        f'<text x="{right + 10:.1f}" y="{y}">{_metres(length)}</text>\n'
    )


def _distance(one: Point, other: Point) -> float:
    """Return metres."""
    (x, y), (u, v) = (map(math.radians, point[:2]) for point in (one, other))
    half = math.sin((v - y) / 2) ** 2 + math.cos(y) * math.cos(v) * math.sin((u - x) / 2) ** 2
    return 2 * RADIUS * math.asin(min(1.0, math.sqrt(half)))


def _metres(length: float) -> str:
    if length < 1000:
        return f"{length:,.0f} m"
    return f"{length / 1000:,.1f}".removesuffix(".0") + " km"
