"""viewer/formats/text/subtitle_lines.py"""

import pytest

from tests.viewer.samples import SUBTITLES, original, preview_of

ROW = "<tr><td>{}<td>{}<td class=long>{}<"


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.srt", "application/octet-stream"), ("a.srt", "text/plain"), ("a", "text/srt")],
)
def test_texts_are_listed_with_their_times(name, kind):
    preview = preview_of(original(SUBTITLES, name, kind))
    html = preview.body.decode()

    assert (preview.kind, preview.facts) == ("subtitles", ("2 texts", "until 01:02:05"))
    assert ROW.format("00:00:01", "00:00:04", "Good morning!\nTwo lines &amp; more") in html
    assert ROW.format("01:02:03", "01:02:05", "The end") in html


def test_notes_and_styles_are_no_texts():
    head = b"WEBVTT\n\nSTYLE\n::cue {}\n\nNOTE x\n\nname\n"
    data = head + b"00:01.000 --> 00:02.000 line:0\n<v Ada>&lt;b&gt; one\n"
    html = preview_of(original(data, "a.vtt")).body.decode()

    assert html.count("<tr>") == 2
    assert ROW.format("00:01", "00:02", "&lt;b> one") in html


def test_the_encoding_is_detected():
    data = SUBTITLES.replace(b"The end", "Später größer schön".encode("cp1252"))

    assert "Später größer schön" in preview_of(original(data, "a.srt")).body.decode()


def test_a_file_without_texts_is_shown_as_it_is():
    assert preview_of(original(b"no times", "a.srt")).kind == "text"
