"""This service beside its peers, measured in turns, with the goals.

    python3 -m venv /tmp/peers
    /tmp/peers/bin/pip install bepasty waitress fastapi uvicorn cryptography
    .venv/bin/python benchmarks/peers.py /tmp/peers/bin/python [--quick]

bepasty stores files unencrypted; plain.py is a short FastAPI application; both take base64.
"""

import argparse
import contextlib
import http.client
import os
import statistics
import tempfile
import time

from figures import goal, machine, median_ms, row, table
from running import Server, bare_flask, bepasty, document, ours, plain

GOALS = {  # size in KiB: (upload / bepasty's, content / bepasty's)
    64: (1.3, 1.1),
    1024: (None, None),
    10 * 1024: (0.5, 1.0),
    50 * 1024: (0.36, 1.0),
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("peer_python", help="the python of a venv with the peers")
    arguments.add_argument("--quick", action="store_true", help="fewer rounds, shorter lists")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        service = stack.enter_context(ours(folder))
        peers = [
            stack.enter_context(bepasty(given.peer_python, folder)),
            stack.enter_context(plain(given.peer_python, folder)),
        ]
        page, content = transfers([service, *peers], quick=given.quick)
        table("", "ours", "beside it", "ratio", "goal")
        beside("page of 50 MiB; its content, ms", page, content, 2.0)
        small_calls(service, stack.enter_context(bare_flask()))
        count = 800 if given.quick else 8_000
        deep_lists(service, count)
        search(service, count + 60)
        start_seconds = starting(folder, 1 if given.quick else 5)
        row("from start to first answer, s", start_seconds, None, None, goal(start_seconds, 1.0))
    print(machine())


def transfers(servers: list[Server], *, quick: bool) -> tuple[float, float]:
    """Returns milliseconds of the largest page and content."""
    table("", "ours", "bepasty", "plain FastAPI", "ours / bepasty", "ours / plain", "goal")
    for kib, goals in GOALS.items():
        rounds = 3 if quick else 61 if kib < 1024 else 21 if kib < 10_240 else 9
        found = Transfers(servers, kib, rounds)
        found.report(goals)
    peak = [server.memory_mib() for server in servers]
    compared("peak memory, MiB", peak, goal(peak[0], 130))
    return median_ms(found.page), median_ms(found.down["ours"])


class Transfers:
    """Up and down, in turns: every server is first, second and last equally often."""

    def __init__(self, servers: list[Server], kib: int, rounds: int) -> None:
        self._kib, self._raw = kib, os.urandom(kib * 1024)
        self.up: dict[str, list[float]] = {server.name: [] for server in servers}
        self.down: dict[str, list[float]] = {server.name: [] for server in servers}
        self.page: list[float] = []
        for number in range(-1, rounds):  # one round to warm up
            turn = number % len(servers)
            for server in servers[turn:] + servers[:turn]:
                self._turn(server, counts=number >= 0)

    def _turn(self, server: Server, *, counts: bool) -> None:
        seconds, path = server.upload(self._raw)
        answer = server.content(path)
        assert answer.body == self._raw
        if counts:
            self.up[server.name].append(seconds)
            self.down[server.name].append(answer.seconds)
        if server.name == "ours":
            page = server.good("GET", path + "/download").seconds
            self.page += [page] if counts else []
        server.delete_large(path, len(self._raw))

    def report(self, goals: tuple[float | None, float | None]) -> None:
        size = f"{self._kib} KiB" if self._kib < 1024 else f"{self._kib // 1024} MiB"
        for name, found, most in zip(
            ("upload", "content"), (self.up, self.down), goals, strict=True
        ):
            ms = [median_ms(times) for times in found.values()]
            compared(f"{name}, {size}, ms", ms, goal(ms[0] / ms[1], most))


def compared(name: str, values: list[float], most: str) -> None:
    """Ours, bepasty's and the plain one's."""
    row(name, *values, values[0] / values[1], values[0] / values[2], most)


def beside(name: str, own: float, other: float, most: float) -> None:
    row(name, own, other, own / other, goal(own / other, most))


def small_calls(service: Server, bare: Server) -> None:
    """Each call on a kept connection, in turns."""
    own, floor = [], []
    for _ in range(7):
        own.append(rate(service, "/v1/documents?limit=1"))
        floor.append(rate(bare, "/"))
    beside("list by API key; a bare Flask hello, ms", median_ms(own), median_ms(floor), 1.8)


def deep_lists(service: Server, count: int) -> None:
    """A page of 50 where 60 documents are, and one deep in many more."""
    fill(service, 60)
    first = median_ms([rate(service, "/v1/documents", 60) for _ in range(5)])
    fill(service, count)
    cursor, deep_rows = "", count * 7 // 8
    for _ in range(deep_rows // 100):
        path = "/v1/documents?limit=100" + cursor
        cursor = "&cursor=" + service.good("GET", path).json["nextCursor"]
    path = "/v1/documents?limit=50" + cursor
    deep = median_ms([rate(service, path, 60) for _ in range(5)])
    name = f"page of 50, {deep_rows:,} deep in {count + 60:,}; first of 60, ms"
    beside(name, deep, first, 1.4)


def search(service: Server, count: int) -> None:
    """Every name is decrypted and none matches; the goal is 0.1 ms a document."""
    path = "/v1/documents?name=nowhere"
    ms = median_ms([service.good("GET", path).seconds for _ in range(5)])
    row(f"search of {count:,} names, ms", ms, None, None, goal(ms, count / 10))


def fill(service: Server, count: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", service.port)
    for _ in range(count):
        connection.request("POST", "/v1/documents", document(b"abc"), service.headers)
        connection.getresponse().read()
    connection.close()


def rate(server: Server, path: str, count: int = 300) -> float:
    """Seconds a call."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    start = 0.0
    for number in range(count + 20):
        if number == 20:
            start = time.perf_counter()
        connection.request("GET", path, None, server.headers)
        connection.getresponse().read()
    spent = time.perf_counter() - start
    connection.close()
    return spent / count


def starting(folder: str, rounds: int) -> float:
    times = []
    for _ in range(rounds):
        with ours(folder) as service:
            times.append(service.start_seconds)
    return statistics.median(times)


if __name__ == "__main__":
    main()
