"""viewer/formats/text/json_indent.py"""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.text.json_indent import indent_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@pytest.mark.slow
@given(VALUES)
def test_json_is_indented_as_by_the_standard_library(value):
    assert indent_json(json.dumps(value)) == json.dumps(value, indent=2)


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
