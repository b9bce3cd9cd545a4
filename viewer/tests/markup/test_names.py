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
    safe_folder,
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


@pytest.mark.parametrize(
    ("path", "safe"),
    [
        ("plans/2026", "plans/2026"),
        ("plans\\2026/", "plans/2026"),
        ("a//./b/ /c", "a/b/c"),
        ("", ""),
        (".", ""),
        ("a:b/.git/end./con", "a_b/git/end/_con"),
        ("a\u202e/\u200b", "a"),
        ("x" * 300, "x" * 180),
        (
            "x" * 180 + "/" + "y" * 180 + "/" + "z" * 138,
            "/".join(("x" * 180, "y" * 180, "z" * 138)),
        ),
    ],
)
def test_the_names_of_a_folder_are_made_safe_as_those_of_files(path, safe):
    assert safe_folder(path) == safe


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/plans", "Begin with the name of a folder, not with a slash."),
        ("\\plans", "Begin with the name of a folder, not with a slash."),
        ("..", "Name folders alone: '..' leads out of them."),
        ("plans/../x", "Name folders alone: '..' leads out of them."),
        ("plans/ \u200b.. ", "Name folders alone: '..' leads out of them."),
        ("a/" * 250 + "b", "Use at most 500 characters."),
        ("con/" * 125, "Use at most 500 characters."),  # each gets one more
    ],
)
def test_a_path_that_is_long_or_leads_elsewhere_is_no_folder(path, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        safe_folder(path)


def test_a_folder_is_without_the_name_of_its_file():
    assert safe_folder("plans/a?.pdf", "a?.pdf") == "plans"
    assert safe_folder("a.pdf", "a.pdf") == ""
    assert safe_folder("a.pdf/x", "a.pdf") == "a.pdf/x"
    assert safe_folder("plans", None) == "plans"


@given(st.text(alphabet=st.one_of(st.sampled_from("/\\. ac\u200b:"), st.characters())))
def test_a_safe_folder_stays_as_it_is(path):
    try:
        safe = safe_folder(path)
    except ValueError:
        return
    assert safe_folder(safe) == safe
    assert not any(step.strip(" .") == "" for step in safe.split("/") if safe)


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
