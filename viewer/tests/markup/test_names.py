"""viewer/markup/names.py"""

import re
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.markup.names import (
    badge,
    content_disposition,
    display_name,
    extension_of,
    safe_file_name,
)


def test_a_name_is_shown_without_invisible_characters():
    assert display_name("report\u202efdp.exe", "doc_1.txt") == "reportfdp.exe"


@pytest.mark.parametrize("name", ["", "   ", "\u202e", "\0"])
def test_a_name_without_visible_characters_gives_the_default(name):
    assert display_name(name, "doc_1.pdf") == "doc_1.pdf"


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../etc/passwd", "etc_passwd"),
        ("..\\..\\etc\\x", "etc_x"),
        ("/etc/./x/", "etc_x"),
        ("a/ .. /b", "a_b"),
        ("..", "document"),
        ("the end...pdf", "the end...pdf"),
        (".bashrc", "bashrc"),
        ('a<b>:"c|d?*', "a_b___c_d__"),
        ("", "document"),
        ("x" * 300 + ".pdf", "x" * 176 + ".pdf"),
        ("x" * 300, "x" * 180),
    ],
)
def test_a_file_name_is_safe_and_short(name, safe):
    assert safe_file_name(name) == safe


def test_the_content_disposition_has_an_ascii_and_an_exact_name():
    header = content_disposition("Résumé 100%.pdf")

    assert header.startswith('attachment; filename="R_sum_ 100_.pdf"; ')
    assert header.endswith("filename*=UTF-8''R%C3%A9sum%C3%A9%20100%25.pdf")
    assert content_disposition("a", inline=True).startswith("inline; ")


@given(st.text())
def test_no_name_breaks_the_content_disposition(name):
    header = content_disposition(name)

    assert re.fullmatch(r'attachment; filename="[ -!#-~]*"; filename\*=UTF-8\'\'[\w.%~-]+', header)
    assert header.isascii()
    assert not re.search(r"[\\/]", unquote(header.rpartition("''")[2]))


def test_the_extension_of_a_name_is_in_lower_case():
    assert extension_of("Report.PDF") == "pdf"
    assert extension_of("Makefile") == ""


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("a.tar.gz", "gz"),
        ("x", "text"),
        ("x.averylongone", "text"),
        ("Letter.pages", "page"),
        ("Sums.NUMBERS", "num"),
        ("Talk.key", "key"),
        ("x.<b>", "text"),
        ("x.", "text"),
    ],
)
def test_a_badge_is_a_short_extension_or_the_kind(name, word):
    assert badge(name, "text") == word


def test_the_badge_of_a_card_is_file():
    assert badge("a.sqlite", "unknown") == "file"
