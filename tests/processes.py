"""What /proc says of processes: proc_pid_stat(5), proc_pid_task(5)."""

from contextlib import suppress
from pathlib import Path


def children(pid):
    """The ids of its child processes; none if it has ended."""
    found = []
    for one in Path(f"/proc/{pid}").glob("task/*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):
            found += map(int, one.read_text().split())
    return found


def state_and_further(pid):
    """The fields of its `stat` behind the name, from its state on; none if it has ended."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return []
