"""How twenty people who log in all the time slow down other callers.

    .venv/bin/python benchmarks/login_flood.py

Four callers with API keys list and fetch documents on persistent connections, while twenty threads
log in with the right password without pause. In the second flood they open links with a password,
in the third they encrypt files with one: links have a queue of password hashes, logins another.
Prints p50 and p99 of the four callers in milliseconds, and the ratios; the goal is a p99 below
50 ms in every flood. The last table compares the two refused logins, which should take the same
time.
"""

import http.client
import json
import tempfile
import threading
import time
from collections import Counter
from multiprocessing import Event, Process, SimpleQueue
from multiprocessing.queues import SimpleQueue as Answered
from multiprocessing.synchronize import Event as EventType
from typing import Any

from figures import goal, machine, median_ms, quantile, row, table
from running import ACCOUNT, Server, document, ours

CALLERS, FLOOD, SECONDS = 4, 20, 6.0
Request = tuple[str, dict[str, str], dict[str, str]]  # path, body, credentials


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, ours(folder, DOCSERVICE_RATE_LIMITS="on") as one:
        run(one)
    with tempfile.TemporaryDirectory() as folder, ours(folder) as one:
        refused_logins(one)
    print(machine())


def run(service: Server) -> None:
    path = "/v1/documents/" + made(service, "/v1/documents", document(b"abc"))["id"]
    link = made(service, f"{path}/tokens", b'{"password": "of the link"}')["token"]
    holder = {"Authorization": f"Bearer {link}"}
    key = {"X-API-Key": service.headers["X-API-Key"]}
    names = ("calls", "p50, ms", "p99, ms", "longest, ms", "p50 / alone", "p99 / alone", "goal")
    table("four callers, beside a flood of", *names, "the flood was answered")
    alone = others(service, path)
    show("nothing", alone, alone, "")
    requests: dict[str, Request] = {
        "logins": ("/v1/auth/login", ACCOUNT, {}),
        "link passwords": (f"{path}/view", {"password": "of the link"}, holder),
        "sealed files": (f"{path}/download", {"password": "new"}, key),
    }
    for name, request in requests.items():
        found, answered = beside(service, path, request)
        counts_text = ", ".join(
            f"{count:,} x {status}" for status, count in sorted(answered.items())
        )
        show(name, found, alone, counts_text)


def refused_logins(service: Server, rounds: int = 30) -> None:
    """A wrong password and an unknown e-mail address, in turns."""
    times: dict[str, list[float]] = {ACCOUNT["email"]: [], "nobody@example.com": []}
    for _ in range(rounds):
        for email, seconds in times.items():
            body = json.dumps({"email": email, "password": "a wrong password"}).encode()
            sent = {"Content-Type": "application/json"}
            answer = service.call("POST", "/v1/auth/login", body, sent)
            assert answer.status == 401, answer.status
            seconds.append(answer.seconds)
    known, unknown = map(median_ms, times.values())
    table("a refused login", "wrong password, ms", "unknown address, ms", "ratio")
    row("median", known, unknown, known / unknown)


def beside(service: Server, path: str, request: Request) -> tuple[list[float], Counter[int]]:
    """Return the seconds of the other calls during the flood, and the statuses of the flood."""
    answered, stopped = SimpleQueue(), Event()
    flood = Process(target=run_flood, args=(service, request, answered, stopped))
    flood.start()
    time.sleep(1)
    found = others(service, path)
    stopped.set()
    counts = Counter(iter(answered.get, 0))
    flood.join()
    return found, counts


def run_flood(
    service: Server, request: Request, answered: "Answered[int]", stopped: EventType
) -> None:
    """Run the flood in a process of its own, so that it does not slow down the measurement."""
    each = (service, request, answered, stopped)
    together(FLOOD, lambda: repeat(*each))
    answered.put(0)


def repeat(
    service: Server, request: Request, answered: "Answered[int]", stopped: EventType
) -> None:
    """A client that gets a 503 retries after 0.1 s: far earlier than Retry-After says."""
    path, body, credentials = request
    sent = {"Content-Type": "application/json"} | credentials
    while not stopped.is_set():
        status = service.call("POST", path, json.dumps(body).encode(), sent).status
        answered.put(status)
        time.sleep(0.1 if status == 503 else 0)


def others(service: Server, path: str) -> list[float]:
    """Return the seconds of each call of all callers."""
    times: list[float] = []
    together(CALLERS, lambda: work(service, path, times))
    return times


def work(service: Server, path: str, times: list[float]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", service.port)
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        for target in ("/v1/documents?limit=10", path, f"{path}/content"):
            start = time.perf_counter()
            connection.request("GET", target, headers=service.headers)
            answer = connection.getresponse()
            answer.read()
            times.append(time.perf_counter() - start)
            assert answer.status == 200, answer.status
            time.sleep(0.005)
    connection.close()


def together(count: int, work: Any) -> None:
    threads = [threading.Thread(target=work) for _ in range(count)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()


def show(name: str, found: list[float], alone: list[float], counts_text: str) -> None:
    p50, p99, longest = (quantile(found, part) * 1000 for part in (0.5, 0.99, 1))
    ratios = (p50 / 1000 / quantile(alone, 0.5), p99 / 1000 / quantile(alone, 0.99))
    row(name, f"{len(found):,}", p50, p99, longest, *ratios, goal(p99, 50), counts_text)


def made(service: Server, path: str, body: bytes) -> dict[str, str]:
    record: dict[str, str] = service.good("POST", path, body).json
    return record


if __name__ == "__main__":
    main()
