"""viewer/sandbox/converter_process.py: what is done before it becomes LibreOffice"""

import json
import subprocess
import sys

import pytest

from viewer.sandbox.converter_process import MAX_GROUPS, MEMORY_MB, has_too_many_groups
from viewer.sandbox.process import BOOTSTRAP, PACKAGE

MAIN = """
import resource
from viewer.sandbox import converter_process
score = open("/proc/self/oom_score_adj")
def execve(program, *_):
    limit = resource.getrlimit(resource.RLIMIT_AS)[0] >> 20
    print(program, limit, score.read())
converter_process.os.execve = execve
converter_process.main()
"""
DEEP = b"{" * (MAX_GROUPS + 1)
PROGRAM = "/opt/office/program/soffice.bin"


def become(folder, name, data):
    """The program that takes over, its memory in MiB, and its place where memory runs out."""
    (folder / name).write_bytes(data)
    options = {"program": PROGRAM}
    options = json.dumps(options | {"folder": str(folder), "document": name, "target": "pdf"})
    command = [sys.executable, "-I", "-c", f"{BOOTSTRAP}\n{MAIN}", str(PACKAGE), options]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()


@pytest.mark.skipif(sys.platform != "linux", reason="the converter is for Linux")
def test_memory_is_limited_and_where_it_runs_out_the_converter_goes_first(tmp_path):
    assert become(tmp_path, "document.rtf", b"{x}") == [PROGRAM, str(MEMORY_MB), "1000"]


@pytest.mark.skipif(sys.platform != "linux", reason="the converter is for Linux")
def test_rtf_of_too_many_open_groups_is_not_converted(tmp_path):
    assert become(tmp_path, "document.rtf", DEEP) == []
    assert become(tmp_path, "document.odt", DEEP)[:1] == [PROGRAM]


@pytest.mark.parametrize(
    ("rtf", "too_many"),
    [
        (DEEP[1:], False),
        (DEEP, True),
        (b"{}" * MAX_GROUPS * 2, False),
        (rb"\{" * MAX_GROUPS * 2, False),
        (rb"\\{" * (MAX_GROUPS + 1), True),
        (b"}" * MAX_GROUPS + DEEP, True),  # those close nothing
        (DEEP[:6_000] + rb"\bin6000 " + b"}" * 6_000 + DEEP[:6_000], True),
        (rb"\bin20000 " + b"{" * 20_000, False),
    ],
    ids=range(8),
)
def test_groups_are_counted_as_they_are_read(rtf, too_many):
    assert has_too_many_groups(rtf) == too_many
