"""viewer/sandbox/confinement.py, the resource limits (what the limits do is in test_process.py)"""

import resource
import sys
from pathlib import Path

import pytest

from viewer.rendering.registry import MARKDOWN
from viewer.sandbox import confinement, process


def test_soft_and_hard_limits_are_set(monkeypatch):
    asked = {}
    monkeypatch.setattr(resource, "setrlimit", asked.__setitem__)
    confinement.apply_resource_limits(memory_mb=2, cpu_seconds=3)
    confinement.forbid_new_files()

    assert asked[resource.RLIMIT_AS] == (2 << 20, 2 << 20)
    assert asked[resource.RLIMIT_CPU] == (3, 3)
    assert asked[resource.RLIMIT_CORE] == asked[resource.RLIMIT_NPROC] == (0, 0)
    assert asked[resource.RLIMIT_NOFILE] == asked[resource.RLIMIT_FSIZE] == (0, 0)


def test_a_limit_that_the_system_refuses_is_skipped(monkeypatch):
    def refuse(*_):
        raise ValueError

    monkeypatch.setattr(resource, "setrlimit", refuse)
    confinement.apply_resource_limits(memory_mb=2, cpu_seconds=3)
    confinement.forbid_new_files()


@pytest.mark.skipif(sys.platform != "linux", reason="other kernels have no order")
def test_where_memory_runs_out_the_process_that_forks_parsers_goes_before_the_service():
    process.start_fork_server()
    MARKDOWN.job.run([b"x"], {"charset": None})
    _, forking = process._fork_server._running

    assert Path(f"/proc/{forking.pid}/oom_score_adj").read_text() == "1000\n"
    assert int(Path("/proc/self/oom_score_adj").read_text()) < 1000
