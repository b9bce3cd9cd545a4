"""viewer/formats/maps/"""

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.viewer.samples import GPX, KML, original, package, preview_of
from viewer.formats.maps.track_drawing import Found, Point, drawing, measures


def shown(data, name="a.gpx"):
    preview = preview_of(original(data, name))
    return preview, preview.body.decode()


def test_a_track_is_drawn_and_measured():
    preview, html = shown(GPX)

    assert (preview.kind, preview.label) == ("map", "GPX track")
    assert preview.facts == ("3 points", "1 place")
    assert "<h2>To the lake</h2>" in html
    assert html.count("<title>start</title>") == html.count("<title>end</title>") == 1
    assert html.count("<polyline") == html.count('class="place"') == 1
    assert "<dt>Distance</dt><dd>2 km</dd>" in html
    assert "<dt>Height</dt><dd>30 to 50 m</dd>" in html
    assert "<li>Bridge</li>" in html


@pytest.mark.parametrize(
    ("name", "data"), [("a.kml", KML), ("a.kmz", package(doc_dot_kml=KML)), ("a.xml", KML)]
)
def test_places_and_areas_are_drawn(name, data):
    preview, html = shown(data, name)

    if name == "a.xml":
        assert preview.kind == "code"
    else:
        assert preview.facts == ("4 points", "1 place")
        assert "<li>Gate</li>" in html
        assert "<title>start</title>" not in html


def test_a_track_of_google_is_drawn():
    coordinates = b"<coord>13 52 1</coord><coord>13.1 52 2</coord>"
    track = b"<kml><Placemark><Track>" + coordinates + b"</Track></Placemark></kml>"

    assert shown(track, "a.kml")[0].facts == ("2 points",)


def test_a_degree_on_the_equator_is_as_long_as_one_on_a_meridian():
    for end in (Point(1, 0), Point(0, 1)):
        assert dict(measures([[Point(0, 0), end]])) == {"Distance": "111.2 km"}


def test_north_is_up_and_the_scale_holds():
    places = [("", Point(0, 0)), ("", Point(0, 1)), ("", Point(1, 0))]
    html = drawing(Found("", [], places))
    (x, y), (u, v), (s, t) = (
        map(float, pair) for pair in re.findall(r'class="place" cx="(.+?)" cy="(.+?)"', html)
    )
    bar = float(re.search(r"H([\d.]+)v-8", html)[1]) - 20

    assert (x, t) == (u, y)
    assert v < y
    assert s - x == pytest.approx(y - v, rel=0.01)
    assert re.search(r">(\d+) km<", html)[1] == "50"
    assert bar / (y - v) == pytest.approx(50 / 111.2, rel=0.01)


@pytest.mark.parametrize(
    "data",
    [
        b"<gpx/>",
        GPX.replace(b'lat="52', b'lat="NaN').replace(b'lon="13', b'lon="1e999'),
        GPX.replace(b"<gpx", b"<!DOCTYPE x [<!ENTITY a 'a'>]><gpx"),
        GPX[:-20],
        b"<gpx>" + b"<trkseg>" * 100_000,
    ],
)
def test_what_cannot_be_drawn_is_shown_as_its_source(data):
    assert shown(data)[0].kind == "code"


def test_points_that_are_not_on_the_earth_are_left_out():
    data = GPX.replace(b'lat="52.51"', b'lat="Infinity"').replace(b"<ele>45", b"<ele>NaN")

    assert shown(data)[0].facts == ("2 points", "1 place")
    assert "nan" not in shown(data)[1].lower()


degrees = st.floats(-90, 90)


@settings(max_examples=60)
@given(st.lists(st.tuples(degrees, degrees), min_size=1, max_size=20))
def test_every_point_is_inside_the_drawing(pairs):
    html = drawing(Found("", [[Point(*pair) for pair in pairs]], []))
    height = float(re.search(r'viewBox="0 0 1000 (\d+)"', html)[1])
    for pair in re.search(r'points="([^"]+)"', html)[1].split():
        x, y = map(float, pair.split(","))
        assert 0 <= x <= 1000
        assert 0 <= y <= math.ceil(height)
