"""A benchmark of what a stranger waits for while one caller, or two, ask for as much as they can.

    .venv/bin/python benchmarks/callers.py

Slow requests are uploads while another program holds the lock of the database: each keeps a worker
for five seconds, and is sent again. Meanwhile a stranger asks for `/docs`, which needs a worker,
and for `/healthz`, which needs none. Sixteen slow requests come from one account, then from one
person with ten spaces, by sessions and keys of all of them: both are one caller, so a p99 of 100 ms
is the goal of both. Two accounts are two callers, who have all workers: that is for comparison. In
the fourth flood two accounts hold all 500 connections that there are; the goal is that `/healthz`
is always answered.

In the last flood nobody is slow: 120 connections of one network ask for the page of the login
without pause, and the stranger comes from another network.
"""

import contextlib
import http.client
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator

from figures import goal, machine, quantile, row, table
from floods import another_user, beside
from running import Server, document, ours

SECONDS = 10.0
WORKERS, CONNECTIONS, SPACES = 16, 500, 10
STRANGER = "127.0.0.2"
UPLOAD = document(b"a text", "text/plain")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, ours(folder) as service:
        one, another = another_user(service), another_user(service)
        person = owners_of(one)
        floods: dict[str, tuple[int, list[Server]]] = {
            "16 slow requests of one account": (WORKERS, [one]),
            "… of one person with ten spaces": (WORKERS, person),
            "8 of each of two accounts": (WORKERS, [one, another]),
            "500 connections of two accounts": (CONNECTIONS, [one, another]),
        }
        names = ("/docs answered", "p50, ms", "p99, ms", "longest, ms", "goal")
        of_health = ("/healthz answered", "p99, ms", "longest, ms")
        table("a stranger, beside", *names, *of_health, "the flood was answered")
        show("nothing", *stranger(service), 100, "")
        with nobody_writes(f"{folder}/ours-{service.port}"):
            for name, (clients, owners) in floods.items():
                measured, answered = beside(
                    clients, slow(service, owners), lambda: stranger(service)
                )
                most = 100 if len(owners) != 2 else None
                show(name, *measured, most, answered)
        measured, answered = beside(120, logins(service), lambda: stranger(service))
        show("120 connections of one network", *measured, None, answered)
    print(machine())


def owners_of(person: Server) -> list[Server]:
    """Return the person, and the sessions and API keys of ten spaces that the person makes."""
    owners = [person]
    for number in range(SPACES):
        body = json.dumps({"name": f"Space {number}"}).encode()
        space = person.good("POST", "/v1/spaces", body).json["id"]
        token = person.good("POST", f"/v1/spaces/{space}/sessions").json["accessToken"]
        session = Server("ours", person.port, person.pid, {"Authorization": f"Bearer {token}"})
        session.headers["Content-Type"] = "application/json"
        key = session.good("POST", "/v1/api-keys", b"{}").json["key"]
        headers = {"X-API-Key": key, "Content-Type": "application/json"}
        owners += [session, Server("ours", person.port, person.pid, headers)]
    return owners


@contextlib.contextmanager
def nobody_writes(instance: str) -> Iterator[None]:
    """Hold the lock of the database, for which each write waits five seconds."""
    with contextlib.closing(sqlite3.connect(f"{instance}/documents.sqlite")) as database:
        database.isolation_level = None
        database.execute("BEGIN IMMEDIATE")
        yield
        database.execute("ROLLBACK")


def slow(service: Server, owners: list[Server]) -> Callable[[int], int]:
    def upload(number: int) -> int:
        owner = owners[number % len(owners)]
        try:
            return service.call("POST", "/v1/documents", UPLOAD, owner.headers).status
        except OSError:  # no connection was left, or the service closed it
            time.sleep(0.1)
            return 599

    return upload


def logins(service: Server) -> Callable[[int], int]:
    return lambda _: service.call("GET", "/app/login", headers={}).status


def stranger(service: Server) -> tuple[list[float], list[float]]:
    """Return the seconds of calls to `/docs` and `/healthz`, infinite if there was no answer."""
    docs: list[float] = []
    health: list[float] = []
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        for path, seconds in (("/docs", docs), ("/healthz", health)):
            seconds.append(seconds_of(service, path))
        time.sleep(0.02)
    return docs, health


def seconds_of(service: Server, path: str) -> float:
    start = time.perf_counter()
    source = (STRANGER, 0)
    connection = http.client.HTTPConnection(
        "127.0.0.1", service.port, timeout=SECONDS, source_address=source
    )
    with contextlib.closing(connection), contextlib.suppress(OSError):
        connection.request("GET", path)
        if connection.getresponse().read() is not None:
            return time.perf_counter() - start
    return float("inf")


def show(
    name: str, docs: list[float], health: list[float], most_ms: float | None, answered: str
) -> None:
    cells: list[str | float] = []
    for seconds, parts in ((docs, (0.5, 0.99, 1)), (health, (0.99, 1))):
        ended = [one for one in seconds if one != float("inf")]
        cells.append(f"{len(ended):,} of {len(seconds):,}")
        cells += [quantile(seconds, part) * 1000 for part in parts]
        if seconds is docs:
            cells.append(goal(quantile(seconds, 0.99) * 1000, most_ms))
    row(name, *cells, answered)


if __name__ == "__main__":
    main()
