"""A benchmark of how floods of expensive calls slow down other callers.

    .venv/bin/python benchmarks/floods.py logins
    .venv/bin/python benchmarks/floods.py previews

Logins: four callers with API keys list and fetch documents on persistent connections, while twenty
threads log in with the right password without pause. In the second flood they open links with a
password, in the third they encrypt files with one: links have a queue of password hashes, logins
another. Prints p50 and p99 of the four callers in milliseconds, and the ratios; the goal is a p99
below 50 ms in every flood. The last table compares the two refused logins, which should take the
same time.

Previews: twenty-four threads open one link of a PDF that takes seconds to draw, without pause; in
the second flood each thread has a link of its own, to a document of its own, that all belong to one
user, and uploads the document anew when it was shown. Meanwhile the benchmark asks `/healthz`, and
another user views a document. It prints p50, p99 and the longest of both in milliseconds, and the
answers to the flood. The goal is a p99 of 250 ms for `/healthz`. The last table compares the second
view of a document with its first view and with its content.
"""

import http.client
import json
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from multiprocessing import Event, Process, SimpleQueue
from multiprocessing.queues import SimpleQueue as Answered
from multiprocessing.synchronize import Event as EventType
from typing import TypeVar

from figures import goal, machine, median_ms, quantile, row, table
from running import ACCOUNT, Server, document, ours

CALLERS, FLOOD, LOGIN_SECONDS = 4, 20, 6.0
CONNECTIONS, PREVIEW_SECONDS = 24, 10.0
STROKES = "0 0 m 300 200 l 0 200 m 300 0 l S " * 20  # thick dashes, which PDFium draws slowly
SLOW_PDF = f"""%PDF-1.7
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R>>endobj
4 0 obj<</Length {len(STROKES) + 18}>>stream
90 w [.1 .1] 0 d {STROKES}
endstream endobj
trailer<</Root 1 0 R>>
""".encode()
PAGE = b"<h1>Report</h1>" + b"<p>Some text of a report, <b>bold</b> and plain.</p>\n" * 20_000
TEXTS = {
    "text/html": PAGE,
    "text/markdown": b"# Title\n\nSome *text* of a report.\n" * 12_000,
    "text/csv": b"name,amount,place\n" + b"Miller,31.5,Berlin\n" * 60_000,
    "text/plain": b"Some text of a report, a line of it.\n" * 40_000,
}
JSON = {"Content-Type": "application/json"}
T = TypeVar("T")


def main(flood: str) -> None:
    limits = "on" if flood == "logins" else "off"
    with tempfile.TemporaryDirectory() as folder:
        with ours(folder, DOCSERVICE_RATE_LIMITS=limits) as service:
            (logins if flood == "logins" else previews)(service)
        if flood == "logins":
            with ours(folder) as service:
                refused_logins(service)
    print(machine())


def beside(clients: int, ask: Callable[[int], int], measure: Callable[[], T]) -> tuple[T, str]:
    """Return the result of `measure` during a flood, and the numbers of the flood's answers.

    `ask` gets the number of a client and returns a status; all clients call it without pause, in a
    process of their own, so that they do not slow down the measurement.
    """
    answered, stopped = SimpleQueue(), Event()
    flood = Process(target=_flood, args=(clients, ask, answered, stopped))
    flood.start()
    time.sleep(1)
    measured = measure()
    stopped.set()
    counts = Counter(iter(answered.get, 0))
    flood.join()
    return measured, ", ".join(f"{count:,} x {status}" for status, count in sorted(counts.items()))


def _flood(
    clients: int, ask: Callable[[int], int], answered: "Answered[int]", stopped: EventType
) -> None:
    def client(number: int) -> None:
        while not stopped.is_set():
            answered.put(ask(number))

    together(clients, client)
    answered.put(0)


def together(count: int, work: Callable[[int], None]) -> None:
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# Logins


def logins(service: Server) -> None:
    path = "/v1/documents/" + made(service, "/v1/documents", document(b"abc"))["id"]
    link = made(service, f"{path}/tokens", b'{"password": "of the link"}')["token"]
    holder = {"Authorization": f"Bearer {link}"}
    key = {"X-API-Key": service.headers["X-API-Key"]}
    names = ("calls", "p50, ms", "p99, ms", "longest, ms", "p50 / alone", "p99 / alone", "goal")
    table("four callers, beside a flood of", *names, "the flood was answered")
    alone = callers(service, path)
    show_callers("nothing", alone, alone, "")
    requests = {  # path, body, credentials
        "logins": ("/v1/auth/login", ACCOUNT, {}),
        "link passwords": (f"{path}/view", {"password": "of the link"}, holder),
        "sealed files": (f"{path}/download", {"password": "new"}, key),
    }
    for name, (target, body, credentials) in requests.items():
        ask = posting(service, target, json.dumps(body).encode(), JSON | credentials)
        seconds, answered = beside(FLOOD, ask, lambda: callers(service, path))
        show_callers(name, seconds, alone, answered)


def posting(
    service: Server, path: str, body: bytes, headers: dict[str, str]
) -> Callable[[int], int]:
    """Return a client that retries 0.1 s after a 503: far earlier than Retry-After says."""

    def post(_: int) -> int:
        status = service.call("POST", path, body, headers).status
        time.sleep(0.1 if status == 503 else 0)
        return status

    return post


