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
from urllib.parse import urlencode

from running import ACCOUNT, Server, ours

ROUNDS = 30
PAGES = ("", "?page=100", "?is=shared", "?sort=name", "/../activity", "/../requests")


def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder, ours(folder) as service:
        for _ in range(count):
            service.upload(b"abc", "text/plain")
        cookie = logged_in(service)
        for page in PAGES:
            path = f"/app/documents{page}".replace("/documents/..", "")
            before = cpu_seconds(service.pid)
            answers = [service.call("GET", path, headers=cookie) for _ in range(ROUNDS)]
            cpu_ms = (cpu_seconds(service.pid) - before) / ROUNDS * 1000
            median_ms = statistics.median(answer.seconds for answer in answers) * 1000
            size = len(answers[-1].body)
            print(f"{path}: {cpu_ms:.1f} ms of CPU, {median_ms:.1f} ms, {size:,} bytes")
        page = service.call("GET", "/app/documents", headers=cookie).body
        assets = re.findall(rb'"(/app/console-[^"]+)"', page)
        sizes = [len(gzip.compress(asset(service, one.decode()))) for one in assets]
        print(f"first page with style and script: {len(page) + sum(sizes):,} bytes on the wire")


def asset(service: Server, path: str) -> bytes:
    """Return the style or the script, which is for people: a key gets none of it."""
    answer = service.call("GET", path, headers={})
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
