"""Many at once: small uploads alone and beside large ones, slow readers, eight large uploads.

    .venv/bin/python benchmarks/concurrency.py /tmp/peers/bin/python [--seconds 10]

How to make the venv of the peers stands in peers.py. The peer here is plain.py, once with SQLite's
own waiting (busy_timeout) and once with a lock for those who write.
"""

import argparse
import concurrent.futures
import contextlib
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from load import LARGE, Load, beside, crowd, large_upload, small_uploads, written
from running import MIB, Server, machine, ours, plain

BYTES_A_SECOND = 64 << 10


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("peer_python", help="the python of a venv with FastAPI")
    arguments.add_argument("--seconds", type=float, default=10, help="of each measurement")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        writers(given.peer_python, folder, given.seconds)
        with ours(folder) as service:
            slow_readers(service, given.seconds)
        large_ones(given.peer_python, folder)
    print(machine())


def writers(python: str, folder: str, seconds: float) -> None:
    """64 clients upload 4 KiB each, alone and while two clients upload 50 MiB all the time."""
    busy: dict[str, Load] = {}
    for start in (ours(folder), plain(python, folder), plain(python, folder, "lock")):
        with start as server:
            small_uploads(server, seconds=2)
            show(f"{server.name}: 64 x 4 KiB alone", small_uploads(server, seconds=seconds))
            with beside(large_upload, server, 2) as large:
                busy[server.name] = small_uploads(server, seconds=seconds)
            show("  beside two of 50 MiB", busy[server.name])
            took = sum(large) / len(large) if large else float("nan")
            print(f"  the large ones: {len(large)}, {took:.2f} s each", flush=True)
    mine = busy.pop("ours").ms(0.99)
    for name, load in busy.items():
        goal = "   goal 0.20" if "timeout" in name else ""
        print(f"p99 beside large uploads, ours / {name}: {mine / load.ms(0.99):.2f}{goal}")


def slow_readers(service: Server, seconds: float) -> None:
    """One quick caller, alone and while others read 50 MiB at 64 KiB/s."""
    path = "/v1/documents/" + service.good("POST", "/v1/documents", LARGE).json["id"]
    request = written(service, f"GET {path}")
    show("one caller of a record, alone", crowd(service, request, 1, seconds / 2))
    for count in (8, 16):
        with reading_slowly(service, path + "/content", count):
            show(f"  beside {count} slow readers", crowd(service, request, 1, seconds / 2))


@contextlib.contextmanager
def reading_slowly(service: Server, path: str, count: int) -> Iterator[None]:
    end = threading.Event()
    threads = [
        threading.Thread(target=_read_slowly, args=(service, path, end)) for _ in range(count)
    ]
    for thread in threads:
        thread.start()
    time.sleep(2)
    try:
        yield
    finally:
        end.set()
        for thread in threads:
            thread.join()


def _read_slowly(service: Server, path: str, end: threading.Event) -> None:
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BYTES_A_SECOND)
        one.connect(("127.0.0.1", service.port))
        one.sendall(written(service, f"GET {path}"))
        while not end.wait(1):
            one.recv(BYTES_A_SECOND)


def large_ones(python: str, folder: str) -> None:
    """Eight of 50 MiB at once, into a server just started."""
    for start in (ours(folder), plain(python, folder)):
        with start as server, spooled() as most_mib:
            begun, before = time.perf_counter(), server.memory_mib()
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                list(pool.map(lambda _: large_upload(server), range(8)))
            spent, peak = time.perf_counter() - begun, server.memory_mib()
            print(
                f"{server.name}: eight of 50 MiB at once in {spent:.1f} s; memory {before:.0f} MiB "
                f"before, {peak:.0f} at the peak",
                end="",
            )
        print(f", and {max(most_mib):.0f} MiB of bodies waiting in /dev/shm", flush=True)


@contextlib.contextmanager
def spooled() -> Iterator[list[float]]:
    """How much more than at first lies in the folder in memory where bodies wait, MiB."""
    folder, end, found = Path("/dev/shm"), threading.Event(), [0.0]
    first = shutil.disk_usage(folder).used if folder.exists() else 0

    def watch() -> None:
        while folder.exists() and not end.wait(0.02):
            found.append((shutil.disk_usage(folder).used - first) / MIB)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield found
    finally:
        end.set()
        watching.join()


def show(name: str, load: Load) -> None:
    print(f"{name:<34} {load.line()}", flush=True)


if __name__ == "__main__":
    main()
