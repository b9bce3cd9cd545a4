"""Room for an upload is judged with what others have begun, and with what deletes have left."""

import pytest

from models.core import StorageFull
from models.storage import disk_space as room

MIB = 1 << 20


@pytest.fixture
def disk(instance, monkeypatch):
    """A disk with so many free bytes, a log and pages left in the database: set them."""
    sizes = {"free": 100 * MIB, "log": 0, "left": 0}
    monkeypatch.setattr(room, "_free_bytes", lambda _: sizes["free"])
    monkeypatch.setattr(room, "_wal_bytes", lambda: sizes["log"])
    monkeypatch.setattr(room, "_unused_bytes", lambda: sizes["left"])
    return sizes


def reserve(size, truncate_wal=lambda: False):
    return room.reserve_disk_space(size, 10 * MIB, truncate_wal)


def fits(size, truncate_wal=lambda: False):
    try:
        with reserve(size, truncate_wal):
            return True
    except StorageFull:
        return False


def test_what_is_written_needs_room_in_the_log_and_in_the_database(disk):
    assert fits(39 * MIB)
    assert not fits(43 * MIB)


def test_a_log_that_is_not_moved_yet_needs_room(disk):
    disk["log"] = 50 * MIB
    assert fits(17 * MIB)
    assert not fits(20 * MIB)


def test_a_log_that_can_be_cut_is_cut_first(disk):
    disk["log"] = 90 * MIB
    assert fits(39 * MIB, lambda: disk.update(log=0))


def test_uploads_that_run_are_counted_until_they_end(disk):
    with reserve(25 * MIB):
        assert fits(14 * MIB)
        assert not fits(18 * MIB)
    assert fits(25 * MIB)
    with pytest.raises(RuntimeError), reserve(25 * MIB):
        raise RuntimeError
    assert fits(25 * MIB)


def test_what_deletes_left_is_used_again_though_the_disk_is_full(disk):
    disk["free"] = 10 * MIB
    assert not fits(1)
    disk["left"] = 20 * MIB
    assert fits(4 * MIB)
    assert not fits(6 * MIB)  # the log needs room meanwhile; half the reserve stays
