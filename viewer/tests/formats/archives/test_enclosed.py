"""viewer/formats/archives/enclosed.py"""

import base64
import re

from viewer.formats.archives import enclosed
from viewer.formats.archives.enclosed import File, section
from viewer.tests.samples import png

LEFT_OUT = "Only the first are shown"


def shown(*contents):
    return section("Attachments", contents).decode()


def file(name, data, media_type="application/octet-stream"):
    return File(name, media_type, len(data), data)


def test_each_file_has_a_link_that_saves_its_bytes_under_its_name():
    html = shown(file("a.bin", b"\0\1\2"), file("/<b>.txt", b"words"))

    links = re.findall(r'download="(.*?)".*?base64,(.*?)"', html)
    assert links == [
        ("a.bin", base64.b64encode(b"\0\1\2").decode()),
        ("_b_.txt", base64.b64encode(b"words").decode()),
    ]
    assert "&lt;b&gt;.txt</b>" in html


def test_pictures_text_and_code_are_drawn_and_other_types_are_not():
    html = shown(
        file("a", png()), file("b", b"some words"), file("c.py", b"x = 1", "text/x-python")
    )

    assert html.count("<details>") == 3
    assert '<img alt="" src="data:image/png;base64,' in html
    assert "some words" in html
    assert "<details>" not in shown(file("d", b"%PDF-1.7"), file("e", b"\0", "x/y"))


def test_lines_of_drawn_files_have_no_ids():
    assert "id=L" not in shown(file("a.txt", b"1\n2\n"), file("b.txt", b"3\n"))


def test_a_file_that_was_not_taken_out_is_named_only():
    html = shown(File("huge.iso", "application/x-iso", 1 << 40, None))

    assert "huge.iso" in html
    assert "too large" in html
    assert "href" not in html


def test_the_drawn_files_are_limited_in_number_size_and_lines(monkeypatch):
    few = [file(f"{n}.txt", b"x\n" * 9, "text/plain") for n in range(9)]
    assert (shown(*few).count("<details>"), LEFT_OUT in shown(*few)) == (9, False)

    for limit, most, drawn in (("", 2, 2), ("_BYTES", 1000, 6), ("_LINES", 20, 3)):
        with monkeypatch.context() as patched:
            patched.setattr(enclosed, f"MAX_DRAWN{limit}", most)
            html = shown(*few)
            assert (html.count("<details>"), LEFT_OUT in html) == (drawn, True), limit
            assert html.count('class="take"') == 9, limit
    assert html.count("<a>") == 20


def test_a_long_text_is_shown_in_part(monkeypatch):
    assert "Only its beginning" in shown(file("a.txt", b"x\n" * (40 << 10)))
    assert "Only its beginning" not in shown(file("a.txt", b"x\n"))
    monkeypatch.setattr(enclosed, "MAX_DRAWN_LINES", 5)
    assert "Only its beginning" in shown(file("a.txt", b"x\n" * 6))


def test_what_takes_more_room_than_there_is_is_not_shown(monkeypatch):
    monkeypatch.setattr(enclosed, "MAX_DRAWN_BYTES", 1000)

    for big in (b"x" * 1001, b"\n" * 120, png()):
        assert LEFT_OUT in shown(file("a", big)), big[:9]
    assert LEFT_OUT not in shown(file("a.pdf", b"%PDF-1.7" + bytes(2000)))
