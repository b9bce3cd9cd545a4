"""Filters of lists read what they may find, not all rows of the owner."""

import pytest

from models import Document, database
from models.core import DAY_MS, now
from tests.uploads import upload

MANY = 40


def steps_of(work):
    """How many instructions of SQLite's virtual machine it takes."""
    taken = []
    connection = database.connection()
    connection.set_progress_handler(lambda: taken.append(1) and None, 1)
    try:
        work()
    finally:
        connection.set_progress_handler(None, 1)
    return len(taken)


def steps_of_filter(owner, **filters):
    return steps_of(lambda: Document.matching(owner.id, 50, None, **filters))


@pytest.mark.parametrize("filter", ["created_after", "created_before"])
def test_a_filter_by_moment_reads_no_documents_of_other_days(alice, bob, clock, filter):
    clock(10 * DAY_MS if filter == "created_before" else 0)
    for _ in range(MANY):
        upload(alice)
    upload(bob)
    moment = now() + (-5 if filter == "created_before" else 5) * DAY_MS

    assert Document.matching(alice.id, 50, None, **{filter: moment}) == ([], None)
    of_many = steps_of_filter(alice, **{filter: moment})
    assert of_many <= steps_of_filter(bob, **{filter: moment}) + 5


@pytest.mark.parametrize("hours", [-20, 20])
def test_a_filter_by_moment_finds_documents_also_after_the_clock_was_set(alice, clock, hours):
    first = upload(alice)
    clock(hours * 3_600_000)
    second = upload(alice)

    def found(**filters):
        rows, _ = Document.matching(alice.id, 50, None, **filters)
        return {row.id for row in rows}

    earlier, later = sorted((first, second), key=lambda one: one.created_at)
    assert found(created_after=earlier.created_at) == {later.id}
    assert found(created_before=later.created_at) == {earlier.id}
    assert found(created_after=-1, created_before=later.created_at + 1) == {first.id, second.id}
