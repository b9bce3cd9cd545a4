"""A benchmark of the list of documents on the pages for people: its CPU time and its bytes.

python benchmarks/console_list.py DOCUMENTS
"""

import gzip
import os
import re
import statistics
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from running import ACCOUNT, Server, ours

ROUNDS = 30
SHARED = 200  # the newest documents, which have a link each; every second one was opened
BROWSER = {"Accept-Encoding": "gzip", "Sec-Fetch-Site": "same-origin"}
PAGES = ("", "?page=100", "?is=shared", "?sort=name", "/../activity", "/../requests")


def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder, ours(folder) as service:
        for number in range(count):
            _, path = service.upload(b"abc", "text/plain")
            if number >= count - SHARED:
                share(service, path, is_opened=number % 2 == 0)
        headers = logged_in(service) | BROWSER
        for page in PAGES:
            path = f"/app/documents{page}".replace("/documents/..", "")
            service.call("GET", path, headers=headers)  # which compiles the templates, once
            before = cpu_seconds(service.pid)
            answers = [service.call("GET", path, headers=headers) for _ in range(ROUNDS)]
            cpu_ms = (cpu_seconds(service.pid) - before) / ROUNDS * 1000
            median_ms = statistics.median(answer.seconds for answer in answers) * 1000
            sent = answers[-1].body
            size = f"{len(gzip.decompress(sent)):,} bytes, {len(sent):,} as they are sent"
            print(f"{path}: {cpu_ms:.1f} ms of CPU, {median_ms:.1f} ms, {size}")
        sent = service.call("GET", "/app/documents", headers=headers).body
        assets = re.findall(rb'"(/app/console-[^"]+)"', gzip.decompress(sent))
        total = len(sent) + sum(len(asset(service, one.decode())) for one in assets)
        print(f"first page with style and script: {total:,} bytes on the wire")


def share(service: Server, path: str, *, is_opened: bool) -> None:
    """Create a link to a document, and open it if it is to be seen as opened."""
    link = service.good("POST", f"{path}/tokens", b"{}").json
    if is_opened:
        address = urlsplit(link["shortUrl"])
        opened = service.call("GET", f"{address.path}?{address.query}", headers={})
        assert opened.status == 200, opened.status


def asset(service: Server, path: str) -> bytes:
    """Return the style or the script as it is sent, which is for people: a key gets none of it."""
    answer = service.call("GET", path, headers={"Accept-Encoding": "gzip"})
    assert answer.status == 200, path
    return answer.body


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process until now."""
    times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


def logged_in(service: Server) -> dict[str, str]:
    """Return the header with the cookie of a session."""
    form = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
    fields = urlencode({name: ACCOUNT[name] for name in ("email", "password")}).encode()
    answer = service.call("POST", "/app/login", fields, form)
    return {"Cookie": answer.headers["Set-Cookie"].partition(";")[0]}


if __name__ == "__main__":
    main(int(sys.argv[1]))
