"""viewer/formats/packages/package.py"""

import pytest

from tests.viewer.samples import package, relationships
from viewer.formats.packages.package import Package, Target


def test_relationships_point_to_parts_or_external_addresses():
    data = package(
        word___rels__document_dot_xml_dot_rels=relationships(
            a="media/x.png", b="../y.xml", c="https://a.example/", d="/word/z.xml", e="../../../up"
        )
    )

    assert Package(data).relationships("word/document.xml") == {
        "a": Target("word/media/x.png", external=False),
        "b": Target("y.xml", external=False),
        "c": Target("https://a.example/", external=True),
        "d": Target("word/z.xml", external=False),
        "e": Target("up", external=False),
    }
    assert Package(data).relationships("other.xml") == {}


def test_only_raster_pictures_are_embedded():
    opened = Package(package(a_dot_png=b"x", b_dot_svg=b"<svg/>"))

    assert opened.picture("a.png") == '<img alt="" src="data:image/png;base64,eA==">'
    assert opened.picture("b.svg") == opened.picture("none.png") == ""


def test_pictures_above_the_total_limit_are_left_out():
    opened = Package(package(a_dot_png=bytes(3 << 20)))
    shown = [bool(opened.picture("a.png")) for _ in range(4)]

    assert shown == [True, True, True, False]
    assert opened.pictures_left_out


def test_a_part_above_its_limit_or_the_total_limit_is_rejected():
    opened = Package(package(a=bytes(100), b=bytes(100)), max_total=150)

    with pytest.raises(ValueError, match="too large"):
        opened.read("a", limit=99)
    assert len(opened.read("a")) == 100
    with pytest.raises(ValueError, match="too large"):
        opened.read("b")
