"""`sweep` and `openapi`."""

import json

import flask.cli
from click.testing import CliRunner

from models import Document, connected


def test_sweep_deletes_expired_documents(run, document):
    with connected():
        document.change(expires_at=1)

    assert run("sweep").output == "1 expired documents were deleted.\n"
    with connected():
        assert Document.select().count() == 0


def test_openapi_prints_the_api_description(run):
    assert json.loads(run("openapi").output)["openapi"] == "3.1.0"


def test_flask_run_is_refused(monkeypatch):
    served = []
    monkeypatch.setattr(
        flask.cli, "run_simple", lambda *_, **__: served.append(True), raising=False
    )

    result = CliRunner().invoke(flask.cli.cli, ["--app", "app", "run", "--port", "0"])

    assert (result.exit_code, served) == (1, [])
    assert "Start `python app.py`." in result.output
