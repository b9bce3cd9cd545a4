"""viewer/markup/escaping.py"""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.markup.escaping import escape, escape_attribute, json_for_script, single_line

HOSTILE = "</script><!-- ]]> <script>&amp;\u2028\u2029'\""


def test_markup_is_escaped():
    assert escape('<b a="\'">&') == "&lt;b a=&quot;&#x27;&quot;&gt;&amp;"


@pytest.mark.parametrize("sign", ["\u202e", "\u2066", "\u200f", "\ufeff", "\x00", "\x1b", "\u200b"])
def test_an_invisible_character_is_shown_as_a_chip(sign):
    assert sign not in escape(f"a{sign}b")
    assert f"U+{ord(sign):04X}" in escape(f"a{sign}b")
    assert single_line(f"a{sign}b") == "ab"
    assert escape_attribute(f'a{sign}"') == "a&quot;"


def test_of_ascii_all_control_characters_but_tabs_and_line_ends_are_shown_as_chips():
    shown = {code for code in range(128) if 'class="ctl"' in escape(f"a{chr(code)}")}

    assert shown == {*range(32), 127} - {9, 10}


def test_a_run_of_invisible_characters_is_one_chip():
    assert escape("a\x01\x02b") == 'a<span class="ctl" title="U+0001 U+0002">\u2401 \u2402</span>b'
    assert escape("\x01" * 1000) == (
        '<span class="ctl" title="U+0001 U+0001 U+0001 U+0001 …×1000">'
        "\u2401 \u2401 \u2401 \u2401 …×1000</span>"
    )


def test_tabs_and_line_ends_are_kept_in_html_and_spaces_in_titles():
    assert escape("a\tb\nc") == "a\tb\nc"
    assert single_line("a\tb\nc") == "a b c"


def test_json_in_a_script_cannot_end_the_element():
    text = json_for_script({"name": HOSTILE})

    assert "<" not in text
    assert ">" not in text
    assert json.loads(text) == {"name": HOSTILE}


@given(st.text())
def test_json_in_a_script_keeps_its_value(value):
    assert json.loads(json_for_script(value)) == value


@given(st.text())
def test_escaped_text_has_no_markup_except_chips(value):
    escaped = escape(value).replace('<span class="ctl" title="U+', "").replace("</span>", "")

    assert "<" not in escaped
    assert "\0" not in escaped
