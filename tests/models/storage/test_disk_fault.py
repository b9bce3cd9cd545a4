"""The service is not ready while the disk of its database takes nothing."""

import errno
import os

import pytest

from models import setup
from models.storage import disk_space, sqlite_engine


@pytest.fixture
def disk(instance, monkeypatch):
    """What the disk answers to a sync, as an error number or None; and how often it was asked."""

    class Disk:
        error = None
        asked = 0

    def fsync(handle):
        Disk.asked += 1
        if Disk.error:
            raise OSError(Disk.error, os.strerror(Disk.error))

    monkeypatch.setattr(disk_space.os, "fsync", fsync)
    return Disk


@pytest.mark.parametrize("number", [errno.EROFS, errno.EIO])
def test_a_disk_that_takes_nothing_is_a_fault_until_it_takes_a_byte(disk, monkeypatch, number):
    monkeypatch.setattr(sqlite_engine, "TRY_SECONDS", 0)
    assert setup.why_not_ready() is None
    disk.error = number
    assert setup.why_not_ready() == "The disk takes nothing: it fails, or is read-only."
    disk.error = None
    assert setup.why_not_ready() is None


def test_a_full_disk_is_no_fault_as_deletions_work(disk, monkeypatch):
    monkeypatch.setattr(sqlite_engine, "TRY_SECONDS", 0)
    disk.error = errno.ENOSPC
    assert setup.why_not_ready() is None


def test_however_often_somebody_asks_the_disk_is_tried_once_in_some_seconds(disk):
    for _ in range(50):
        setup.why_not_ready()
    assert disk.asked == 1
