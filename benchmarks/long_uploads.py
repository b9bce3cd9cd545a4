"""Long uploads and reads beside what they are compared with, from one run.

    .venv/bin/python benchmarks/long_uploads.py PEERS [--mib 1024] [--read-mib 5120] [--rounds 3]
                                                [--beside DIR]

PEERS is the python of an environment with copyparty. A file of `--mib` is sent by slices of
16 MiB, in one PATCH, and to copyparty in one PUT; 60 MiB are sent by `POST /v1/documents`, and in
one PATCH. They take turns. Then small uploads of another account are sent beside a long one, a file
of `--read-mib` is sent, the service is started again, its SHA-256 is made again, and it is read by
ranges. `--beside` is another checkout of the service, with a `.venv` of its own: small uploads and
reads are compared with its.
"""

import argparse
import base64
import contextlib
import itertools
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parent.parent))

from figures import MIB, goal, least, machine, quantile, row, table
from goals import Work, cpu_in_turns
from load import load, small_upload
from peers import OfCopyparty, copyparty, good
from running import ACCOUNT, ROOT, Answer, Connection, Server, api_key, document, ours, service

SLICE = 16 * MIB
RANGE = 8 * MIB
POSTED = 60 * MIB
POSTS = 4  # in a turn
SMALL_ROUNDS = 60  # fewer differ by a tenth
RANDOM = os.urandom(SLICE)
STREAM = {"Content-Type": "application/offset+octet-stream"}
PATIENCE_SECONDS = 300
OTHER_ACCOUNT = ACCOUNT | {"email": "other@example.com"}


@dataclass(frozen=True)
class Cost:
    """The time that so many MiB took: seconds, and processor seconds of the server's processes."""

    mib: float
    seconds: float
    cpu_seconds: float

    @property
    def rate(self) -> float:
        return self.mib / self.seconds

    @property
    def cpu_ms(self) -> float:
        """Processor milliseconds for a MiB."""
        return self.cpu_seconds / self.mib * 1000


class Long:
    """A service, and one kept connection to it, on which a file of any length is sent and read."""

    def __init__(self, server: Server, instance: Path | None = None) -> None:
        self.server, self._instance = server, instance
        self.connection = Connection(server.port)

    def call(self, method: str, path: str, **headers: str) -> Answer:
        return good(self.connection.call(method, path, headers=self.server.headers | headers))

    def begin(self, size: int) -> str:
        name = base64.b64encode(b"long.bin").decode()
        sent = {"Upload-Length": str(size), "Upload-Metadata": f"filename {name},token bnVsbA=="}
        return urlsplit(self.call("POST", "/v1/uploads", **sent).headers["Location"]).path

    def send(self, path: str, offset: int, length: int) -> Answer:
        sent = self.server.headers | STREAM
        sent |= {"Upload-Offset": str(offset), "Content-Length": str(length)}
        return good(self.connection.call("PATCH", path, blocks(length), sent))

    def upload(self, size: int, part: int) -> str:
        """Send a file in parts; return the path of its document."""
        path = self.begin(size)
        for offset in range(0, size, part):
            answer = self.send(path, offset, min(part, size - offset))
        return f"/v1/documents/{answer.headers['Document-Id']}"

    def delete(self, path: str) -> tuple[float, float]:
        """Delete a document for good; return the seconds it takes, and until its file is gone."""
        start = time.perf_counter()
        self.call("DELETE", path)
        seconds = time.perf_counter() - start
        while self._instance and any(self._instance.glob("payloads/*/*")):
            assert time.perf_counter() - start < PATIENCE_SECONDS, "its file is still there"
            time.sleep(0.01)
        return seconds, time.perf_counter() - start

    def read(self, path: str, size: int) -> None:
        for start in range(0, size, RANGE):
            stop = min(start + RANGE, size)
            answer = self.call("GET", f"{path}/content", Range=f"bytes={start}-{stop - 1}")
            assert len(answer.body) == stop - start


def blocks(length: int) -> Iterator[bytes]:
    """Yield so many bytes, of which the first ones are others each time."""
    first = os.urandom(min(16, length))
    yield first
    left = length - len(first)
    while left:
        block = memoryview(RANDOM)[: min(left, MIB)]
        yield block
        left -= len(block)


