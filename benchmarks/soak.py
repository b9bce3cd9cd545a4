"""A mixed load for some minutes: do memory, files, threads and latency stay the same?

    .venv/bin/python benchmarks/soak.py [--minutes 10]

Eight callers upload 1 KiB to 5 MiB, list, fetch records, content, ranges, pages and views, make and
revoke links, delete, and log in now and then. Each keeps forty documents, so that the data stops
growing in the first minute. The last third is compared with the first: memory, open files and
threads, and the p99 of the calls.
"""

import argparse
import json
import multiprocessing
import os
import random
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.synchronize import Event
from pathlib import Path
from queue import Empty

from figures import MIB, machine, quantile, row, status, table
from running import ACCOUNT, Answer, Server, document, ours

CALLERS = 8
FLAT = 1.15  # the most that the last third may be, times the first
LATENCY_FLAT = 1.5
KEPT = 40
LARGEST_BYTES = 5 << 20
PAUSE_SECONDS = 0.02
Result = tuple[float, str]  # seconds, and the error or an empty string
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


def call_again(
    service: Server, seed: int, results: "multiprocessing.Queue[Result]", stop: Event
) -> None:
    """Run one caller until `stop` is set."""
    caller = Caller(service, seed)
    while not stop.is_set():
        act, fault = caller.next(), ""
        start = time.perf_counter()
        try:
            act()
        except (OSError, AssertionError) as error:
            fault = f"{act.__name__}: {error or type(error).__name__}"
        results.put((time.perf_counter() - start, fault))
        time.sleep(PAUSE_SECONDS)
    results.cancel_join_thread()


class Caller:
    """A caller that uploads until it has `KEPT` documents, and then as often as it deletes."""

    def __init__(self, service: Server, seed: int) -> None:
        self._service, self._random = service, random.Random(seed)
        self._kept: list[tuple[str, bytes]] = []
        self._noise = os.urandom(LARGEST_BYTES)
        self._filled = False
        reading = [self.listing, self.record, self.content, self.part, self.view, self.page]
        self._acts = [*reading * 4, *[self.exchange] * 8, self.link, self.link]
        self._acts += [self.log_in] if seed == 0 else []

    def next(self) -> Callable[[], None]:
        self._filled = self._filled or len(self._kept) == KEPT
        return self._random.choice(self._acts) if self._filled else self.upload

    def upload(self) -> None:
        """Upload a document; sizes are distributed logarithmically from 1 KiB."""
        size = int(1024 * (LARGEST_BYTES / 1024) ** self._random.random())
        start = self._random.randrange(LARGEST_BYTES - size + 1)
        raw = self._noise[start : start + size]
        made = self._ask(201, "POST", "/v1/documents", document(raw)).json
        self._kept.append(("/v1/documents/" + made["id"], raw))

    def exchange(self) -> None:
        if len(self._kept) < KEPT:
            self.upload()
        else:
            path, _ = self._kept.pop(self._random.randrange(KEPT))
            self._ask(204, "DELETE", path)

    def listing(self) -> None:
        self._ask(200, "GET", "/v1/documents?limit=50")

    def record(self) -> None:
        self._ask(200, "GET", self._one()[0])

    def content(self) -> None:
        path, raw = self._one()
        assert self._ask(200, "GET", path + "/content").body == raw, "other bytes"

    def part(self) -> None:
        path, raw = self._one()
        start = self._random.randrange(len(raw))
        sent = self._service.headers | {"Range": f"bytes={start}-{start + 65_535}"}
        body = self._ask(206, "GET", path + "/content", None, sent).body
        assert body == raw[start : start + 65_536], "other bytes"

    def view(self) -> None:
        self._ask(200, "GET", self._one()[0] + "/view")

    def page(self) -> None:
        self._ask(200, "GET", self._one()[0] + "/download")

    def link(self) -> None:
        """Create a link, open it without an account, and revoke it."""
        path, _ = self._one()
        made = self._ask(201, "POST", path + "/tokens", b"{}").json
        holder = {"Authorization": "Bearer " + made["token"]}
        self._ask(200, "GET", path + "/view", None, holder)
        self._ask(204, "DELETE", f"{path}/tokens/{made['id']}")

    def log_in(self) -> None:
        sent = {"Content-Type": "application/json"}
        self._ask(200, "POST", "/v1/auth/login", json.dumps(ACCOUNT).encode(), sent)

    def _one(self) -> tuple[str, bytes]:
        return self._random.choice(self._kept)

    def _ask(
        self,
        status: int,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        answer = self._service.call(method, path, body, headers)
        assert answer.status == status, f"{answer.status} {answer.body[:80]!r}"
        return answer


if __name__ == "__main__":
    main()
