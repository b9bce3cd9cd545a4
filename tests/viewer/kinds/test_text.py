"""viewer/kinds/text.py"""

from tests.viewer.samples import original
from viewer.kinds.text import LINE_LIMIT, READ_LIMIT, label_of, preview


def shown(data, kind="text/plain"):
    return preview(original(data, "a", kind), kind.partition(";")[0])


def test_lines_are_numbered_and_are_text():
    body = shown(b"a\n<b>\n").body

    assert '<span class="ln" id="L1">a\n</span><span class="ln" id="L2">&lt;b&gt;\n</span>' in body


def test_facts_name_an_unusual_encoding():
    assert shown("é".encode()).facts == ("1 line",)
    assert shown("é\n".encode("latin-1"), "text/plain; charset=latin1").facts == (
        "1 line",
        "iso8859-1",
    )


def test_too_many_lines_are_cut_and_it_says_so():
    cut = shown(b"\n" * (LINE_LIMIT + 5))

    assert cut.body.count('class="ln"') == LINE_LIMIT
    assert "20,000 lines" in cut.note


def test_too_many_bytes_are_never_read():
    cut = shown(b"x" * (READ_LIMIT + 99))

    assert "x" * READ_LIMIT + "\n</span>" in cut.body
    assert "2.0 MiB" in cut.note


def test_labels():
    assert label_of("text/plain") == "Plain text"
    assert label_of("text/x-ini") == "INI"
    assert label_of("text/troff-long-name") == "troff-long-name"