def cost(server: Server, mib: float, call: Callable[[], object]) -> Cost:
    cpu, start = server.cpu_seconds(), time.perf_counter()
    call()
    return Cost(mib, time.perf_counter() - start, server.cpu_seconds() - cpu)


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("peer_python", help="the python of an environment with copyparty")
    arguments.add_argument("--mib", type=int, default=1024, help="of a file that is sent")
    arguments.add_argument("--read-mib", type=int, default=5120, help="of a file that is read")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--beside", type=Path, help="another checkout, with a .venv of its own")
    given = arguments.parse_args()
    assert min(given.mib, given.read_mib) > 64, "files of 64 MiB and less lie elsewhere"
    with tempfile.TemporaryDirectory() as folder:
        table("", "ours", "beside it", "ratio", "goal")
        of_one_file(f"{folder}/one", given.mib)
        in_turns(f"{folder}/turns", given.peer_python, given.mib, given.rounds)
        beside_small_uploads(f"{folder}/small", given.mib, given.rounds)
        after_a_restart(f"{folder}/restart", given.read_mib, given.beside, folder)
        if given.beside:
            small_uploads_of_both(folder, given.beside.resolve())
    print(machine())


def of_one_file(instance: str, mib: int) -> None:
    """Print the memory of one long request, the log that it leaves, and its deletion."""
    with service(instance) as server:
        server.headers["X-API-Key"] = api_key(server)
        long = Long(server, Path(instance))
        server.upload(b"abc")
        idle = server.forget_peak()
        path = long.upload(mib * MIB, mib * MIB)
        above = server.memory_mib() - idle
        row(f"memory for {mib:,} MiB above idle, MiB", above, idle, None, goal(above, 48))
        log = Path(f"{instance}/documents.sqlite-wal").stat().st_size / MIB
        row("log of the database, MiB", log, None, None, goal(log, 64))
        deletion, gone = long.delete(path)
        row("deleting it, s", deletion, None, None, goal(deletion, 5))
        row("until its space is back, s", gone, None, None, goal(gone, 10))


def in_turns(instance: str, python: str, mib: int, rounds: int) -> None:
    """Print throughput and processor time of all ways to send a file."""
    folder = Path(instance)
    folder.mkdir()
    with service(f"{folder}/ours") as server, copyparty(python, str(folder)) as peer:
        server.headers["X-API-Key"] = api_key(server)
        ways = ways_to_send(Long(server, folder / "ours"), peer, folder, mib)
        found: dict[str, list[Cost]] = {name: [] for name in ways}
        names = list(ways)
        for number in range(-1, rounds):  # the first round is not counted
            for name in names[number % len(names) :] + names[: number % len(names)]:
                costs = ways[name]()
                found[name] += [costs] if number >= 0 else []
    rate = {name: statistics.median(one.rate for one in each) for name, each in found.items()}
    cpu = {name: statistics.median(one.cpu_ms for one in each) for name, each in found.items()}

    def compared(name: str, other: str, most: float) -> None:
        ratio = rate[name] / rate[other]
        row(f"{name}; {other}, MiB/s", rate[name], rate[other], ratio, least(ratio, most))

    compared("slices", "POST", 0.9)
    compared("one PATCH", "POST", 0.9)
    compared("slices", "copyparty", 0.8)
    compared("one PATCH", "copyparty", 0.8)
    for name in ("slices", "one PATCH", "one PATCH of 60 MiB"):
        ratio = cpu[name] / cpu["POST"]
        row(f"{name}; POST, CPU ms a MiB", cpu[name], cpu["POST"], ratio, goal(ratio, 1.2))
    row("slices; copyparty, CPU ms a MiB", cpu["slices"], cpu["copyparty"], None, "")


def ways_to_send(
    long: Long, peer: OfCopyparty, folder: Path, mib: int
) -> dict[str, Callable[[], Cost]]:
    server, size = long.server, mib * MIB
    posted = document(os.urandom(POSTED))

    def sent(size: int, part: int) -> Cost:
        paths: list[str] = []
        found = cost(server, size / MIB, lambda: paths.append(long.upload(size, part)))
        long.delete(paths[0])
        return found

    def repeated(one: Callable[[], Cost]) -> Cost:
        costs = [one() for _ in range(POSTS)]
        seconds, cpu = sum(one.seconds for one in costs), sum(one.cpu_seconds for one in costs)
        return Cost(sum(one.mib for one in costs), seconds, cpu)

    def post() -> Cost:
        answers: list[Answer] = []

        def call() -> None:
            answers.append(
                good(long.connection.call("POST", "/v1/documents", posted, server.headers))
            )

        found = cost(server, POSTED / MIB, call)
        long.delete(f"/v1/documents/{answers[0].json['id']}")
        return found

    connection, numbers = Connection(peer.server.port), itertools.count()

    def put() -> Cost:
        name = f"long-{next(numbers)}.bin"
        headers = peer.headers | {"Content-Length": str(size)}

        def call() -> None:
            good(connection.call("PUT", f"/{name}", blocks(size), headers))

        found = cost(peer.server, mib, call)
        (folder / "copyparty" / name).unlink()
        return found

    return {
        "slices": lambda: sent(size, SLICE),
        "one PATCH": lambda: sent(size, size),
        "POST": lambda: repeated(post),
        "one PATCH of 60 MiB": lambda: repeated(lambda: sent(POSTED, POSTED)),
        "copyparty": put,
    }


