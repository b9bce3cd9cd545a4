"""Many at once: small uploads alone and beside large ones, slow readers, eight large uploads.

    .venv/bin/python benchmarks/concurrency.py /tmp/peers/bin/python [--seconds 10]

peers.py says how to make the venv of the peers. The peer here is plain.py, once with SQLite's
busy_timeout and once with a lock around writes.
"""

import argparse
import concurrent.futures
import contextlib
import socket
import tempfile
import threading
import time
from collections.abc import Iterator

from figures import goal, machine, row, shared_memory_mib, table
from load import (
    LARGE,
    Load,
    beside,
    large_upload,
    load_table,
    request_bytes,
    run_clients,
    small_uploads,
)
from running import Server, ours, plain

READ_BYTES = 64 << 10


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
    under_load: dict[str, Load] = {}
    load_table("64 clients upload 4 KiB", "beside two that upload 50 MiB")
    for start in (ours(folder), plain(python, folder), plain(python, folder, "lock")):
        with start as server:
            small_uploads(server, seconds=2)  # to warm up
            small_uploads(server, seconds=seconds).show(server.name, "no")
            with beside(large_upload, server, 2) as large:
                under_load[server.name] = small_uploads(server, seconds=seconds)
            took = sum(large) / len(large) if large else float("nan")
            under_load[server.name].show(server.name, f"yes: {len(large)}, {took:.1f} s each")
    mine = under_load.pop("ours").ms(0.99)
    table("p99 beside large uploads", "ratio", "goal")
    for name, load in under_load.items():
        ratio = mine / load.ms(0.99)
        row(f"ours / {name}", ratio, goal(ratio, 0.2))


def slow_readers(service: Server, seconds: float) -> None:
    """One quick caller, alone and while others read 50 MiB at 64 KiB a second."""
    path = "/v1/documents/" + service.good("POST", "/v1/documents", LARGE).json["id"]
    request = request_bytes(service, f"GET {path}")
    run_clients(service, request, 1, 1)  # to warm up
    load_table("one caller gets a record")
    run_clients(service, request, 1, seconds).show("alone")
    for count in (8, 16, 64):
        with reading_slowly(service, path + "/content", count):
            run_clients(service, request, 1, seconds).show(f"beside {count} slow readers of 50 MiB")


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
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, READ_BYTES)
        one.connect(("127.0.0.1", service.port))
        one.sendall(request_bytes(service, f"GET {path}"))
        while not end.wait(1):
            assert one.recv(READ_BYTES), "the slow reader was cut off"


def large_ones(python: str, folder: str) -> None:
    """Eight uploads of 50 MiB at once to a server that was just started."""
    names = ("seconds", "memory before, MiB", "at its peak", "with bodies that wait in memory")
    table("eight upload 50 MiB at once", *names)
    for process in (ours(folder), plain(python, folder)):
        with process as server, spooled() as files_mib:
            start, before = time.perf_counter(), server.memory_mib()
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                list(pool.map(lambda _: large_upload(server), range(8)))  # noqa: B023
            spent, peak = time.perf_counter() - start, server.memory_mib()
        row(server.name, spent, before, peak, peak + max(files_mib))


@contextlib.contextmanager
def spooled() -> Iterator[list[float]]:
    """Measure, in MiB, how much files in memory grow."""
    end, found, first = threading.Event(), [0.0], shared_memory_mib()

    def watch() -> None:
        while not end.wait(0.02):
            found.append(shared_memory_mib() - first)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield found
    finally:
        end.set()
        watching.join()


if __name__ == "__main__":
    main()
