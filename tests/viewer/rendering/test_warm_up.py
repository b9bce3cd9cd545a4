"""viewer/rendering/warm_up.py"""

import subprocess
import sys

import pytest

from tests.service import ROOT

FIRST_VIEW = """
from jinja2 import Environment
from tests.viewer.samples import original, pdf
from viewer import start_ahead, view
from viewer.sandbox import process, version

start_ahead()
started, hashed = process._fork_server._running, version.sandbox_version.cache_info().misses
compiled = []
Environment.compile = lambda self, *given, **named: compiled.append(given)
view(original(pdf("x"), "a.pdf", "application/pdf"))
print(compiled, started is process._fork_server._running, hashed)
"""


@pytest.mark.slow
def test_the_first_view_compiles_no_template_and_starts_no_program():
    command = [sys.executable, "-c", FIRST_VIEW]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout

    assert said == "[] True 1\n"
