"""viewer/sandbox/office/elements.py"""

from xml.etree import ElementTree

import pytest

from viewer.sandbox.office.elements import (
    attribute,
    child,
    children,
    descendants,
    local,
    number,
    text_of,
)

TREE = ElementTree.fromstring(
    '<a xmlns:r="r"><b id="plain" r:id="named"><t>x</t></b><r:b><c><t>y</t></c></r:b></a>'
)


def test_names_without_their_namespaces():
    assert [local(item) for item in TREE] == ["b", "b"]
    assert local(ElementTree.Comment("x")) == ""


def test_a_namespaced_attribute_comes_first():
    assert attribute(TREE[0], "id") == "named"
    assert attribute(TREE[0], "none") is attribute(None, "id") is None


def test_the_way_down():
    assert child(TREE, "b", "t").text == "x"
    assert child(TREE, "none", "t") is child(None, "b") is None
    assert len(list(children(TREE, "b"))) == 2
    assert [item.text for item in descendants(TREE, "t")] == ["x", "y"]
    assert text_of(TREE) == "xy"


@pytest.mark.parametrize(
    ("text", "value"), [("7", 7), ("", 1), (None, 1), ("-2", 1), ("9" * 20, 1), ("²", 1)]
)
def test_a_number_from_anything(text, value):
    assert number(text, 1) == value
