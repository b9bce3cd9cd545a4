"""What /proc says of processes: proc_pid_stat(5), proc_pid_task(5)."""

import os
from contextlib import suppress
from pathlib import Path

GONE = (FileNotFoundError, ProcessLookupError)


def children(pid):
    """The ids of its child processes; none if it has ended."""
    found = []
    with suppress(*GONE):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(*GONE):
                found += map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split())
    return found


def state_and_further(pid):
    """The fields of its `stat` behind the name, from its state on; none if it has ended."""
    with suppress(*GONE):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return []
