"""Long work tells how far it is: a terminal gets one line that counts, a file one now and then."""

import io
import sys

import pytest

from blueprints.commands import output as telling


class Stderr(io.StringIO):
    def __init__(self, terminal):
        super().__init__()
        self.isatty = lambda: terminal


@pytest.fixture
def told(monkeypatch):
    """What is told of twelve seconds of work in steps of half a second."""

    def told(terminal):
        monkeypatch.setattr(sys, "stderr", stderr := Stderr(terminal))
        step = 0
        monkeypatch.setattr(telling.time, "monotonic", lambda: step / 2)
        with telling.progress("Rows wrapped anew") as tell:
            for step in range(1, 25):
                tell(step * 100, 2_400)
        return stderr.getvalue()

    return told


def test_on_a_terminal_one_line_counts_and_is_gone_in_the_end(told):
    said = told(terminal=True)

    assert "\rRows wrapped anew: 1,100 of 2,400\033[K" in said
    assert said.count("\r") == 24 + 1
    assert "\n" not in said
    assert said.endswith("\r\033[K")


def test_elsewhere_there_is_a_plain_line_every_few_seconds(told):
    assert told(terminal=False) == (
        "Rows wrapped anew: 1,000 of 2,400\nRows wrapped anew: 2,000 of 2,400\n"
    )
