"""A benchmark of 8 and 64 clients of the service, beside one client, in turns.

    .venv/bin/python benchmarks/many_clients.py [--quick] [--sync-ms 10]

`--sync-ms` makes each sync of the disk so many milliseconds longer. Run it on idle cores: on busy
cores, threads that hand the interpreter to each other lose nothing that is not lost already.
"""

import argparse
import contextlib
import os
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from figures import goal, machine, row, table
from load import Load, load, reading, small_upload
from running import Server, ours

CLIENTS = (1, 8, 64)
LEAST_RATIO = 1.05  # of the requests a second of one client
MOST_P99 = 1.5  # of the time of one client, for each client


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--quick", action="store_true", help="one short round")
    arguments.add_argument("--sync-ms", type=float, default=0, help="what a sync takes longer")
    given = arguments.parse_args()
    rounds = 1 if given.quick else 5
    seconds = 0.5 if given.quick else 2
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        service = stack.enter_context(ours(folder, sync_ms=given.sync_ms))
        table("", "clients", "a second", "ratio", "goal", "p99, ms", "of one, each", "goal")
        measured(service, "upload, 4 KiB", small_upload(service), rounds, seconds)
        _, path = service.upload(os.urandom(64 << 10))
        measured(service, "content, 64 KiB", reading(service, f"{path}/content"), rounds, seconds)
        for _ in range(50):
            service.upload(b"abc")
        fifty = reading(service, "/v1/documents?limit=50")
        measured(service, "list of 50", fifty, rounds, seconds)
    print(machine())


def measured(service: Server, what: str, request: bytes, rounds: int, seconds: float) -> None:
    found: dict[int, list[Load]] = {clients: [] for clients in CLIENTS}
    for _ in range(rounds):
        for clients in CLIENTS:
            one = load(service, request, clients, seconds)
            assert not one.faults, one.faults
            found[clients].append(one)
    rate_of_one = statistics.median(one.rate for one in found[1])
    ms_of_one = statistics.median(one.ms(0.5) for one in found[1])
    for clients in CLIENTS:
        rate = statistics.median(one.rate for one in found[clients])
        p99 = statistics.median(one.ms(0.99) for one in found[clients])
        ratio = rate / rate_of_one
        each = p99 / ms_of_one / clients
        if clients == 1:
            row(what, "1", rate, None, None, p99, None, None)
            continue
        missed = "" if ratio >= LEAST_RATIO else ", missed"
        row(
            what,
            str(clients),
            rate,
            ratio,
            f"≥ {LEAST_RATIO}{missed}",
            p99,
            each,
            goal(each, MOST_P99),
        )


if __name__ == "__main__":
    main()
