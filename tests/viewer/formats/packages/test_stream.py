"""viewer/formats/packages/elements.py, element by element"""

from xml.parsers.expat import ExpatError

import pytest

from viewer.formats.packages.elements import (
    MAX_DEPTH,
    attribute,
    first_child,
    local_name,
    stream,
)


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