def callers(service: Server, path: str) -> list[float]:
    """Return the seconds of each call of all callers."""
    times: list[float] = []
    together(CALLERS, lambda _: work(service, path, times))
    return times


def work(service: Server, path: str, times: list[float]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", service.port)
    until = time.monotonic() + LOGIN_SECONDS
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


def show_callers(name: str, found: list[float], alone: list[float], counts_text: str) -> None:
    p50, p99, longest = (quantile(found, part) * 1000 for part in (0.5, 0.99, 1))
    ratios = (p50 / 1000 / quantile(alone, 0.5), p99 / 1000 / quantile(alone, 0.99))
    row(name, f"{len(found):,}", p50, p99, longest, *ratios, goal(p99, 50), counts_text)


def made(service: Server, path: str, body: bytes) -> dict[str, str]:
    record: dict[str, str] = service.good("POST", path, body).json
    return record


def refused_logins(service: Server, rounds: int = 30) -> None:
    """Compare a wrong password and an unknown e-mail address, in turns."""
    times: dict[str, list[float]] = {ACCOUNT["email"]: [], "nobody@example.com": []}
    for _ in range(rounds):
        for email, seconds in times.items():
            body = json.dumps({"email": email, "password": "a wrong password"}).encode()
            answer = service.call("POST", "/v1/auth/login", body, JSON)
            assert answer.status == 401, answer.status
            seconds.append(answer.seconds)
    known, unknown = map(median_ms, times.values())
    table("a refused login", "wrong password, ms", "unknown address, ms", "ratio")
    row("median", known, unknown, known / unknown)


# Previews


def previews(service: Server) -> None:
    names = ("healthz p50, ms", "p99, ms", "longest, ms", "goal", "view p50, ms", "p99, ms")
    table(f"beside {CONNECTIONS} connections that open", *names, "they were answered")
    show_views("nothing", *views(service), "")
    shared, numbers = link(service, 0), iter(range(1, 1 << 30))
    opened = dict.fromkeys(range(CONNECTIONS), "")  # a path by the number of its connection

    def open_own(number: int) -> int:
        opened[number] = opened[number] or link(service, next(numbers))
        status = service.call("GET", opened[number], headers={}).status
        if status != 503:
            opened[number] = ""
        return status

    floods = {
        "one link": lambda _: service.call("GET", shared, headers={}).status,
        "as many documents of one user": open_own,
    }
    for name, ask in floods.items():
        measured, answered = beside(CONNECTIONS, ask, lambda: views(service))
        show_views(name, *measured, answered)
    second_views(service)


def link(service: Server, number: int) -> str:
    """Return the path of a link to a new document; the number makes the file another one."""
    record = service.good(
        "POST", "/v1/documents", document(SLOW_PDF + b"%" + str(number).encode(), "application/pdf")
    ).json
    return f"/v1/documents/{record['id']}/view?token={record['token']['token']}"


def views(service: Server) -> tuple[list[float], list[float]]:
    """Return the seconds of calls to `/healthz`, and of another user's views of new documents."""
    health: list[float] = []
    shown: list[float] = []
    user = another_user(service)
    until = time.monotonic() + PREVIEW_SECONDS
    while time.monotonic() < until:
        made = user.good("POST", "/v1/documents", document(b"# Title", "text/markdown")).json
        shown.append(user.good("GET", f"/v1/documents/{made['id']}/view").seconds)
        for _ in range(20):
            health.append(service.good("GET", "/healthz").seconds)
            time.sleep(0.01)
    return health, shown


def another_user(service: Server) -> Server:
    account = json.dumps({"email": f"{time.time_ns()}@example.com", "password": "long enough"})
    service.call("POST", "/v1/auth/register", account.encode(), JSON)
    answer = service.call("POST", "/v1/auth/login", account.encode(), JSON)
    session = {"Authorization": f"Bearer {answer.json['accessToken']}"}
    return Server("ours", service.port, service.pid, JSON | session)


def show_views(name: str, health: list[float], views: list[float], answered: str) -> None:
    of_health = [quantile(health, part) * 1000 for part in (0.5, 0.99, 1)]
    of_views = [quantile(views, part) * 1000 for part in (0.5, 0.99)]
    row(name, *of_health, goal(of_health[1], 250), *of_views, answered)


def second_views(service: Server) -> None:
    table(
        "a document of",
        "bytes",
        "first view, ms",
        "second view, ms",
        "content, ms",
        "ratio",
        "goal",
    )
    for content_type, raw in {**TEXTS, "application/pdf": SLOW_PDF}.items():
        made = service.good("POST", "/v1/documents", document(raw, content_type)).json
        path = f"/v1/documents/{made['id']}"
        first = service.good("GET", f"{path}/view").seconds * 1000
        again = median_ms([service.good("GET", f"{path}/view").seconds for _ in range(20)])
        content = median_ms([service.good("GET", f"{path}/content").seconds for _ in range(20)])
        row(content_type, f"{len(raw):,}", first, again, content, again / content, "≤ 2")


if __name__ == "__main__":
    main(sys.argv[1])
