"""viewer/sandbox/limits.py (what the limits do is in test_process.py)"""

import resource

from viewer.sandbox import limits


def test_every_limit_is_set_for_good(monkeypatch):
    asked = {}
    monkeypatch.setattr(resource, "setrlimit", asked.__setitem__)
    limits.give_up_rights(memory_mb=2, cpu_seconds=3)

    assert asked[resource.RLIMIT_AS] == (2 << 20, 2 << 20)
    assert asked[resource.RLIMIT_CPU] == (3, 3)
    assert asked[resource.RLIMIT_NOFILE] == asked[resource.RLIMIT_FSIZE] == (0, 0)


def test_a_limit_that_a_system_does_not_know_stops_nothing(monkeypatch):
    def refuse(*_):
        raise ValueError

    monkeypatch.setattr(resource, "setrlimit", refuse)
    limits.give_up_rights(memory_mb=2, cpu_seconds=3)
