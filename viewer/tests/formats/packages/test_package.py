"""viewer/formats/packages/: what protects the readers of office documents and books"""

from xml.etree.ElementTree import ParseError

import pytest

from viewer.formats.packages.elements import MAX_DEPTH, local_name, parse_int, stream
from viewer.formats.packages.package import Package, Target
from viewer.tests.samples import package, relationships


def names(text, *whole, encoding="utf-8"):
    return [local_name(item) for item in stream(text.encode(encoding), frozenset(whole))]


def test_elements_arrive_in_order_and_a_missing_end_is_no_error():
    text = '<a xmlns:x="x"><x:b/><row>1<t>two</t></row><row/><c'

    assert names(text, "row") == ["a", "b", "row", "row"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_dtd_is_refused_in_any_encoding(encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'

    with pytest.raises(ValueError, match="DTD"):
        names(text, encoding=encoding)


def test_deep_nesting_and_malformed_xml_are_refused():
    with pytest.raises(ValueError, match="deep"):
        names("<row>" * (MAX_DEPTH + 1), "row")
    with pytest.raises(ParseError):
        names("<a></b>")


def test_a_malformed_number_gives_the_default():
    assert [parse_int(text, 1) for text in ("7", "", None, "-2", "9" * 20, "²")] == [7, *[1] * 5]


def test_relationships_point_to_parts_or_external_addresses():
    items = relationships(a="media/x.png", b="../../../up", c="https://a.example/", d="/word/z.xml")
    opened = Package(package(word___rels__document_dot_xml_dot_rels=items))

    assert opened.relationships("word/document.xml") == {
        "a": Target("word/media/x.png", external=False, kind="any"),
        "b": Target("up", external=False, kind="any"),
        "c": Target("https://a.example/", external=True, kind="any"),
        "d": Target("word/z.xml", external=False, kind="any"),
    }
    assert opened.relationships("other.xml") == {}


def test_a_part_above_its_limit_or_the_total_limit_is_rejected():
    opened = Package(package(a=bytes(100), b=bytes(100)), max_total=150)

    with pytest.raises(ValueError, match="too large"):
        opened.read("a", limit=99)
    assert len(opened.read("a")) == 100
    with pytest.raises(ValueError, match="too large"):
        opened.read("b")
