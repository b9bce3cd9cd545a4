"""viewer/kinds/archive.py"""

import gzip

import pytest

from tests.viewer.samples import original, package, png, tar
from tests.viewer.seven_zip_sample import seven_zip
from viewer.kinds import preview_of
from viewer.kinds.archive import UNREADABLE
from viewer.sandbox.seven_zip import AES


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
    assert '<td class="long">large</td><td class="num">2.0 MiB</td>' in html
    assert html.count('class="take"') == 2


def test_names_are_escaped():
    html = shown(tar(**{"<script>\u202e": b"x"})).body.decode()

    assert "&lt;script&gt;" in html
    assert "<script" not in html
    assert "U+202E" in html


def test_a_packed_file_is_shown_with_its_name():
    assert "notes" in shown(gzip.compress(b"x"), "notes.gz").body.decode()


def test_an_unreadable_archive_has_a_card_that_says_so():
    card = UNREADABLE["format"]
    assert card in shown(b"\x1f\x8b\x08nonsense").body.decode()
    assert card in shown(b"nonsense", "a.tar", "application/x-tar").body.decode()
    assert card in shown(seven_zip(notes=b"x")[:40]).body.decode()


def test_files_of_7z_are_listed():
    preview = shown(seven_zip(notes=b"some words", empty=b""))
    html = preview.body.decode()

    assert (preview.kind, preview.label, preview.facts) == ("archive", "7z archive", ("2 files",))
    assert '<td class="long">notes</td><td class="num">10 bytes</td>' in html


def test_encrypted_names_have_a_card_that_says_so():
    assert UNREADABLE["encrypted"] in shown(seven_zip(method=AES, notes=b"x")).body.decode()
