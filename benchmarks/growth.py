"""What requests and commands cost with 1,000 and 100,000 documents, or so many as are given.

    python benchmarks/growth.py [1000 100000 1000000] [--keep DIR] [--beside DIR]

An instance of each size is filled (`filling.py`), or taken from the folder that `--keep` names,
which keeps what is filled. The first tables have the CPU time of requests of an account with 30 %
of the documents, and of one with 180, and what they read of files; the last one has the CPU time
of a start and of commands, their memory, and the bytes of the file. `--beside` names another
checkout, with an environment of its own, whose figures stand beside. To fill a million takes half
an hour, and 10 GB.
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from figures import MIB, machine, median_ms, quantile, row, table
from filling import BIG, PASSWORD, SMALL
from running import HERE, ROOT, Server, document, free_port, started

TIMES = 5
CALLS = 4  # at a time
CLIENTS = 4
SECONDS = 8
DAY_SECONDS = 24 * 60 * 60
UPLOAD = document(bytes(4096), "text/plain")
JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
COMMANDS = {  # in this order: those that write are last
    "backup": ("backup", "{other}/backup.sqlite"),
    "doctor": ("doctor",),
    "audit verify": ("audit", "verify"),
    "keys check": ("keys", "check"),
    "sweep": ("sweep",),
    "keys rotate": ("keys", "rotate"),
}


class Cost(NamedTuple):
    cpu_ms: float
    read_kib: float  # of files


@dataclass
class Account:
    """An account of a service, by its API key and by the cookie of a browser."""

    server: Server
    by_key: dict[str, str]
    by_cookie: dict[str, str]
    by_session: dict[str, str]
    uploaded: list[str] = field(default_factory=list)

    def get(self, path: str) -> None:
        headers = self.by_cookie if path.startswith("/app") else self.by_key
        if path.startswith("/v1/auth"):
            headers = self.by_session
        answer = self.server.call("GET", path, headers=headers)
        assert answer.status == 200, (path, answer.status, answer.body[:300])

    def upload(self) -> None:
        answer = self.server.call("POST", "/v1/documents", UPLOAD, self.by_key | JSON)
        assert answer.status == 201, answer.body[:300]
        self.uploaded.append(answer.json["id"])

    def read(self) -> None:
        self.get(f"/v1/documents/{self.uploaded[-1]}/content")

    def delete(self) -> None:
        path = f"/v1/documents/{self.uploaded.pop()}"
        assert self.server.call("DELETE", path, headers=self.by_key).status == 204


def _reading(path: str) -> Callable[[Account], None]:
    return lambda account: account.get(path)


def _moment(days: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - days * DAY_SECONDS))


REQUESTS: dict[str, Callable[[Account], None]] = {
    "upload of 4 KiB": Account.upload,
    "its content": Account.read,
    "its deletion": Account.delete,
    **{
        path: _reading(path)
        for path in (
            "/metrics",
            "/v1/auth/me",
            "/v1/documents",
            "/v1/documents?contentType=text/x-none",
            f"/v1/documents?createdBefore={_moment(40)}",
            f"/v1/documents?createdAfter={_moment(-1)}",
            "/v1/documents?name=absent",
            "/v1/tokens?limit=20",
            "/v1/tokens?state=ended",
            "/v1/events",
            "/v1/events?type=webhook.disabled",
            "/v1/collections",
            "/app/documents",
            "/app/documents?sort=oldest",
            "/app/documents?sort=largest",
            "/app/documents?sort=largest&page=999999",
            "/app/documents?type=PDF",
            "/app/documents?is=shared",
            "/app/documents?is=received",
            "/app/documents?name=absent",
            "/app/bin",
            "/app/account",
            "/app/account/delete",
            "/app/links",
            "/app/links?state=ended",
            "/app/collections",
            "/app/activity",
            "/app/activity?type=webhook.disabled",
        )
    },
}


@contextlib.contextmanager
def served(folder: Path, checkout: Path) -> Iterator[tuple[Server, float]]:
    """Run the service of a checkout over a folder; yield it, and the CPU seconds of its start."""
    port = free_port()
    environment = _environment(folder) | {
        "DOCSERVICE_LISTEN": f"127.0.0.1:{port}",
        "DOCSERVICE_QUOTA_DOCUMENTS": "10000000",
        "DOCSERVICE_METRICS": "on",
    }
    command = [_python(checkout), "app.py"]
    with started(command, port, "/readyz", environment, checkout=checkout) as pid:
        server = Server("", port, pid)
        yield server, server.cpu_seconds()


def _environment(folder: Path) -> dict[str, str]:
    return {
        "DOCSERVICE_INSTANCE_PATH": str(folder),
        "DOCSERVICE_RATE_LIMITS": "off",
        "DOCSERVICE_CONVERTER": "off",
    }


def _python(checkout: Path) -> str:
    return sys.executable if checkout == ROOT else str(checkout / ".venv/bin/python")


def account_of(server: Server, email: str) -> Account:
    body = json.dumps({"email": email, "password": PASSWORD}).encode()
    token = server.call("POST", "/v1/auth/login", body, JSON).json["accessToken"]
    by_session = {"Authorization": f"Bearer {token}"}
    key = server.call("POST", "/v1/api-keys", b"{}", by_session | JSON).json["key"]
    form = f"email={email.replace('@', '%40')}&password={PASSWORD.replace(' ', '+')}".encode()
    answer = server.call("POST", "/app/login", form, FORM)
    cookies = [one.partition(";")[0] for one in answer.headers.get_all("Set-Cookie", ())]
    return Account(server, {"X-API-Key": key}, {"Cookie": "; ".join(cookies)}, by_session)


def cost(account: Account, request: Callable[[Account], None]) -> Cost:
    """Return what one call takes of the service: the least of each of some repetitions."""
    server = account.server
    cpu, read = [], []
    for _ in range(TIMES):
        cpu_before, read_before = server.cpu_seconds(), server.read_bytes()
        for _ in range(CALLS):
            request(account)
        cpu.append((server.cpu_seconds() - cpu_before) * 1000 / CALLS)
        read.append((server.read_bytes() - read_before) / 1024 / CALLS)
    return Cost(min(cpu), min(read))


def requests_of(folder: Path, checkout: Path) -> dict[tuple[str, str], Cost]:
    """Return what each request of each account costs."""
    found = {}
    with served(folder, checkout) as (server, _):
        for name, email in (("big", BIG), ("small", SMALL)):
            account = account_of(server, email)
            for _ in range(TIMES * CALLS):
                account.upload()  # so many that each deletion has one
            for request, call in REQUESTS.items():
                found[request, name] = cost(account, call)
    return found


def waits_of_small(folder: Path, checkout: Path) -> tuple[float, float]:
    """Return the median and the 95th percentile of uploads to the small account, in milliseconds.

    Meanwhile four clients upload to the big one without pause.
    """
    with served(folder, checkout) as (server, _):
        big, small = (account_of(server, email) for email in (BIG, SMALL))
        ends = time.monotonic() + SECONDS
        with ThreadPoolExecutor(CLIENTS) as clients:
            busy = [clients.submit(_upload_until, ends, big) for _ in range(CLIENTS)]
            waits = _upload_until(ends, small)
            for one in busy:
                one.result()
    return median_ms(waits), quantile(waits, 0.95) * 1000


def _upload_until(ends: float, account: Account) -> list[float]:
    waits = []
    while time.monotonic() < ends:
        began = time.monotonic()
        account.upload()
        waits.append(time.monotonic() - began)
    return waits


def start_seconds(folder: Path, checkout: Path) -> float:
    found = []
    for _ in range(3):
        with served(folder, checkout) as (_, seconds):
            found.append(seconds)
    return min(found)


def command(words: tuple[str, ...], folder: Path, checkout: Path) -> tuple[float, float]:
    """Return the CPU seconds of a command, and its memory in MiB."""
    process = subprocess.Popen(
        [_python(checkout), "-m", "flask", "--app", "app", *words],
        cwd=checkout,
        env=os.environ | _environment(folder),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, (words, said[-500:])
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / MIB


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    reader.add_argument("documents", type=int, nargs="*", default=[1_000, 100_000])
    reader.add_argument("--keep", type=Path, help="a folder of instances, by their number")
    reader.add_argument("--beside", type=Path, help="another checkout, with a .venv of its own")
    reader.add_argument("--requests", action="store_true", help="and no commands")
    asked = reader.parse_args()
    checkouts = [ROOT, *([asked.beside.resolve()] if asked.beside else ())]
    with tempfile.TemporaryDirectory() as temporary:
        keep = asked.keep or Path(temporary, "filled")
        figures = {}
        for documents in asked.documents:
            for checkout in checkouts:
                filled = _filled(keep / checkout.name, documents, checkout)
                copy = Path(temporary, "copy")
                shutil.copytree(filled, copy)
                figures[documents, checkout] = _figures(copy, checkout, asked.requests)
                shutil.rmtree(copy)
    _print(figures, asked.documents, checkouts)
    print(machine())


def _filled(keep: Path, documents: int, checkout: Path) -> Path:
    folder = keep / str(documents)
    if not folder.exists():
        filling = [_python(checkout), str(HERE / "filling.py"), str(folder), str(documents)]
        subprocess.run(filling, cwd=checkout, check=True)
    return folder


def _figures(folder: Path, checkout: Path, requests_alone: bool) -> dict[str, Any]:
    size = (folder / "documents.sqlite").stat().st_size
    figures: dict[str, Any] = {"start": start_seconds(folder, checkout), "file": size}
    figures["requests"] = requests_of(folder, checkout)
    figures["waits"] = waits_of_small(folder, checkout)
    figures["commands"] = {}
    with tempfile.TemporaryDirectory(dir=folder.parent) as other:
        for name, words in ({} if requests_alone else COMMANDS).items():
            given = tuple(word.format(other=other) for word in words)
            figures["commands"][name] = command(given, folder, checkout)
    return figures


def _print(figures: dict[Any, Any], sizes: list[int], checkouts: list[Path]) -> None:
    columns = [(documents, checkout) for documents in sizes for checkout in checkouts]
    heads = [f"{size:,}{'' if one == ROOT else ', beside'}" for size, one in columns]
    for about, of in (("CPU of a request, ms", 0), ("read of files, KiB", 1)):
        table(f"{about}: big / small", *heads)
        for request in REQUESTS:
            cells = []
            for column in columns:
                costs = figures[column]["requests"]
                big, small = (costs[request, who][of] for who in ("big", "small"))
                cells.append(f"{big:,.1f} / {small:,.1f}")
            row(f"`{request}`" if request.startswith("/") else request, *cells)
    table("", *heads)
    row("start until ready, CPU s", *(f"{figures[one]['start']:.2f}" for one in columns))
    row("file, MB", *(figures[one]["file"] / 1e6 for one in columns))
    waits = (f"{p50:.0f}, {p95:.0f}" for p50, p95 in (figures[one]["waits"] for one in columns))
    row("upload of the small account, beside four clients of the big one, ms: p50, p95", *waits)
    for name in figures[columns[0]]["commands"]:
        used = [figures[one]["commands"][name] for one in columns]
        row(f"{name}, CPU s; MiB", *(f"{seconds:.1f}; {mib:.0f}" for seconds, mib in used))


if __name__ == "__main__":
    main()
