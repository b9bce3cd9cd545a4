"""viewer/formats/text/indenting.py"""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.text.indenting import indent_json, indent_xml

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@pytest.mark.slow
@given(VALUES)
def test_json_is_indented_as_by_the_standard_library(value):
    assert joined(indent_json(json.dumps(value))) == joined(json.dumps(value, indent=2))


def joined(text):
    """JSON whose lists that begin with a number are on a line."""
    lists = re.compile(r'\[\s*(-?\d[^\[\]{}"]*?)\s*\]')
    return lists.sub(lambda one: f"[{' '.join(one[1].split())}]", text)


def test_a_list_of_numbers_is_on_a_line_if_it_is_short():
    short, long = str([-1.5, 2e9]), str([*range(40)])
    text = indent_json(f'{{"a":{short},"b":{long},"c":["1"],"d":[[1],[]]}}')

    assert text.startswith('{\n  "a": [-1.5, 2000000000.0],\n  "b": [\n    0,\n')
    assert text.endswith('"c": [\n    "1"\n  ],\n  "d": [\n    [1],\n    []\n  ]\n}')


@pytest.mark.parametrize("end", ["", ",", ", ", ",-", "2"])
def test_the_list_that_a_start_of_json_ends_in_is_on_its_last_line(end):
    text = indent_json(f'{{"a":[1,{{"b":[1{end}', whole=False)

    assert text.split("\n")[-1].startswith('      "b": [1')


def test_numbers_escapes_and_duplicate_names_are_kept():
    text = indent_json('{"a":1.0,"a":1e400,"b":[ ],"c":"\\u00e9,[{"}')

    assert text == '{\n  "a": 1.0,\n  "a": 1e400,\n  "b": [],\n  "c": "\\u00e9,[{"\n}'


@pytest.mark.parametrize(
    "text", ["{", "{a: 1}", "", "[" * 100_000, "[" * 900 + "]" * 900, "1" * 9999]
)
def test_invalid_or_deeply_nested_json_is_not_laid_out(text):
    assert indent_json(text) is None


def test_the_start_of_json_is_laid_out_although_it_can_not_be_checked():
    assert indent_json('[{"a": "b', whole=False) == '[\n  {\n    "a": "b'
    assert indent_json("hello {", whole=False) is None


def laid_out(text, **options):
    found = indent_xml(text, **options)
    return found and found[0]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("<a><b>1</b><c/><d> </d></a>", ["<a>", "  <b>1</b>", "  <c/>", "  <d> </d>", "</a>"]),
        (
            "<a><p>one <b>two</b> <i>three</i></p><p><b>x</b><i>y</i></p></a>",
            ["<a>", "  <p>one <b>two</b> <i>three</i></p>", "  <p><b>x</b><i>y</i></p>", "</a>"],
        ),
        (
            "<a><b xml:space='preserve'><c/> <c/></b><d><![CDATA[<x>]]></d></a>",
            ["<a>", "  <b xml:space='preserve'><c/> <c/></b>", "  <d><![CDATA[<x>]]></d>", "</a>"],
        ),
        (
            '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e "x>">]><a b="x>y"><!-- <c> -->'
            "<d>&e;</d></a>",
            [
                *('<?xml version="1.0"?>', '<!DOCTYPE a [<!ENTITY e "x>">]>', '<a b="x>y">'),
                *("  <!-- <c> -->", "  <d>&e;</d>", "</a>"),
            ],
        ),
    ],
)
def test_elements_without_text_are_laid_out_and_all_others_kept(text, lines):
    assert laid_out(text) == "\n".join(lines)


def test_an_element_of_several_lines_is_one_fold():
    text, folds = indent_xml(
        "<a><b\nc='1'><d/><e>1\n2</e></b\n><f/><f/><f/><f/><f/><f/><f/><f/><f/><f/></a>"
    )

    assert list(zip(text.split("\n"), folds, strict=True))[:7] == [
        *(("<a>", 1), ("  <b", 0), ("c='1'>", 1), ("    <d/>", 0), ("    <e>1", 0), ("2</e>", 0)),
        ("  </b", -1),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "<a>\n<b>1</b>\n<c>2</c>\n</a>",
        "<a><b></a></b><c/><c/>",
        "<a><b/><b/><b/><b/>",
        "x<a><b/><b/><b/><b/></a>",
        "<a><b/><b/><b/><b c='></a>",
        "<!--" * 200_000,
        "<a>" * 100 + "</a>" * 100,
        "",
    ],
)
def test_what_is_laid_out_already_or_no_xml_stays_as_it_is(text):
    assert indent_xml(text) is None


def test_the_start_of_xml_is_laid_out_although_its_end_is_missing():
    assert laid_out("<a><b><c/><c/><c/><d", whole=False).split("\n") == [
        *("<a>", "  <b>", "    <c/>", "    <c/>", "    <c/>", "<d")
    ]
