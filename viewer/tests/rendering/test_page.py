"""viewer/rendering/page.py"""

import base64
import os
import re
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.service import ROOT
from viewer import download, embeds, view
from viewer.content.base64_text import base64_length, base64_pieces
from viewer.rendering.page import EMBEDDED_LIMIT, PAGED_LIMIT
from viewer.sandbox.process import JobResult, run_job
from viewer.tests.samples import CODE, every_kind, mail_with_picture, original, package, png

FIRST_VIEW = """
from jinja2 import Environment
from viewer.tests.samples import original, pdf
from viewer import warm_up, view
from viewer.sandbox import process, version

warm_up()
started, hashed = process._fork_server._running, version.sandbox_version.cache_info().misses
compiled = []
Environment.compile = lambda self, *given, **named: compiled.append(given)
view(original(pdf("x"), "a.pdf", "application/pdf"))
print(compiled, started is process._fork_server._running, hashed)
"""


def body(page):
    data = b"".join(page.body)
    assert page.length == len(data)
    return data.decode()


def bytes_in(html):
    found = re.findall(r'^<\w+ id="original"[^\n]*?;base64,([^"]*)"', html, re.M)
    assert len(found) == 1
    return base64.b64decode(found[0], validate=True)


@pytest.mark.parametrize(
    ("name", "kind", "data"), every_kind(), ids=lambda v: v if isinstance(v, str) else ""
)
def test_every_kind_of_page_holds_the_original_once(name, kind, data):
    document = original(data, name, kind)

    assert bytes_in(body(download(document))) == data
    assert bytes_in(body(view(document))) == data


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 7000, 7001, 7002, 21003, 100_000])
def test_an_original_of_any_size_is_restored_exactly(size):
    data = os.urandom(size)

    assert bytes_in(body(download(original(data)))) == data


def test_the_body_is_produced_piece_by_piece():
    document = original(bytes(1 << 20), "x.bin")

    assert max(map(len, download(document).body)) < 40_000


def test_the_file_has_the_name_of_its_document():
    headers = download(original(b"", "Größe.pdf", "text/plain")).headers

    assert headers["Content-Disposition"].endswith("filename*=UTF-8''Gr%C3%B6%C3%9Fe.pdf.html")
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


def test_the_view_is_inline_and_links_to_oembed():
    page = view(original(b"x", "x.txt", "text/plain"), oembed_url="https://d.example/o")

    assert "Content-Disposition" not in page.headers
    assert (
        page.headers["Link"]
        == '<https://d.example/o>; rel="alternate"; type="application/json+oembed"'
    )


def test_an_original_is_loaded_from_its_content_url():
    large = original(bytes(EMBEDDED_LIMIT + 1), "film.mp4", "video/mp4")
    address = "https://d.example/v1/documents/doc_1/content?ticket=t"
    page = view(large, content_url=address)

    assert large.size == (8 << 20) + 1
    assert page.length < 40_000
    assert f'src="{address}"' in body(page)
    assert "media-src data: blob: https://d.example;" in page.headers["Content-Security-Policy"]
    assert view(large).length > EMBEDDED_LIMIT


def test_a_page_that_permits_to_save_names_the_address_that_its_scripts_read():
    document = original(b"a,b\n1,2\n", "a.csv", "text/csv")
    address = "https://d.example/v1/documents/doc_1/content?ticket=t"

    assert f'data-content="{address}"' in body(view(document, content_url=address))
    assert "data-content" not in body(view(document, content_url=address, may_save=False))
    assert "data-content" not in body(view(document))


def test_an_original_is_held_by_its_view_up_to_8_mib_and_where_pages_are_loaded_up_to_1_mib():
    def held(size, kind):
        return embeds(original(bytes(size), "x", kind))

    assert (EMBEDDED_LIMIT, PAGED_LIMIT) == (8 << 20, 1 << 20)
    assert [held(EMBEDDED_LIMIT + more, "text/plain") for more in (0, 1)] == [True, False]
    assert [held(PAGED_LIMIT + more, "application/pdf") for more in (0, 1)] == [True, False]


def test_messages_are_posted_to_the_only_allowed_parent_origin():
    document = original(b"x", "x.txt", "text/plain")

    assert 'data-parent="https://a.example"' in body(
        view(document, frame_ancestors=("https://a.example",))
    )
    assert 'data-parent="*"' in body(
        view(document, frame_ancestors=("https://a.example", "https://b.example"))
    )


def test_the_command_in_the_file_comment_extracts_the_original(tmp_path):
    """Runs the sed command that the file's comment gives for use without a browser."""
    for name, kind, data in (("sum.py", "text/x-python", CODE), ("sun.png", "image/png", png())):
        (tmp_path / "FILE.html").write_text(body(download(original(data, name, kind))))
        line = re.search(r"^ +(sed .*)$", (tmp_path / "FILE.html").read_text(), re.M).group(1)
        subprocess.run(line, shell=True, cwd=tmp_path, check=True)

        assert (tmp_path / name).read_bytes() == data


@pytest.mark.parametrize("make", [view, download])
def test_headers_are_made_without_reading_the_document(make):
    document = original(b"a,b", "a.csv", "text/csv")
    expected = make(document).headers
    object.__setattr__(document, "read", None)

    assert make(document, headers_only=True).headers == expected


def test_an_error_while_reading_the_original_is_raised():
    document = original(b"abc", "a.bin")

    def broken(_start, _stop):
        raise OSError("damaged")

    object.__setattr__(document, "read", broken)

    with pytest.raises(OSError, match="damaged"):
        download(document)


@pytest.mark.slow
def test_the_first_view_compiles_no_template_and_starts_no_program():
    command = [sys.executable, "-c", FIRST_VIEW]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout

    assert said == "[] True 1\n"


@given(st.lists(st.binary(max_size=50)))
def test_encoded_pieces_of_any_size_join_to_one_base64_text(pieces):
    encoded = b"".join(base64_pieces(pieces))

    assert encoded == base64.b64encode(b"".join(pieces))
    assert len(encoded) == base64_length(len(b"".join(pieces)))


def kept(document):
    """The document, whose jobs return results as they are read from where somebody keeps them."""

    def run(job, pieces, options):
        data = run_job(job, pieces, options).to_bytes()
        return JobResult.of_kept(len(data), lambda start, stop: [data[start:stop]])

    return replace(document, run=run)


@pytest.mark.parametrize(
    ("name", "kind", "data"), every_kind(), ids=lambda v: v if isinstance(v, str) else ""
)
def test_a_page_of_what_is_kept_is_the_same_and_is_not_held(name, kind, data):
    document = original(data, name, kind)

    for make in (view, download):
        assert body(make(kept(document))) == body(make(document)), make
    shown = document.preview()
    if isinstance(shown.body, bytes) and len(shown.body) > 20_000 and shown.kind != "pdf":
        assert view(kept(document)).held_bytes <= view(document).held_bytes - len(shown.body)


@pytest.mark.parametrize(
    ("name", "kind", "data"),
    [
        ("a.eml", "message/rfc822", mail_with_picture("x", a_dot_txt=b"words of the file")),
        ("a.zip", "application/zip", package(a_dot_txt=b"words of the file")),
    ],
)
def test_a_page_without_permission_to_save_saves_no_file_inside_the_document(name, kind, data):
    encoded = base64.b64encode(b"words of the file").decode()
    for document in (original(data, name, kind), kept(original(data, name, kind))):
        assert encoded in body(view(document))
        assert encoded not in body(view(document, may_save=False))
