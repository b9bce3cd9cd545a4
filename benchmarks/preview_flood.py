"""How connections that ask for previews of expensive documents slow down other callers.

    .venv/bin/python benchmarks/preview_flood.py

Twenty-four threads open one link of a PDF that takes seconds to draw, without pause; in the second
flood each has a link of its own, to a document of its own, that all belong to one user, and uploads
it anew when it was shown. Beside them `/healthz` is asked, and another user views a document.
Prints p50, p99 and the longest of both in milliseconds, and what the flood was answered. The goal
is a p99 of 250 ms for `/healthz`. The last table compares the second view of a document with its
first view and with its content.
"""

import base64
import json
import tempfile
import threading
import time
from collections import Counter
from multiprocessing import Event, Process, SimpleQueue
from multiprocessing.queues import SimpleQueue as Answered
from multiprocessing.synchronize import Event as EventType

from figures import goal, machine, median_ms, quantile, row, table
from running import Server, ours

CONNECTIONS, SECONDS = 24, 10.0
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


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, ours(folder) as service:
        names = ("healthz p50, ms", "p99, ms", "longest, ms", "goal", "view p50, ms", "p99, ms")
        table(f"beside {CONNECTIONS} connections that open", *names, "they were answered")
        show("nothing", *others(service), "")
        show("one link", *beside(service, one_document=True))
        show("as many documents of one user", *beside(service, one_document=False))
        second_views(service)
    print(machine())


def beside(service: Server, *, one_document: bool) -> tuple[list[float], list[float], str]:
    answered, stopped = SimpleQueue(), Event()
    flood = Process(target=run_flood, args=(service, one_document, answered, stopped))
    flood.start()
    time.sleep(1)
    found = others(service)
    stopped.set()
    counts = Counter(iter(answered.get, 0))
    flood.join()
    return *found, ", ".join(f"{count:,} x {status}" for status, count in sorted(counts.items()))


def run_flood(
    service: Server, one_document: bool, answered: "Answered[int]", stopped: EventType
) -> None:
    """Run the flood in a process of its own, so that it does not slow down the measurement."""
    shared = link(service, 0)

    def repeat(number: int) -> None:
        path, status, made = shared, 0, 0
        while not stopped.is_set():
            if not one_document and status != 503:
                made += 1
                path = link(service, number * 1_000 + made)
            status = service.call("GET", path, headers={}).status
            answered.put(status)

    threads = [threading.Thread(target=repeat, args=(number,)) for number in range(CONNECTIONS)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    answered.put(0)


def link(service: Server, number: int) -> str:
    """The path of a link to a new document; the number makes the file another one."""
    record = service.good(
        "POST", "/v1/documents", body(SLOW_PDF + b"%" + str(number).encode(), "application/pdf")
    ).json
    return f"/v1/documents/{record['id']}/view?token={record['token']['token']}"


def body(raw: bytes, content_type: str) -> bytes:
    payload = base64.b64encode(raw).decode()
    return json.dumps({"contentType": content_type, "payload": payload}).encode()


def others(service: Server) -> tuple[list[float], list[float]]:
    """Seconds of calls to `/healthz`, and of another user's views of new documents."""
    health: list[float] = []
    views: list[float] = []
    user = another_user(service)
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        made = user.good("POST", "/v1/documents", body(b"# Title", "text/markdown")).json
        views.append(user.good("GET", f"/v1/documents/{made['id']}/view").seconds)
        for _ in range(20):
            health.append(service.good("GET", "/healthz").seconds)
            time.sleep(0.01)
    return health, views


def another_user(service: Server) -> Server:
    account = json.dumps({"email": f"{time.time_ns()}@example.com", "password": "long enough"})
    service.call(
        "POST", "/v1/auth/register", account.encode(), {"Content-Type": "application/json"}
    )
    answer = service.call(
        "POST", "/v1/auth/login", account.encode(), {"Content-Type": "application/json"}
    )
    session = {"Authorization": f"Bearer {answer.json['accessToken']}"}
    return Server("ours", service.port, service.pid, {"Content-Type": "application/json"} | session)


def show(name: str, health: list[float], views: list[float], answered: str) -> None:
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
        made = service.good("POST", "/v1/documents", body(raw, content_type)).json
        path = f"/v1/documents/{made['id']}"
        first = service.good("GET", f"{path}/view").seconds * 1000
        again = median_ms([service.good("GET", f"{path}/view").seconds for _ in range(20)])
        content = median_ms([service.good("GET", f"{path}/content").seconds for _ in range(20)])
        row(content_type, f"{len(raw):,}", first, again, content, again / content, "≤ 2")


if __name__ == "__main__":
    main()
