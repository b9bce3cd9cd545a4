"""viewer/formats/text/indenting.py"""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.text.indenting import indent_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@pytest.mark.slow
@given(VALUES)
def test_json_is_indented_as_by_the_standard_library(value):
    assert joined(indent_json(json.dumps(value))) == joined(json.dumps(value, indent="\t"))


def joined(text):
    """JSON whose lists that begin with a number are on a line."""
    lists = re.compile(r'\[\s*(-?\d[^\[\]{}"]*?)\s*\]')
    return lists.sub(lambda one: f"[{' '.join(one[1].split())}]", text)


def test_a_list_of_numbers_is_on_a_line_if_it_is_short():
    short = str([-1.5, 2e9])
    long = str([*range(40)])
    text = indent_json(f'{{"a":{short},"b":{long},"c":["1"],"d":[[1],[]]}}')

    assert text.startswith('{\n\t"a": [-1.5, 2000000000.0],\n\t"b": [\n\t\t0,\n')
    assert text.endswith('"c": [\n\t\t"1"\n\t],\n\t"d": [\n\t\t[1],\n\t\t[]\n\t]\n}')


@pytest.mark.parametrize("end", ["", ",", ", ", ",-", "2"])
def test_the_list_that_a_start_of_json_ends_in_is_on_its_last_line(end):
    text = indent_json(f'{{"a":[1,{{"b":[1{end}', whole=False)

    assert text.split("\n")[-1].startswith('\t\t\t"b": [1')


def test_numbers_escapes_and_duplicate_names_are_kept():
    text = indent_json('{"a":1.0,"a":1e400,"b":[ ],"c":"\\u00e9,[{"}')

    assert text == '{\n\t"a": 1.0,\n\t"a": 1e400,\n\t"b": [],\n\t"c": "\\u00e9,[{"\n}'


@pytest.mark.parametrize(
    "text", ["{", "{a: 1}", "", "[" * 100_000, "[" * 900 + "]" * 900, "1" * 9999]
)
def test_invalid_or_deeply_nested_json_is_not_laid_out(text):
    assert indent_json(text) is None


def test_the_start_of_json_is_laid_out_although_it_can_not_be_checked():
    assert indent_json('[{"a": "b', whole=False) == '[\n\t{\n\t\t"a": "b'
    assert indent_json("hello {", whole=False) is None
