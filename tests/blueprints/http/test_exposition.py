"""What `/metrics` reads, and how often."""

from types import SimpleNamespace

from blueprints.http import exposition


def test_rows_of_root_keys_are_counted_once_a_minute(monkeypatch):
    runtime = SimpleNamespace(root_keys=None)
    clock, counted = SimpleNamespace(moment=0), []
    monkeypatch.setattr(exposition, "current_runtime", lambda: runtime)
    monkeypatch.setattr(exposition, "list_root_keys", lambda: counted.append(1) or [len(counted)])
    monkeypatch.setattr(exposition, "now", lambda: clock.moment)

    seen = []
    for clock.moment in (0, 59_999, 60_000, 60_001):
        seen += exposition._root_keys()

    assert seen == [1, 1, 2, 2]
