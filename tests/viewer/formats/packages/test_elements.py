"""viewer/formats/packages/elements.py"""

from xml.etree import ElementTree
from xml.parsers.expat import ExpatError

import pytest

from viewer.formats.packages.elements import (
    MAX_DEPTH,
    attribute,
    children,
    descendants,
    first_child,
    local_name,
    parse_int,
    stream,
)

TREE = ElementTree.fromstring(
    '<a xmlns:r="r"><b id="plain" r:id="named"><t>x</t></b><r:b><c><t>y</t></c></r:b></a>'
)


def test_local_names_have_no_namespace():
    assert [local_name(item) for item in TREE] == ["b", "b"]
    assert local_name(ElementTree.Comment("x")) == ""


def test_a_namespaced_attribute_is_preferred():
    assert attribute(TREE[0], "id") == "named"
    assert attribute(TREE[0], "none") is attribute(None, "id") is None


def test_children_and_descendants_are_found_by_local_name():
    assert first_child(TREE, "b", "t").text == "x"
    assert first_child(TREE, "none", "t") is first_child(None, "b") is None
    assert len(list(children(TREE, "b"))) == 2
    assert [item.text for item in descendants(TREE, "t")] == ["x", "y"]


@pytest.mark.parametrize(
    ("text", "value"), [("7", 7), ("", 1), (None, 1), ("-2", 1), ("9" * 20, 1), ("²", 1)]
)
def test_a_malformed_number_gives_the_default(text, value):
    assert parse_int(text, 1) == value


def names(text, *whole):
    return [local_name(item) for item in stream(text.encode(), frozenset(whole))]


def test_elements_arrive_in_order_whole_ones_with_their_content():
    text = '<a xmlns:x="x"><b x:k="1"/><row>1<t>two</t></row><row/><c/></a>'
    items = list(stream(text.encode(), frozenset({"row"})))

    assert [local_name(item) for item in items] == ["a", "b", "row", "row", "c"]
    assert attribute(items[1], "k") == "1"
    assert first_child(items[2], "t").text == "two"


def test_a_missing_end_is_no_error():
    assert names("<a><row/><row", "row") == ["a", "row"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_dtd_is_refused_in_any_encoding(encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'

    with pytest.raises(ValueError, match="DTD"):
        list(stream(text.encode(encoding), frozenset()))


def test_deep_nesting_and_malformed_xml_are_refused():
    with pytest.raises(ValueError, match="deep"):
        names("<row>" * (MAX_DEPTH + 1), "row")
    with pytest.raises(ExpatError):
        names("<a></b>")
