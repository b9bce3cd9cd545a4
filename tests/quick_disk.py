"""A disk for which nobody waits: what a killed process has written stays; no test cuts the power.

A test of the syncs themselves sets a function of its own.
"""

import os

from models.storage import group_commit, sqlite
from models.storage.payloads import files


def use():
    """From now on, this process syncs no file."""
    group_commit._fdatasync = files._fdatasync = _do_not_wait
    os.fsync = _do_not_wait
    sqlite.PRAGMAS["synchronous"] = "off"


def _do_not_wait(_file):
    """In place of `os.fsync`."""
