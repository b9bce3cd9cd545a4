"""Mixed load for some minutes: do memory, files, threads and latency stay the same?

    .venv/bin/python benchmarks/soak.py [--minutes 10]

Eight callers upload 1 KiB to 5 MiB, list, fetch records, content, ranges, pages and views, make
and revoke links, delete, and log in now and then. Each keeps forty documents, so that the
data stops growing in the first minute. The last third is compared with the first: memory, open
files and threads, and the p99 of the calls.
"""

import argparse
import multiprocessing
import os
import statistics
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from queue import Empty

from figures import MIB, machine, quantile, row, status, table
from mixed import Result, call_again
from running import Server, ours

CALLERS = 8
FLAT = 1.15  # the most that the last third may be, times the first
LATENCY_FLAT = 1.5
COLUMNS = (
    "calls", "errors", "p50, ms", "p99, ms", "memory, MiB", "open files", "threads", "log, MiB",
    "database, MiB",
)  # fmt: skip


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--minutes", type=int, default=10)
    minutes = arguments.parse_args().minutes
    with tempfile.TemporaryDirectory() as folder, ours(folder) as service:
        results: multiprocessing.Queue[Result] = multiprocessing.Queue()
        stop = multiprocessing.Event()
        callers = [
            multiprocessing.Process(target=call_again, args=(service, number, results, stop))
            for number in range(CALLERS)
        ]
        for caller in callers:
            caller.start()
        measured = watch(service, Path(folder), results, minutes)
        stop.set()
        for _ in drained(results, time.monotonic() + 2):
            pass
        for caller in callers:
            caller.join()
    verdict(measured)
    print(machine())


@dataclass
class Minute:
    calls: list[Result]
    memory_mib: float
    files: int
    threads: int
    log_mib: float
    database_mib: float

    def p99_ms(self) -> float:
        return quantile([seconds for seconds, _ in self.calls], 0.99) * 1000

    def errors(self) -> int:
        return sum(bool(fault) for _, fault in self.calls)

    def show(self, number: int) -> None:
        p50 = statistics.median(seconds for seconds, _ in self.calls) * 1000
        counts = f"{len(self.calls):,}", str(self.errors())
        row(str(number), *counts, p50, self.p99_ms(), self.memory_mib, *self._rest())

    def _rest(self) -> tuple[str | float, ...]:
        return str(self.files), str(self.threads), self.log_mib, self.database_mib


def watch(
    service: Server, folder: Path, results: "multiprocessing.Queue[Result]", minutes: int
) -> list[Minute]:
    table("minute", *COLUMNS)
    measured = []
    start = time.monotonic()
    for number in range(1, minutes + 1):
        calls = drained(results, start + number * 60)
        measured.append(_minute(service, folder, calls))
        measured[-1].show(number)
    return measured


def drained(results: "multiprocessing.Queue[Result]", until: float) -> list[Result]:
    calls = []
    while (left := until - time.monotonic()) > 0:
        try:
            calls.append(results.get(timeout=left))
        except Empty:
            break
    return calls


def _minute(service: Server, folder: Path, calls: list[Result]) -> Minute:
    database = next(folder.glob("*/documents.sqlite"))
    log = database.with_name(database.name + "-wal")
    sizes = [file.stat().st_size / MIB for file in (log, database)]
    files = len(os.listdir(f"/proc/{service.pid}/fd"))
    return Minute(calls, service.memory_mib("VmRSS"), files, status(service.pid, "Threads"), *sizes)


def verdict(measured: list[Minute]) -> None:
    third = max(1, len(measured) // 3)
    table("last third / first third", "first", "last", "ratio", "")
    parts = measured[:third], measured[-third:]
    for name, read, most in (
        ("memory, MiB", lambda one: one.memory_mib, FLAT),
        ("open files", lambda one: one.files, FLAT),
        ("threads", lambda one: one.threads, FLAT),
        ("p99, ms", Minute.p99_ms, LATENCY_FLAT),
    ):
        first, last = (statistics.mean(map(read, part)) for part in parts)
        row(name, first, last, last / first, "flat" if last <= first * most else "NOT flat")
    faults = Counter(fault for one in measured for _, fault in one.calls if fault)
    errors = ", ".join(f"{count} x {name}" for name, count in faults.most_common(5)) or "none"
    print(f"\nErrors in {sum(len(one.calls) for one in measured):,} calls: {errors}.")


if __name__ == "__main__":
    main()
