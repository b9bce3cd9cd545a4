"""viewer/formats/packages/elements.py"""

from xml.etree import ElementTree

import pytest

from viewer.formats.packages.elements import (
    attribute,
    children,
    descendants,
    first_child,
    local_name,
    parse_int,
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
