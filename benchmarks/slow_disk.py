"""64 clients upload 4 KiB each while every sync of a file takes two milliseconds more.

    .venv/bin/python benchmarks/slow_disk.py /tmp/peers/bin/python [--seconds 10] [--ms 2]

A virtual disk may acknowledge at once; this shows what a slower one does. A shim in C, compiled
with cc and loaded with LD_PRELOAD, waits before fsync and fdatasync. The service, which commits in
groups, is compared with itself syncing in each transaction, and with plain.py. peers.py says how
to make the venv of the peers.
"""

import argparse
import contextlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from figures import machine, row, table
from load import Load, load_table, small_uploads
from running import Server, ours, plain

SHIM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

#define SLOW(name)                                               \\
    int name(int file) {                                         \\
        usleep(WAIT_MICROSECONDS);                               \\
        return ((int (*)(int))dlsym(RTLD_NEXT, #name))(file);    \\
    }
SLOW(fsync)
SLOW(fdatasync)
"""
SYNC_IN_EACH = """
from models.storage import group_commit, sqlite
sqlite.PRAGMAS["synchronous"] = "full"
group_commit.GroupCommit.sync = lambda self, since=None: None
import app
app.main()
"""


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("peer_python", help="the python of a venv with FastAPI")
    arguments.add_argument("--seconds", type=float, default=10, help="of each measurement")
    arguments.add_argument("--ms", type=float, default=2, help="that each sync takes longer")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        load_table(f"64 clients upload 4 KiB, each sync {given.ms:g} ms slower")
        slow = {"LD_PRELOAD": shim(folder, given.ms)}
        measured = run(given.peer_python, folder, slow, given.seconds)
    mine = measured.pop("ours")
    table("ours beside", "writes a second", "p99")
    for name, load in measured.items():
        row(name, mine.rate / load.rate, mine.ms(0.99) / load.ms(0.99))
    print(machine())


def shim(folder: str, ms: float) -> str:
    """The path of the library."""
    compiler = shutil.which("cc")
    if compiler is None:
        sys.exit("This benchmark needs a C compiler named cc.")
    source, library = Path(folder) / "slow.c", Path(folder) / "slow.so"
    source.write_text(SHIM)
    wait = f"-DWAIT_MICROSECONDS={ms * 1000:.0f}"
    command = [compiler, "-shared", "-fPIC", wait, "-o", str(library), str(source), "-ldl"]
    subprocess.run(command, check=True)
    return str(library)


def run(python: str, folder: str, slow: dict[str, str], seconds: float) -> dict[str, Load]:
    measured = {}
    for start in (
        ours(folder, **slow),
        in_each(folder, slow),
        plain(python, folder, **slow),
        plain(python, folder, "lock", **slow),
    ):
        with start as server:
            small_uploads(server, seconds=2)  # to warm up
            measured[server.name] = small_uploads(server, seconds=seconds)
            measured[server.name].show(server.name)
    return measured


def in_each(folder: str, slow: dict[str, str]) -> AbstractContextManager[Server]:
    @contextlib.contextmanager
    def renamed() -> Iterator[Server]:
        with ours(folder, ["-c", SYNC_IN_EACH], **slow) as server:
            server.name = "ours, a sync in each transaction"
            yield server

    return renamed()


if __name__ == "__main__":
    main()
