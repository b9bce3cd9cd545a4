"""The lock that lets one server process run on a database; it ends with the process.

A second server would count rate limits separately, and delete the first one's running uploads as
those of a killed process. Commands need no lock: transactions are enough for them.
"""

import fcntl
import logging
import os
import time
from pathlib import Path

from ..core import OperatorError

_LOOK_SECONDS = 0.05
_held: list[int] = []


def acquire_instance_lock(database_path: str, wait_seconds: float) -> None:
    """Hold the lock until the process ends; `OperatorError` if another does after the wait."""
    path = Path(f"{database_path}.lock")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    leave_to_service(path)
    until = time.monotonic() + wait_seconds
    told = False
    while not _locked(handle):
        if time.monotonic() >= until:
            os.close(handle)
            raise OperatorError(f"Another server works on {database_path}. Stop that one first.")
        if not told:
            told = True
            line = "Another server works on %s. Waiting %g s for its end."
            logging.getLogger("docservice").warning(line, database_path, wait_seconds)
        time.sleep(_LOOK_SECONDS)
    _held.append(handle)


def leave_to_service(path: Path) -> None:
    """Give a file that root has created to the owner of its folder, who runs the service."""
    if os.geteuid() == 0:
        owner = path.parent.stat()
        os.chown(path, owner.st_uid, owner.st_gid)


def release_instance_lock() -> None:
    while _held:
        os.close(_held.pop())


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
