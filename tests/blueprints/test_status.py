"""blueprints/status.py: public pages that anybody may ask for again and again."""

import sys

import pytest

from app import create_app
from blueprints.status import BASE_URL

HERE = "http://localhost"


@pytest.fixture
def client(tmp_path):
    app = create_app({"INSTANCE_PATH": str(tmp_path), "TESTING": True})
    yield app.test_client()
    app.extensions["runtime"].close()


def test_the_description_is_drawn_once_and_names_the_address_by_which_it_was_asked(
    client, monkeypatch
):
    first = client.get("/docs", base_url=HERE)
    assert f'"{HERE}/v1/auth/login"' in first.text
    monkeypatch.setattr(sys.modules["blueprints.status"], "render_template", None)
    for address in ("http://docs.example.org", "https://other.example:81"):
        page = client.get("/docs", base_url=address)
        assert page.text.count(address) == first.text.count(HERE)
        assert BASE_URL not in page.text
        assert page.headers["Content-Security-Policy"] == first.headers["Content-Security-Policy"]
    assert client.get("/docs", base_url=HERE).text == first.text


def test_another_application_draws_its_own_description(client, tmp_path):
    assert "<title>Document Service: every call</title>" in client.get("/docs").text
    client.application.extensions["runtime"].close()
    second = {"INSTANCE_PATH": str(tmp_path), "BASE_URL": "https://second.example"}
    app = create_app({**second, "BRAND_COLOR": "#123456", "CONSOLE": "off"})
    page = app.test_client().get("/docs").text
    app.extensions["runtime"].close()
    assert '"https://second.example/v1/auth/login"' in page
    assert "#123456" in page
