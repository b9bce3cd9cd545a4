"""blueprints/views/small_pages.py"""

from html import escape

import pytest
from flask import Flask, g

from blueprints.document_views import document_views
from blueprints.http import READERS
from blueprints.http.declarations import Declaration
from blueprints.http.problems import handle_service_error
from blueprints.views import small_pages
from models.core import Busy
from tests.service import ROOT


@pytest.mark.parametrize(
    ("method", "query", "back"),
    [
        ("GET", "?token=dt_a&save=1", "?token=dt_a&save=1"),
        ("POST", "?token=dt_a&embed=1&x=y", "?token=dt_a&embed=1"),
        ("GET", "", ""),
    ],
)
def test_a_busy_page_leads_back_to_the_address_by_itself_and_by_a_button(
    monkeypatch, method, query, back
):
    app = Flask("app", template_folder=ROOT / "templates")
    app.register_blueprint(document_views)
    monkeypatch.setattr(small_pages, "declared", lambda: Declaration(accepts=READERS))
    with app.test_request_context(query, method=method, headers={"Accept": "text/html"}):
        g.request_id = "r"
        page = small_pages.page_for_people(handle_service_error(Busy()))

    assert page.status_code == 503
    assert page.headers["Refresh"] == f"{page.headers['Retry-After']}; url={back}"
    text = page.get_data(as_text=True)
    assert "tries again by itself" in text
    assert (f'href="{escape(back)}">Try again' in text) == bool(back)
