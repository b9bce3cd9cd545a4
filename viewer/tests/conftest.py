"""Fixtures: a viewer that can't start a child process."""

import sys

import pytest

from viewer.sandbox import process


@pytest.fixture
def no_child_process(monkeypatch):
    """Each child process ends when it starts, and so does what forks them."""
    monkeypatch.setattr(sys, "executable", "/bin/false")
    process._fork_server.stop()
    yield
    process._fork_server.stop()
