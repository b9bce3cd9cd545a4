"""viewer/sandbox/json_layout.py"""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.sandbox.json_layout import laid_out

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES)
def test_it_lays_out_as_the_standard_library_does(value):
    assert laid_out(json.dumps(value)) == json.dumps(value, indent=2)


def test_no_value_is_changed():
    text = laid_out('{"a":1.0,"a":1e400,"b":[ ],"c":"\\u00e9,[{"}')

    assert text == '{\n  "a": 1.0,\n  "a": 1e400,\n  "b": [],\n  "c": "\\u00e9,[{"\n}'


@pytest.mark.parametrize(
    "text", ["{", "{a: 1}", "", "[" * 100_000, "[" * 900 + "]" * 900, "1" * 9999]
)
def test_what_is_no_json_or_too_deep_stays_as_it_was(text):
    assert laid_out(text) == text
