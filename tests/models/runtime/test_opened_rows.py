"""The memory of what sealed rows have opened to: its size, its age, and what is forgotten."""

import sys
import tracemalloc
from types import MappingProxyType

import pytest

from models.runtime.opened_rows import FORGET_SECONDS, KEPT_SECONDS, MOST_BYTES, OpenedRows


class Clock:
    seconds = 0.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def memory(clock):
    return OpenedRows(clock=clock)


def digest(number):
    return number.to_bytes(32, "big")


def add(memory, number, about=("doc_1", "usr_1"), **values):
    return memory.add(digest(number), values, about)


def test_values_are_found_by_the_digest_they_were_added_with_alone(memory):
    add(memory, 1, name="a.pdf")
    assert memory.find(digest(1)) == {"name": "a.pdf"}
    assert memory.find(digest(2)) is None


def test_no_reader_can_change_what_others_read(memory):
    given = {"metadata": {"case": "7"}, "documents": ["doc_1", ["doc_2"]]}
    for values in (memory.add(digest(1), given, ()), memory.find(digest(1))):
        assert isinstance(values, MappingProxyType)
        assert isinstance(values["metadata"], MappingProxyType)
        assert values["documents"] == ("doc_1", ("doc_2",))
    given["metadata"]["case"] = "8"
    assert memory.find(digest(1))["metadata"] == {"case": "7"}


def test_an_entry_is_neither_read_nor_kept_for_five_minutes(memory, clock):
    assert KEPT_SECONDS + 2 * FORGET_SECONDS <= 300
    add(memory, 1, name="a.pdf")
    clock.seconds = KEPT_SECONDS - 1
    add(memory, 2, name="b.pdf")
    memory.forget_old()
    assert memory.find(digest(1)) == {"name": "a.pdf"}

    clock.seconds = KEPT_SECONDS
    assert memory.find(digest(1)) is None
    assert len(memory) == 2
    memory.forget_old()
    assert len(memory) == 1
    assert memory.find(digest(2)) == {"name": "b.pdf"}


def test_reading_an_entry_does_not_make_it_younger(memory, clock):
    add(memory, 1, name="a.pdf")
    for seconds in range(0, KEPT_SECONDS, 10):
        clock.seconds = seconds
        assert memory.find(digest(1))
        add(memory, 1, name="a.pdf")
    clock.seconds = KEPT_SECONDS
    assert memory.find(digest(1)) is None


def test_what_is_about_a_deleted_id_is_forgotten_and_nothing_else(memory):
    add(memory, 1, ("doc_1", "usr_1"), name="a.pdf")
    add(memory, 2, ("doc_2", "usr_1"), name="b.pdf")
    add(memory, 3, ("doc_3", "usr_2"), name="c.pdf")
    memory.forget("doc_1")
    assert [bool(memory.find(digest(number))) for number in (1, 2, 3)] == [False, True, True]
    memory.forget("usr_1")
    assert [bool(memory.find(digest(number))) for number in (1, 2, 3)] == [False, False, True]


def test_who_read_a_row_before_its_deletion_adds_nothing_after_it(memory, clock):
    memory.forget("doc_1")
    assert add(memory, 1, name="a.pdf") == {"name": "a.pdf"}
    assert len(memory) == 0

    clock.seconds = KEPT_SECONDS
    memory.forget_old()
    assert memory.size_bytes == 0


def test_beyond_its_size_the_oldest_entries_go(clock):
    memory = OpenedRows(10_000, clock)
    for number in range(100):
        add(memory, number, name="a.pdf")
        assert memory.size_bytes <= 10_000
    assert memory.find(digest(99))
    assert not memory.find(digest(0))


def test_a_row_that_is_larger_than_the_memory_leaves_it_empty(clock):
    memory = OpenedRows(10_000, clock)
    assert add(memory, 1, name="x" * 20_000) == {"name": "x" * 20_000}
    assert (len(memory), memory.size_bytes) == (0, 0)


def test_deletions_without_end_do_not_exceed_the_size_either(clock):
    memory = OpenedRows(10_000, clock)
    for number in range(1_000):
        memory.forget(f"doc_{number}")
    assert memory.size_bytes <= 10_000


def test_deletions_without_end_leave_room_for_rows(clock):
    memory = OpenedRows(10_000, clock)
    for number in range(1_000):
        memory.forget(f"doc_{number}")
    for number in range(3):
        add(memory, number, ("doc_kept",), name="a.pdf")
    assert memory.find(digest(0))
    assert add(memory, 9, ("doc_999",), name="b.pdf")
    assert memory.find(digest(9)) is None


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"given_name": "report %d.pdf", "given_metadata": {"case %d": "7"}, "sha256": "%064d"},
        {"documents_listed": [f"doc_%d{number:020}" for number in range(200)]},
        {"given_metadata": {f"%d {number}": "x" * 40 for number in range(20)}},
    ],
    ids=["nothing", "document", "collection", "metadata"],
)
def test_a_full_memory_occupies_no_more_than_its_bytes(values):
    memory = OpenedRows()
    tracemalloc.start()
    number = 0
    while number == len(memory):
        owned = (f"doc_{number:026}", f"usr_{number:026}")
        memory.add(digest(number), written(values, number), owned)
        number += 1
    occupied, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert memory.size_bytes > MOST_BYTES * 0.9
    assert MOST_BYTES * 0.4 < occupied < MOST_BYTES


def written(value, number):
    """The value with the number in each of its texts."""
    if isinstance(value, dict):
        return {name_of(name, number): written(one, number) for name, one in value.items()}
    if isinstance(value, list):
        return [written(one, number) for one in value]
    return value % number if "%" in value else value + str(number)


def name_of(name, number):
    return name % number if "%" in name else sys.intern(name)
