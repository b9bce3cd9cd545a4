"""viewer/extensions.py"""

import pytest

from viewer.extensions import badge, ending, extension


@pytest.mark.parametrize(
    ("kind", "usual"),
    [("application/pdf", ".pdf"), ("text/plain; charset=utf-8", ".txt"), ("x-odd/y", ".bin")],
)
def test_the_usual_ending(kind, usual):
    assert extension(kind) == usual


def test_the_ending_of_a_name():
    assert ending("Report.PDF") == "pdf"
    assert ending("Makefile") == ""


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("a.tar.gz", "gz"),
        ("x", "text"),
        ("x.averylongone", "text"),
        ("x.<b>", "text"),
        ("x.", "text"),
    ],
)
def test_a_badge_is_short_and_plain(name, word):
    assert badge(name, "text") == word
