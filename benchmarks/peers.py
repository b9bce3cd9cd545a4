"""This service beside peers, in one run, taking turns; what has a goal is printed beside it.

    python3 -m venv /tmp/peers
    /tmp/peers/bin/pip install bepasty waitress fastapi uvicorn cryptography
    .venv/bin/python benchmarks/peers.py /tmp/peers/bin/python [--quick]

bepasty stores files as they are; plain.py is FastAPI as one would write it; both take base64.
"""

import argparse
import contextlib
import http.client
import os
import statistics
import tempfile
import time

from running import (
    Server,
    bare_flask,
    bepasty,
    document,
    machine,
    median_ms,
    ours,
    plain,
)

GOALS = {  # size in KiB: (upload / bepasty's, content / bepasty's, page / content)
    64: (0.8, None, None),
    1024: (None, None, None),
    10 * 1024: (0.55, 1.0, None),
    50 * 1024: (0.45, None, 2.5),
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("peer_python", help="the python of a venv with the peers")
    arguments.add_argument("--quick", action="store_true", help="fewer rounds, shorter lists")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        starting(folder, 1 if given.quick else 5)
        service = stack.enter_context(ours(folder))
        peers = [
            stack.enter_context(bepasty(given.peer_python, folder)),
            stack.enter_context(plain(given.peer_python, folder)),
        ]
        transfers([service, *peers], quick=given.quick)
        small_calls(service, stack.enter_context(bare_flask()))
        deep_lists(service, 800 if given.quick else 8_000)
        print(machine())


def starting(folder: str, rounds: int) -> None:
    times = []
    for _ in range(rounds + 1):  # the first one compiles
        with ours(folder) as service:
            times.append(service.start_seconds)
    figure("start to first answer, s", statistics.median(times[1:]), 1.0)


def transfers(servers: list[Server], *, quick: bool) -> None:
    for kib, goals in GOALS.items():
        rounds = 3 if quick else 61 if kib < 1024 else 15 if kib < 10_240 else 9
        found = Transfers(servers, kib, rounds)
        found.report(goals)
    for server in servers:
        goal = 130 if server.name == "ours" else None
        figure(f"peak memory, {server.name}, MiB", server.memory_mib(), goal)


class Transfers:
    """Up and down, in turns: every server is first, second and last equally often."""

    def __init__(self, servers: list[Server], kib: int, rounds: int) -> None:
        self._kib, self._raw = kib, os.urandom(kib * 1024)
        self._up: dict[str, list[float]] = {server.name: [] for server in servers}
        self._down: dict[str, list[float]] = {server.name: [] for server in servers}
        self._page: list[float] = []
        for number in range(-1, rounds):  # one round to warm up
            turn = number % len(servers)
            for server in servers[turn:] + servers[:turn]:
                self._turn(server, counts=number >= 0)

    def _turn(self, server: Server, *, counts: bool) -> None:
        seconds, path = server.upload(self._raw)
        answer = server.content(path)
        assert answer.body == self._raw
        if counts:
            self._up[server.name].append(seconds)
            self._down[server.name].append(answer.seconds)
        if server.name == "ours":
            page = server.good("GET", path + "/download").seconds
            self._page += [page] if counts else []
        server.delete(path)

    def report(self, goals: tuple[float | None, float | None, float | None]) -> None:
        up = {name: median_ms(found) for name, found in self._up.items()}
        down = {name: median_ms(found) for name, found in self._down.items()}
        print(
            f"{self._kib} KiB, ms up: {listed(up)}; down: {listed(down)}; page "
            f"{median_ms(self._page):.1f}"
        )
        figure("  upload / bepasty's", up["ours"] / up["bepasty"], goals[0])
        figure("  content / bepasty's", down["ours"] / down["bepasty"], goals[1])
        figure("  page / content", median_ms(self._page) / down["ours"], goals[2])
        figure("  upload / plain FastAPI's", up["ours"] / up["plain, busy_timeout"])
        figure("  content / plain FastAPI's", down["ours"] / down["plain, busy_timeout"])


def listed(times: dict[str, float]) -> str:
    return ", ".join(f"{name.split(',')[0]} {ms:.1f}" for name, ms in times.items())


def small_calls(service: Server, bare: Server) -> None:
    """A list by API key beside a bare Flask hello: seconds a call, on a kept connection."""
    own, floor = [], []
    for _ in range(7):
        own.append(rate(service, "/v1/documents?limit=1"))
        floor.append(rate(bare, "/"))
    print(f"list by API key {median_ms(own):.2f} ms, bare Flask {median_ms(floor):.2f} ms")
    figure("  list / bare Flask", statistics.median(own) / statistics.median(floor), 2.2)


def deep_lists(service: Server, count: int) -> None:
    """A page of 50 where 60 documents are, and one deep in many more."""
    fill(service, 60)
    first = median_ms([rate(service, "/v1/documents", 60) for _ in range(5)])
    fill(service, count)
    cursor = ""
    for _ in range(count // 100 * 7 // 8):
        path = "/v1/documents?limit=100" + cursor
        cursor = "&cursor=" + service.good("GET", path).json["nextCursor"]
    path = "/v1/documents?limit=50" + cursor
    deep = median_ms([rate(service, path, 60) for _ in range(5)])
    print(
        f"a page of 50: of 60 {first:.2f} ms, {count * 7 // 8} deep of {count + 60} {deep:.2f} ms"
    )
    figure("  deep / first", deep / first, 1.4)


def fill(service: Server, count: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", service.port)
    for _ in range(count):
        connection.request("POST", "/v1/documents", document(b"abc"), service.headers)
        connection.getresponse().read()
    connection.close()


def rate(server: Server, path: str, count: int = 300) -> float:
    """Seconds a call."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    begun = 0.0
    for number in range(count + 20):
        if number == 20:
            begun = time.perf_counter()
        connection.request("GET", path, None, server.headers)
        connection.getresponse().read()
    spent = time.perf_counter() - begun
    connection.close()
    return spent / count


def figure(name: str, value: float, goal: float | None = None) -> None:
    beside = "" if goal is None else f"   goal {goal}: {'met' if value <= goal else 'MISSED'}"
    print(f"{name:<36} {value:8.2f}{beside}", flush=True)


if __name__ == "__main__":
    main()
