"""viewer/formats/archives/members.py, as it is shown"""

import re

import pytest

from viewer.formats.archives.members import ENCRYPTED_NOTE
from viewer.tests.samples import original, package, png, preview_of, tar

UNREADABLE = "This file is named an archive, but cannot be read as one."


def shown(data, name="a", content_type="application/octet-stream"):
    return preview_of(original(data, name, content_type))


@pytest.mark.parametrize("make", [package, tar])
def test_files_are_listed_with_links_to_those_that_can_be_looked_into(make):
    preview = shown(make(notes=b"some words", picture=png(), large=bytes(2 << 20)))
    html = preview.body.decode()

    assert (preview.kind, preview.facts, preview.note) == ("archive", ("3 files",), "")
    assert '<a href="#file-1">notes</a>' in html
    assert "some words" in html
    assert '<img alt="" src="data:image/png;base64,' in html
    assert '<td class="long">large</td><td class="num">2.1 MB</td>' in html
    assert html.count('class="take"') == 2


def test_names_are_escaped():
    html = shown(tar(**{"<script>\u202e": b"x"})).body.decode()

    assert "&lt;script&gt;" in html
    assert "<script" not in html
    assert "U+202E" in html


def test_a_note_says_that_files_are_encrypted():
    data = package(a_dot_txt=b"x")
    encrypted = re.sub(rb"(?s)(?<=PK\x01\x02.{4})\x00", b"\x01", data)

    assert shown(data).note == ""
    assert shown(encrypted).note == ENCRYPTED_NOTE


def test_an_unreadable_archive_has_a_card_that_says_so():
    assert UNREADABLE in shown(b"\x1f\x8b\x08nonsense").body.decode()
    assert UNREADABLE in shown(b"nonsense", "a.tar", "application/x-tar").body.decode()


def test_a_7z_archive_is_a_card():
    assert shown(b"7z\xbc\xaf\x27\x1c\0\4" + bytes(24), "a.7z").kind == "unknown"
