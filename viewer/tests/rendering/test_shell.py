"""viewer/rendering/page.py: its layout"""

import json
import re

import pytest

from viewer.formats.archives.enclosed import File, section
from viewer.formats.preview import Preview
from viewer.rendering.page import PageOptions, layout
from viewer.tests.samples import original

TEXT = Preview("text", "Plain text", b"<p>shown</p>")
IMAGE = Preview("image", "PNG image", carrier="img")
HOSTILE = "</script><script>alert(1)</script><!--\u202e\0\"'><img src=x onerror=alert(1)>.txt"


def shell(preview=TEXT, name="a.txt", content_type="text/plain", size=b"abc", **options):
    page = layout(original(size, name, content_type), preview, PageOptions(**options))
    return b"".join(page.head).decode(), page.tail.decode(), page.has_original


def test_the_bytes_are_in_a_save_link_between_head_and_tail():
    head, tail, embedded = shell()

    assert embedded
    assert head.endswith(
        '<a id="original" class="button save" aria-label="Save original" '
        'download="a.txt" href="data:text/plain;base64,'
    )
    assert tail.startswith('">')


@pytest.mark.parametrize(
    ("carrier", "start"), [("img", "<img "), ("audio", "<audio "), ("video", "<video ")]
)
def test_the_bytes_are_in_the_element_that_shows_them(carrier, start):
    head, _, embedded = shell(Preview("x", "X", carrier=carrier), content_type="image/png")

    assert embedded
    assert head.rpartition("\n")[2].startswith(f'{start}id="original"')
    assert head.endswith('src="data:image/png;base64,')


def test_the_record_is_embedded_as_json():
    head, _, _ = shell(name=HOSTILE)
    found = re.search(r'<script type="application/json" id="document">(.*?)</script>', head)

    assert json.loads(found.group(1)) == original(b"abc", HOSTILE, "text/plain").description()


def test_no_name_adds_markup():
    head, tail, _ = shell(name=HOSTILE)

    assert "<script>alert" not in head + tail
    assert "<img" not in head + tail
    assert head.count("<!--") == head.count("-->") == 1
    assert "\0" not in head + tail


def test_an_active_type_is_octet_stream_in_the_save_link():
    assert "data:application/octet-stream;base64," in shell(content_type="text/html")[0]


def test_a_large_original_is_linked_and_not_embedded():
    head, tail, embedded = shell(content_url="/c?t=1&x=2", save_url="/s")

    assert not embedded
    assert tail == ""
    assert 'href="/s"' in head
    assert "data:text/plain" not in head
    assert 'src="/c?t=1&amp;x=2"' in shell(IMAGE, content_url="/c?t=1&x=2", save_url="/s")[0]


def test_without_permission_to_save_a_page_has_no_button_and_no_bytes():
    head, tail, embedded = shell(may_save=False)

    assert not embedded
    assert "Save original</span>" not in head + tail
    assert 'id="original"' not in head


def test_without_permission_to_save_an_image_is_still_shown():
    head, _, embedded = shell(IMAGE, may_save=False)

    assert embedded
    assert 'id="save"' not in head


def test_only_a_file_has_its_policy_in_a_meta_element():
    assert "http-equiv" not in shell()[0]
    assert 'http-equiv="Content-Security-Policy" content="default-src' in shell(offline=True)[0]


def test_the_oembed_link_precedes_the_styles():
    head = shell(oembed_url="https://d.example/oembed?url=x&format=json")[0]

    assert head.index("application/json+oembed") < head.index("<style>")
    assert "url=x&amp;format=json" in head


def test_embed_mode_and_parent_origin_are_attributes():
    head = shell(embed=True, parent_origin="https://a.example")[0]

    assert '<body class="is-text embed">' in head
    assert 'data-parent="https://a.example"' in head


def test_the_page_itself_weighs_less_than_30_kibibytes():
    tools = frozenset({"zoom", "wrap", "pages", "fit"})
    head, tail, _ = shell(Preview("text", "Plain text", tools=tools), offline=True)

    assert len(head) + len(tail) < 30 << 10


def test_without_permission_to_save_no_file_inside_the_document_is_in_the_page():
    body = section("Attachments", [File("a.txt", "text/plain", 5, b"words")])
    preview = Preview("mail", "E-mail", body, holds_files=True)

    assert "d29yZHM=" in shell(preview)[0]
    seen = shell(preview, may_save=False)[0]
    assert "words" in seen
    assert "d29yZHM=" not in seen
    assert 'class="take"' not in seen
