"""Progress: one updated line on a terminal, elsewhere a line every few seconds; and `openapi`."""

import io
import json
import sys

import flask.cli
import pytest
from click.testing import CliRunner

from app import create_app
from blueprints.commands import output


class Stderr(io.StringIO):
    def __init__(self, terminal):
        super().__init__()
        self.isatty = lambda: terminal


@pytest.fixture
def stderr_of(monkeypatch):
    """What an operation of twelve seconds prints that reports every half second."""

    def stderr_of(terminal):
        monkeypatch.setattr(sys, "stderr", stderr := Stderr(terminal))
        step = 0
        monkeypatch.setattr(output.time, "monotonic", lambda: step / 2)
        with output.progress("Rows") as report:
            for step in range(1, 25):
                report(step * 100, 2_400)
        return stderr.getvalue()

    return stderr_of


def test_a_terminal_shows_one_line_that_is_erased_at_the_end(stderr_of):
    printed = stderr_of(terminal=True)

    assert "\rRows: 1,100 of 2,400\033[K" in printed
    assert printed.count("\r") == 24 + 1
    assert "\n" not in printed
    assert printed.endswith("\r\033[K")


def test_other_outputs_get_a_plain_line_every_five_seconds(stderr_of):
    assert stderr_of(terminal=False) == "Rows: 1,000 of 2,400\nRows: 2,000 of 2,400\n"


def test_openapi_prints_the_api_description(tmp_path):
    app = create_app({"INSTANCE_PATH": str(tmp_path)})
    printed = app.test_cli_runner().invoke(args=["openapi"]).output
    app.extensions["runtime"].close()
    assert json.loads(printed)["openapi"] == "3.1.0"


def test_flask_run_is_refused(monkeypatch):
    served = []
    monkeypatch.setattr(
        flask.cli, "run_simple", lambda *_, **__: served.append(True), raising=False
    )

    result = CliRunner().invoke(flask.cli.cli, ["--app", "app", "run", "--port", "0"])

    assert (result.exit_code, served) == (1, [])
    assert "Start `python app.py`." in result.output
