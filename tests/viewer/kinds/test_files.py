"""viewer/kinds/files.py"""

import base64
import re

from tests.viewer.samples import png
from viewer.kinds import files
from viewer.kinds.files import File, section


def shown(*contents):
    return section("Attachments", contents).decode()


def file(name, data, media_type="application/octet-stream"):
    return File(name, media_type, len(data), data)


def test_each_file_has_a_link_that_saves_its_bytes_under_its_name():
    html = shown(file("a.bin", b"\0\1\2"), file("/<b>.txt", b"words"))

    links = re.findall(r'download="(.*?)".*?base64,(.*?)"', html)
    assert links == [
        ("a.bin", base64.b64encode(b"\0\1\2").decode()),
        ("__b_.txt", base64.b64encode(b"words").decode()),
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
    assert 'id="L' not in shown(file("a.txt", b"1\n2\n"), file("b.txt", b"3\n"))


def test_a_file_that_was_not_taken_out_is_named_only():
    html = shown(File("huge.iso", "application/x-iso", 1 << 40, None))

    assert "huge.iso" in html
    assert "too large" in html
    assert "href" not in html


def test_the_drawn_files_are_limited_in_number_and_size(monkeypatch):
    monkeypatch.setattr(files, "MAX_DRAWN", 2)
    monkeypatch.setattr(files, "MAX_DRAWN_BYTES", 1000)

    assert shown(*(file(f"{n}.txt", b"x") for n in range(9))).count("<details>") == 2
    assert shown(file("a.txt", b"x" * 1001)).count("<details>") == 0
    assert shown(file("a.txt", b"x" * 900), file("b.txt", b"x" * 900)).count("<details>") == 1


def test_a_long_text_is_shown_in_part():
    assert "Only its beginning" in shown(file("a.txt", b"x\n" * (40 << 10)))
    assert "Only its beginning" not in shown(file("a.txt", b"x\n"))
