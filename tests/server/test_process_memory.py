"""server/process_memory.py: who may read this process's memory."""

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.service import ROOT

HOLD = "from server import protect_process_memory as protect; {}; print(1, flush=True); input()"
READ = "import sys; open(f'/proc/{sys.argv[1]}/mem', 'rb')"
WITHOUT_RIGHTS = ("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--")
PYTHON = (*(() if os.geteuid() else WITHOUT_RIGHTS), sys.executable, "-c")
pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="there is no /proc here"),
    pytest.mark.skipif(not shutil.which(PYTHON[0]), reason="root has all rights here"),
]


@contextmanager
def running(code):
    """A process without the rights of root that has run this code, and waits."""
    command = [*PYTHON, HOLD.format(code)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, **pipes) as process:
        process.stdout.readline()
        yield process.pid
        process.communicate(b"\n")


def read_memory(process):
    """The result of another process of the same user that opens its memory."""
    command = [*PYTHON, READ, str(process)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr.splitlines()[-1] if done.returncode else "opened"


def test_another_process_of_the_same_user_cannot_read_the_memory():
    with running("0") as process:
        if read_memory(process) != "opened":
            pytest.skip("no process may read another's memory here")
    with running("protect()") as process:
        assert read_memory(process).startswith("PermissionError")


def test_no_core_dump_is_written():
    with running("protect()") as process, open(f"/proc/{process}/limits") as limits:
        (line,) = [line.split() for line in limits if line.startswith("Max core file size")]
    assert line[4:6] == ["0", "0"]
