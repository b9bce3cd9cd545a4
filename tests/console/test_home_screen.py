"""The pages as an app on a phone: icons, manifest, and what is shared to it."""

import io
import re

import pytest
from PIL import Image

from tests.console.visitor import SAME_SITE

BOUNDARY = "XYZ"
HTML = {"Accept": "text/html"}
FROM_SYSTEM = {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"}


def share(visitor, *parts, headers=FROM_SYSTEM):
    """Each part is its name, its content, and its file name and type if it is a file."""
    body = b""
    for name, content, *file in parts:
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"'
        head += f'; filename="{file[0]}"\r\nContent-Type: {file[1]}' if file else ""
        body += head.encode() + b"\r\n\r\n" + content + b"\r\n"
    body += f"--{BOUNDARY}--\r\n".encode()
    kind = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
    return visitor.request("POST", "/app/share", kind | headers, body)


def test_the_manifest_names_icons_that_there_are_and_a_share_target(visitor):
    (address,) = re.findall(r'rel="manifest" href="([^"]+)"', visitor.get("/app/login").text)
    answer = visitor.get(address)
    assert answer.kind == "application/manifest+json"
    for icon in answer.json["icons"]:
        found = visitor.get(icon["src"])
        assert (found.status, found.kind) == (200, icon["type"])
        assert len(found.body) < 4096
        if found.kind == "image/png":
            width, height = Image.open(io.BytesIO(found.body)).size
            assert icon["sizes"] == f"{width}x{height}"
    assert answer.json["share_target"]["action"] == "/app/share"
    assert visitor.get(answer.json["start_url"]).status == 303


def test_the_icons_that_browsers_ask_for_are_there(visitor):
    for address in ("/favicon.ico", "/apple-touch-icon.png"):
        assert visitor.get(address).kind == "image/png"


def test_shared_files_are_stored_and_stand_in_the_card_that_makes_links(member):
    photo = ("file", b"\xff\xd8\xff\xe0 a photo", "IMG_1.jpg", "image/jpeg")
    other = ("file", b"%PDF-1.7", "Rechnung für مكتب.pdf", "application/pdf")
    answer = share(member, ("title", b"A title"), photo, other)
    assert answer.status == 303
    page = member.get(answer.headers["Location"])
    stored = member.api.get("/v1/documents").json["documents"]
    assert [one["name"] for one in stored] == ["Rechnung für مكتب.pdf", "IMG_1.jpg"]
    assert stored[1]["contentType"] == "image/jpeg"
    for one in stored:
        row = f'<a href="/app/documents/{one["id"]}"><bdi>{one["name"]}</bdi></a>'
        assert f'{row}<span class="state live">stored</span>' in page.text
    assert "The files are stored." in page.text


TEXTS = [
    ([("title", b"Read this"), ("text", b"words")], "Read this.txt", b"words"),
    ([("url", b"https://example.org/")], "Shared text.txt", b"https://example.org/"),
]


def test_a_shared_text_is_a_text_file(member):
    for parts, name, content in TEXTS:
        assert share(member, *parts).status == 303
        stored = member.api.get("/v1/documents").json["documents"][0]
        assert (stored["name"], stored["contentType"]) == (name, "text/plain;charset=utf-8")
        assert member.api.get(f"/v1/documents/{stored['id']}/content").body == content


def test_nothing_shared_is_nothing_stored(member):
    assert share(member, ("title", b"A title")).headers["Location"] == "/app/documents"
    assert member.api.get("/v1/documents").json["documents"] == []


@pytest.mark.parametrize("size", [10, 300_000])
def test_who_is_not_logged_in_is_asked_to_and_to_share_it_again(size, visitor):
    answer = share(visitor, ("file", b"x" * size, "a.txt", "text/plain"))
    assert answer.status == 303
    assert "Log in, then share it again." in visitor.get(answer.headers["Location"]).text


def test_another_site_shares_nothing(member):
    photo = ("file", b"a photo", "IMG_1.jpg", "image/jpeg")
    assert share(member, photo, headers={"Sec-Fetch-Site": "cross-site"}).status == 403
    assert share(member, photo, headers=SAME_SITE).status == 303
    assert len(member.api.get("/v1/documents").json["documents"]) == 1


def test_a_shared_file_that_is_refused_is_told_why(member):
    for part in (("title", b"a\0b"), ("file", b"x", "x" * 300, "text/plain")):
        answer = share(member, part, ("text", b"a text"), headers=FROM_SYSTEM | HTML)
        assert (answer.status, answer.kind) == (422, "text/html")
        assert "NUL" in answer.text or "255" in answer.text