def beside_small_uploads(instance: str, mib: int, rounds: int) -> None:
    """Print what small uploads of another account take beside long ones, and without."""
    with service(instance) as server:
        of_other = server.headers | {"X-API-Key": api_key(server, OTHER_ACCOUNT)}
        request = small_upload(Server("other", server.port, server.pid, of_other))
        server.headers["X-API-Key"] = api_key(server)
        times: dict[str, list[float]] = {"beside": [], "without": []}
        for _ in range(rounds):
            times["without"] += load(server, request, 1, 5).seconds
            with long_uploads(Long(server, Path(instance)), mib * MIB):
                times["beside"] += load(server, request, 1, 5).seconds
        for name, part, most in (("median", 0.5, None), ("p99", 0.99, 1.5)):
            own, other = (quantile(each, part) * 1000 for each in times.values())
            what = f"4 KiB of another account beside a long one; without, {name}, ms"
            row(what, own, other, own / other, goal(own / other, most))


@contextlib.contextmanager
def long_uploads(long: Long, size: int) -> Iterator[None]:
    """Send one long file after the other in one request each, until the block ends."""
    is_over = threading.Event()
    has_begun = threading.Event()

    def send() -> None:
        while not is_over.is_set():
            has_begun.set()
            long.delete(long.upload(size, size))

    thread = threading.Thread(target=send)
    thread.start()
    has_begun.wait()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def after_a_restart(instance: str, mib: int, beside: Path | None, folder: str) -> None:
    """Print how fast the SHA-256 of a file is made again, and the file is read."""
    size = mib * MIB
    with service(instance) as server:
        headers = server.headers | {"X-API-Key": api_key(server)}
        server.headers |= headers
        long = Long(server)
        path = long.begin(size)
        long.send(path, 0, size - 1)
    with service(instance) as server:
        server.headers |= headers
        long = Long(server)
        server.upload(b"abc")
        idle = server.forget_peak()
        long.call("HEAD", path)
        start = time.perf_counter()
        last = long.send(path, size - 1, 1)
        assert "Document-Id" not in last.headers, "the last byte has waited for the digest"
        while not (id := long.call("GET", path).json["documentId"]):
            assert time.perf_counter() - start < PATIENCE_SECONDS, "its document is not there"
            time.sleep(0.02)
        rate = mib / (time.perf_counter() - start)
        row("SHA-256 after a restart, MiB/s", rate, None, None, least(rate, 150))
        reading = cost(server, mib, lambda: long.read(f"/v1/documents/{id}", size))
        above = server.memory_mib() - idle
        what = f"memory for SHA-256 and ranges of {mib:,} MiB above idle, MiB"
        row(what, above, idle, None, goal(above, 64))
    with ours(folder, checkout=beside.resolve() if beside else ROOT) as other:
        _, path = other.upload(os.urandom(POSTED))
        mib = POSTED // MIB * POSTS
        posted = cost(other, mib, lambda: [Long(other).read(path, POSTED) for _ in range(POSTS)])
    whose = "the other checkout's" if beside else "those"
    ratio = reading.rate / posted.rate
    what = f"ranges of 8 MiB; {whose} of 60 MiB"
    row(f"{what}, MiB/s", reading.rate, posted.rate, ratio, least(ratio, 1))
    ratio = reading.cpu_ms / posted.cpu_ms
    row(f"{what}, CPU ms a MiB", reading.cpu_ms, posted.cpu_ms, ratio, goal(ratio, 1))


def small_uploads_of_both(folder: str, beside: Path) -> None:
    """Print the processor time of a small upload, here and at another checkout."""
    body = document(os.urandom(4 << 10))
    with ours(folder) as server, ours(folder, checkout=beside) as other:
        works = {
            name: Work(one, posting(one, body)) for name, one in (("ours", server), ("", other))
        }
        found = cpu_in_turns(works, SMALL_ROUNDS)
    here, there = found.values()
    what = "POST of 4 KiB; the other checkout's, CPU µs"
    row(what, here, there, here / there, goal(here / there, 1.02))


def posting(server: Server, body: bytes) -> Callable[[], object]:
    connection = Connection(server.port)
    return lambda: good(connection.call("POST", "/v1/documents", body, server.headers))


if __name__ == "__main__":
    main()
