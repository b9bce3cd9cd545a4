"""blueprints/views/notices.py"""

import pytest
from flask import Flask, g

from blueprints.http import READERS
from blueprints.http.problems import handle_service_error
from blueprints.views import notices
from models.core import Busy
from viewer.markup.templating import FOLDER


@pytest.mark.parametrize(("method", "reloads"), [("GET", True), ("POST", False)])
def test_a_busy_page_reloads_itself_where_that_opens_the_same(monkeypatch, method, reloads):
    app = Flask("app", template_folder=FOLDER)
    monkeypatch.setattr(notices, "declared", lambda _: READERS)
    with app.test_request_context(method=method, headers={"Accept": "text/html"}):
        g.request_id = "r"
        page = notices.page_for_people(handle_service_error(Busy()))

    assert page.status_code == 503
    assert page.headers.get("Refresh") == (page.headers["Retry-After"] if reloads else None)
    text = page.get_data(as_text=True)
    assert ("tries again by itself" in text, "Go back one page" in text) == (reloads, not reloads)
