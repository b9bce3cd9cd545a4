"""viewer/formats/text/text_lines.py, as it is shown"""

from viewer.formats.text.text_lines import GOTO, LINES, LONG, MAX_LINES, MENU, label_of
from viewer.rendering.registry import TEXT
from viewer.tests.samples import original

MAX_READ = TEXT.read_bytes


def shown(data, kind="text/plain"):
    return TEXT.preview(original(data, "a", kind), kind.partition(";")[0])


def test_lines_are_numbered_and_escaped():
    body = shown(b"a\n<b>\n").body.decode()

    assert "<a id=L1>a\n</a><a id=L2>&lt;b>\n</a>" in body


def test_the_colours_of_a_terminal_are_left_out():
    body = shown(b"a \x1b[1;32mgreen\x1b[0m \x1b[2J").body

    assert b"a green " in body
    assert b"U+001B" in body


def test_an_encoding_other_than_utf_8_is_named():
    assert shown("é".encode()).facts == ("1 line",)
    assert shown("é\n".encode("latin-1"), "text/plain; charset=latin1").facts == (
        "1 line",
        "iso8859-1",
    )


def test_lines_above_the_limit_are_left_out_with_a_note():
    cut = shown(b"\n" * (MAX_LINES + 5))

    assert cut.body.decode().count("<a id=L") == MAX_LINES
    assert "20,000 lines" in cut.note
    assert cut.source["shown"] == MAX_LINES


def test_bytes_above_the_limit_are_not_read():
    cut = shown(b"x" * (MAX_READ + 99))

    read = cut.body.replace(b"</span><span class=part>", b"")
    assert b">" + b"x" * MAX_READ + b"</span>\n</a>" in read
    assert "2.1 MB" in cut.note


def test_a_long_text_has_a_field_for_the_number_of_a_line():
    short = shown(b"x\n" * LONG)
    long = shown(b"x\n" * (LONG + 1))

    assert "lines" not in short.tools
    assert GOTO[0] not in short.scripts
    assert long.tools == short.tools | {"lines"}
    assert long.scripts == GOTO


def test_only_what_is_cut_or_may_be_in_another_encoding_has_scripts_of_its_own():
    shown_by = {
        b"a\t1\n": (),
        "a é".encode(): (),
        "é".encode("latin-1"): LINES + MENU,
        b"\x1b$B4A\x1b(B": LINES + MENU,
        b"x" * (MAX_READ + 9): LINES + GOTO,
    }
    for data, scripts in shown_by.items():
        assert shown(data).scripts == scripts, data[:9]


def test_a_line_takes_few_bytes_beside_its_text():
    lines = shown(b"some words\n" * 100).body

    assert len(lines) < 100 * (len("some words\n") + 15) + 150


def test_a_label_is_made_from_the_media_type():
    assert label_of("text/plain") == "Plain text"
    assert label_of("text/x-ini") == "INI"
    assert label_of("text/troff-long-name") == "troff-long-name"


def test_an_encoding_that_nothing_says_is_guessed():
    text = "これは日本語の文章です。東京都の売上一覧表。\n"

    for encoding in ("shift_jis", "euc_jp"):
        shown_text = shown(text.encode(encoding))
        assert text in shown_text.body.decode()
        assert shown_text.source["charset"] == encoding.replace("euc_", "euc-")
    assert "größer" in shown("Etwas größer".encode("cp1252")).body.decode()
