"""viewer/sandbox/resource_limits.py (what the limits do is in test_process.py)"""

import resource

from viewer.sandbox import resource_limits


def test_soft_and_hard_limits_are_set(monkeypatch):
    asked = {}
    monkeypatch.setattr(resource, "setrlimit", asked.__setitem__)
    resource_limits.apply_resource_limits(memory_mb=2, cpu_seconds=3)
    resource_limits.forbid_new_files()

    assert asked[resource.RLIMIT_AS] == (2 << 20, 2 << 20)
    assert asked[resource.RLIMIT_CPU] == (3, 3)
    assert asked[resource.RLIMIT_CORE] == asked[resource.RLIMIT_NPROC] == (0, 0)
    assert asked[resource.RLIMIT_NOFILE] == asked[resource.RLIMIT_FSIZE] == (0, 0)


def test_a_limit_that_the_system_refuses_is_skipped(monkeypatch):
    def refuse(*_):
        raise ValueError

    monkeypatch.setattr(resource, "setrlimit", refuse)
    resource_limits.apply_resource_limits(memory_mb=2, cpu_seconds=3)
    resource_limits.forbid_new_files()
