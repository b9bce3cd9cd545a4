"""viewer/escaping.py"""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.escaping import escape, json_for_script, plain

HOSTILE = "</script><!-- ]]> <script>&amp;\u2028\u2029'\""


def test_markup_becomes_text():
    assert escape('<b a="\'">&') == "&lt;b a=&quot;&#x27;&quot;&gt;&amp;"


@pytest.mark.parametrize("sign", ["\u202e", "\u2066", "\u200f", "\ufeff", "\x00", "\x1b", "\u200b"])
def test_a_character_that_deceives_is_shown(sign):
    assert sign not in escape(f"a{sign}b")
    assert f"U+{ord(sign):04X}" in escape(f"a{sign}b")
    assert plain(f"a{sign}b") == "ab"


def test_tabs_and_line_ends_stay():
    assert escape("a\tb\nc") == "a\tb\nc"
    assert plain("a\tb\nc") == "a b c"


def test_json_in_a_script_can_neither_end_it_nor_open_a_comment():
    text = json_for_script({"name": HOSTILE})

    assert "<" not in text
    assert ">" not in text
    assert json.loads(text) == {"name": HOSTILE}


@given(st.text())
def test_json_in_a_script_means_what_it_meant(value):
    assert json.loads(json_for_script(value)) == value


@given(st.text())
def test_no_text_becomes_markup_of_its_own(value):
    escaped = escape(value).replace('<span class="ctl" title="U+', "").replace("</span>", "")

    assert "<" not in escaped
    assert "\0" not in escaped
