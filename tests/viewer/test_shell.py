"""viewer/shell.py"""

import json
import re

import pytest

from tests.viewer.samples import original
from viewer.preview import Preview
from viewer.shell import Delivery, head_and_tail

TEXT = Preview("text", "Plain text", "<p>shown</p>")
IMAGE = Preview("image", "PNG image", carrier="img")
HOSTILE = "</script><script>alert(1)</script><!--\u202e\0\"'><img src=x onerror=alert(1)>.txt"


def shell(preview=TEXT, name="a.txt", content_type="text/plain", size=b"abc", **way):
    head, tail, embedded = head_and_tail(
        original(size, name, content_type), preview, Delivery(**way)
    )
    return head.decode(), tail.decode(), embedded


def test_the_bytes_stand_between_head_and_tail_in_a_link_that_saves():
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
def test_or_in_the_element_that_shows_them(carrier, start):
    head, _, embedded = shell(Preview("x", "X", carrier=carrier), content_type="image/png")

    assert embedded
    assert head.rpartition("\n")[2].startswith(f'{start}id="original"')
    assert head.endswith('src="data:image/png;base64,')


def test_the_record_can_be_read_by_a_machine():
    head, _, _ = shell(name=HOSTILE)
    found = re.search(r'<script type="application/json" id="document">(.*?)</script>', head)

    assert json.loads(found.group(1)) == original(b"abc", HOSTILE, "text/plain").record()


def test_no_name_can_leave_its_place():
    head, tail, _ = shell(name=HOSTILE)

    assert "<script>alert" not in head + tail
    assert "<img" not in head + tail
    assert head.count("<!--") == head.count("-->") == 1
    assert "\0" not in head + tail


def test_a_type_that_could_run_is_only_bytes_to_the_link():
    assert "data:application/octet-stream;base64," in shell(content_type="text/html")[0]


def test_a_large_original_is_linked_and_not_embedded():
    head, tail, embedded = shell(content_url="/c?t=1&x=2", save_url="/s")

    assert not embedded
    assert tail == ""
    assert 'href="/s"' in head
    assert "data:text/plain" not in head
    assert 'src="/c?t=1&amp;x=2"' in shell(IMAGE, content_url="/c?t=1&x=2", save_url="/s")[0]


def test_who_may_only_look_gets_no_button_and_no_bytes_to_keep():
    head, tail, embedded = shell(may_save=False)

    assert not embedded
    assert "Save original</span>" not in head + tail
    assert 'id="original"' not in head


def test_who_may_only_look_at_an_image_still_sees_it():
    head, _, embedded = shell(IMAGE, may_save=False)

    assert embedded
    assert 'id="save"' not in head


def test_only_a_file_carries_its_policy():
    assert "http-equiv" not in shell()[0]
    assert 'http-equiv="Content-Security-Policy" content="default-src' in shell(offline=True)[0]


def test_the_discovery_link_stands_before_the_style():
    head = shell(oembed_url="https://d.example/oembed?url=x&format=json")[0]

    assert head.index("application/json+oembed") < head.index("<style>")
    assert "url=x&amp;format=json" in head


def test_embed_mode_and_the_one_parent_are_marked():
    head = shell(embed=True, parent="https://a.example")[0]

    assert '<body class="is-text embed">' in head
    assert 'data-parent="https://a.example"' in head


def test_the_page_itself_weighs_less_than_30_kibibytes():
    tools = frozenset({"zoom", "wrap", "pages", "fit"})
    head, tail, _ = shell(Preview("text", "Plain text", tools=tools), offline=True)

    assert len(head) + len(tail) < 30 << 10
