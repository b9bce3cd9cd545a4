"""The operator's name, colour and logo: on which pages, and which settings stop the start."""

import re

import pytest
from PIL import Image

from settings import Settings, WrongSetting, read_settings
from tests.console.visitor import Visitor
from tests.people import Person

HTML = {"Accept": "text/html"}


@pytest.fixture(scope="module")
def branded(start_service, tmp_path_factory):
    file = tmp_path_factory.mktemp("brand") / "logo.png"
    Image.new("RGB", (120, 40), "#7a1f5c").save(file)
    brand = {"BRAND_NAME": "Kanzlei <Ö & Co>", "BRAND_COLOR": "#7a1f5c", "BRAND_LOGO": file}
    return start_service(**brand)


def test_the_brand_is_on_gates_notices_and_in_the_head_of_the_pages_only(branded):
    person = branded.register("brand@example.org")
    document = person.upload(b"<p>text</p>", "text/html")
    link, view = person.share(document, maxViews=1), document["token"]["viewUrl"]
    gate = person.open(link["viewUrl"], headers=HTML)
    assert person.submit(link).status == 200
    spent = person.open(link["viewUrl"], headers=HTML)
    visitor = Visitor(branded)
    visitor.log_in("brand@example.org")
    first = Person(branded).get("/")
    manifest = Visitor(branded).get("/app/manifest.webmanifest")
    assert manifest.json["name"] == "Kanzlei <Ö & Co>"
    login = Visitor(branded).get("/app/login")
    for page in (first, gate, spent, visitor.get("/app/documents"), login):
        assert "Kanzlei &lt;Ö &amp; Co&gt;" in page.text
        assert f"This page is on 127.0.0.1:{branded.port}." in page.text
        logo = re.search(r'<img src="(/logo\?\w+)" alt="">', page.text)[1]
        assert re.search(r"img-src (data: )?'self'", page.headers["Content-Security-Policy"])
    sent = Person(branded).get(logo)
    assert (sent.headers["Content-Type"], sent.headers["Cache-Control"][-9:]) == (
        "image/png",
        "immutable",
    )
    style = re.search(r"/app/console-\w+\.css", visitor.get("/app/documents").text)[0]
    for text in (gate.text, visitor.get(style).text):
        assert ":root{--accent:light-dark(#7a1f5c,#" in text
    for path in (view, document["token"]["downloadUrl"]):
        assert "Kanzlei" not in person.open(path).text


WRONG = {
    "BRAND_NAME": ["x" * 61, " ", "two\nlines"],
    "BRAND_COLOR": ["red", "#fff", "#ffcc00", "#777777"],
    "BRAND_LOGO": ["/nowhere.png", __file__],
}


def test_a_brand_that_cannot_be_used_stops_the_start(tmp_path):
    large = tmp_path / "large.png"
    large.write_bytes(b"\x89PNG" + bytes(64 << 10))
    for name, values in (WRONG | {"BRAND_LOGO": [*WRONG["BRAND_LOGO"], large]}).items():
        for value in values:
            with pytest.raises(WrongSetting, match=f"DOCSERVICE_{name}"):
                read_settings({}, {name: value}, tmp_path)


def test_the_colour_of_dark_pages_can_be_read_there():
    for color in ("#000000", "#2a56e0", "#7a1f5c", "#767676", "#a01010"):
        brand = read_settings({}, {"BRAND_COLOR": color}, Settings().instance_path).brand_color
        assert brand[0] == color
        red, green, blue = bytes.fromhex(brand[1][1:])
        assert 0.2126 * red + 0.7152 * green + 0.0722 * blue > 110


def test_without_a_brand_the_pages_name_none(service):
    page = Visitor(service).get("/app/login")
    assert "<span>Document Service</span>" in page.text
    assert "This page is on" not in page.text
    assert Person(service).get("/logo").status == 404
