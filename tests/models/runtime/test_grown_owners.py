"""A sweep looks at the owners of whom something was recorded, and at all of them once a day."""

from dataclasses import replace

import pytest

from models import Event, EventHead, transaction
from models.background import sweep
from models.runtime import grown_owners
from models.runtime.grown_owners import ALL_SECONDS, GrownOwners


def test_what_is_taken_is_of_all_owners_first_and_then_of_those_added(monkeypatch):
    moment = [1000.0]
    monkeypatch.setattr(grown_owners.time, "monotonic", lambda: moment[0])
    grown = GrownOwners()
    grown.add("usr_1")
    with grown.taken() as ids:
        assert ids is None
    with grown.taken() as ids:
        assert ids == set()
    grown.add("usr_2")
    with grown.taken() as ids:
        assert ids == {"usr_2"}
    moment[0] += ALL_SECONDS
    with grown.taken() as ids:
        assert ids is None


def test_what_a_sweep_fails_with_is_taken_by_the_next_one():
    grown = GrownOwners()
    with pytest.raises(OSError, match="full"), grown.taken() as ids:
        raise OSError("full")
    with grown.taken() as ids:
        assert ids is None
    grown.add("usr_1")
    with pytest.raises(OSError, match="full"), grown.taken():
        raise OSError("full")
    with grown.taken() as ids:
        assert ids == {"usr_1"}


def test_a_sweep_forgets_what_is_too_much_of_an_owner_of_whom_something_was_recorded(
    alice, runtime
):
    sweep()  # of all
    runtime.settings = replace(runtime.settings, quota_events=3)
    for _ in range(3):
        record(alice)
    sweep()
    assert kept(alice) == 3
    runtime.settings = replace(runtime.settings, quota_events=2)
    sweep()
    assert kept(alice) == 3  # nothing was recorded meanwhile
    record(alice)
    sweep()
    assert kept(alice) == 2


def record(owner):
    with transaction():
        Event.record(owner.id, "webhook.test", {}, to=None)


def kept(owner):
    head = EventHead.as_stored(owner.id)
    return head.sequence - head.oldest + 1
