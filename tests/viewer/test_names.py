"""viewer/names.py"""

import re
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.names import disposition, file_name, shown_name


def test_a_name_that_deceives_is_shown_without_its_tricks():
    assert shown_name("report\u202efdp.exe", "doc_1", "text/plain") == "reportfdp.exe"


@pytest.mark.parametrize("name", ["", "   ", "\u202e", "\0"])
def test_no_name_is_the_id_and_the_usual_ending(name):
    assert shown_name(name, "doc_1", "application/pdf") == "doc_1.pdf"


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../etc/passwd", "_.._etc_passwd"),
        (".bashrc", "bashrc"),
        ('a<b>:"c|d?*', "a_b___c_d__"),
        ("", "document"),
        ("x" * 300 + ".pdf", "x" * 176 + ".pdf"),
        ("x" * 300, "x" * 180),
    ],
)
def test_a_file_name_is_one_short_part(name, safe):
    assert file_name(name) == safe


def test_the_disposition_says_both_names():
    header = disposition("Résumé 100%.pdf")

    assert header.startswith('attachment; filename="R_sum_ 100_.pdf"; ')
    assert header.endswith("filename*=UTF-8''R%C3%A9sum%C3%A9%20100%25.pdf")
    assert disposition("a", inline=True).startswith("inline; ")


@given(st.text())
def test_no_name_breaks_the_header(name):
    header = disposition(name)

    assert re.fullmatch(r'attachment; filename="[ -!#-~]*"; filename\*=UTF-8\'\'[\w.%~-]+', header)
    assert header.isascii()
    assert not re.search(r"[\\/]", unquote(header.rpartition("''")[2]))
