"""This service beside bepasty (unsealed, files on disk), in one run, taking turns.

    python3 -m venv /tmp/peer && /tmp/peer/bin/pip install bepasty waitress
    .venv/bin/python benchmarks/peers.py /tmp/peer/bin/python

Prints medians in milliseconds, and the ratios that README quotes. bepasty's REST upload takes
base64 as well; both run on waitress, the peer with its default settings.
"""

import base64
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OURS, PEERS, BARE = 8731, 8732, 8733
ROUNDS = 7
PEER = f"""
import sys
from bepasty.app import create_app
from waitress import serve
app = create_app()
serve(app, listen="127.0.0.1:{PEERS}", threads=16)
"""
PEER_CONFIG = """
STORAGE = "filesystem"
STORAGE_FILESYSTEM_DIRECTORY = {folder!r}
SECRET_KEY = "only for this run, only on this machine"
DEFAULT_PERMISSIONS = "create,read,list,delete"
MAX_ALLOWED_FILE_SIZE = 5 * 1000 ** 3
"""
HELLO = f"""
from flask import Flask
from waitress import serve
app = Flask("bare")
app.get("/")(lambda: {{"hello": "world"}})
serve(app, listen="127.0.0.1:{BARE}", threads=16)
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        started = [start_ours(folder), start_peer(folder), start_bare()]
        try:
            run(started[0])
        finally:
            for process in started:
                process.terminate()
                process.wait()


def run(ours: subprocess.Popen[bytes]) -> None:
    key = account()
    for kib in (64, 1024, 10 * 1024, 50 * 1024):
        transfer(kib, key)
    print(f"peak memory {status(ours.pid, 'VmHWM') / 1024:.0f} MiB (goal at most 130)")
    small_calls(key)
    deep_lists(key)


def transfer(kib: int, key: str) -> None:
    """Up and down, in turns."""
    raw = os.urandom(kib * 1024)
    encoded = base64.b64encode(raw)
    body = b'{"contentType":"application/octet-stream","payload":"' + encoded + b'"}'
    sent = {"X-API-Key": key, "Content-Type": "application/json"}
    size = len(raw)
    peer = {
        "Content-Range": f"bytes 0-{size - 1}/{size}",
        "Content-Type": "application/octet-stream",
    }
    peer |= {"Content-Filename": "x.bin", "Content-Length": str(len(encoded))}
    times: dict[str, list[float]] = {
        name: [] for name in ("up", "peer up", "content", "peer down", "page")
    }
    for _ in range(ROUNDS if kib < 20_000 else 5):
        made = timed(times["up"], OURS, "POST", "/v1/documents", body, sent)
        theirs = timed(times["peer up"], PEERS, "POST", "/apis/rest/items", encoded, peer)
        path = "/v1/documents/" + json.loads(made[1])["id"]
        got = timed(times["content"], OURS, "GET", path + "/content", None, sent)
        timed(times["page"], OURS, "GET", path + "/download", None, sent)
        item = theirs[2]["Content-Location"] or theirs[2]["Location"]
        down = timed(times["peer down"], PEERS, "GET", item.rstrip("/") + "/download", None, {})
        assert got[1] == raw
        assert down[0] == 200, down
        call(OURS, "DELETE", path, None, sent)
    report(f"{kib} KiB", {name: statistics.median(found) * 1000 for name, found in times.items()})


def report(size: str, ms: dict[str, float]) -> None:
    print(
        f"{size:>10}: upload {ms['up']:.1f} ms, peer {ms['peer up']:.1f}: ratio "
        f"{ms['up'] / ms['peer up']:.2f} | content {ms['content']:.1f}, peer "
        f"{ms['peer down']:.1f}: {ms['content'] / ms['peer down']:.2f} | page {ms['page']:.1f}: "
        f"{ms['page'] / ms['content']:.2f} of content"
    )


def small_calls(key: str) -> None:
    """A list by API key beside a bare Flask hello: time a call, on a kept connection."""
    ours, bare = [], []
    for _ in range(5):
        ours.append(rate(OURS, "/v1/documents?limit=1", {"X-API-Key": key}))
        bare.append(rate(BARE, "/", {}))
    ratio = statistics.median(ours) / statistics.median(bare)
    ours_us, bare_us = statistics.median(ours) * 1e6, statistics.median(bare) * 1e6
    print(f"list by API key {ours_us:.0f} us, bare Flask {bare_us:.0f}: ratio {ratio:.2f}")


def deep_lists(key: str) -> None:
    """The first page with 60 documents beside a page 7,000 deep of 8,060."""
    headers = {"X-API-Key": key, "Content-Type": "application/json"}
    fill(headers, 60)
    first = statistics.median(rate(OURS, "/v1/documents", headers, 60) for _ in range(5))
    fill(headers, 8_000)
    cursor = None
    for _ in range(70):
        path = "/v1/documents?limit=100" + (f"&cursor={cursor}" if cursor else "")
        cursor = json.loads(call(OURS, "GET", path, None, headers)[1])["nextCursor"]
    deep = statistics.median(
        rate(OURS, f"/v1/documents?cursor={cursor}", headers, 60) for _ in range(5)
    )
    print(
        f"a page of 50: first of 60 {first * 1e3:.2f} ms, 7,000 deep {deep * 1e3:.2f} ms: "
        f"ratio {deep / first:.2f}"
    )


def fill(headers: dict[str, str], count: int) -> None:
    body = b'{"contentType":"text/plain","payload":"AAAA","token":null}'
    connection = http.client.HTTPConnection("127.0.0.1", OURS)
    for _ in range(count):
        connection.request("POST", "/v1/documents", body, headers)
        connection.getresponse().read()
    connection.close()


def rate(port: int, path: str, headers: dict[str, str], count: int = 300) -> float:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    begun = 0.0
    for number in range(count + 20):
        if number == 20:
            begun = time.perf_counter()
        connection.request("GET", path, None, headers)
        connection.getresponse().read()
    spent = time.perf_counter() - begun
    connection.close()
    return spent / count


def timed(
    times: list[float], port: int, *request: object
) -> tuple[int, bytes, http.client.HTTPMessage]:
    begun = time.perf_counter()
    answer = call(port, *request)  # type: ignore[arg-type]
    times.append(time.perf_counter() - begun)
    assert answer[0] < 300, answer
    return answer


def call(
    port: int,
    method: str,
    path: str,
    body: bytes | None = None,
    headers: dict[str, str] | None = None,
) -> tuple[int, bytes, http.client.HTTPMessage]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read(), answer.headers
    finally:
        connection.close()


def account() -> str:
    body = json.dumps({"email": "bench@example.com", "password": "correct horse battery"}).encode()
    sent = {"Content-Type": "application/json"}
    call(OURS, "POST", "/v1/auth/register", body, sent)
    token = json.loads(call(OURS, "POST", "/v1/auth/login", body, sent)[1])["accessToken"]
    sent["Authorization"] = f"Bearer {token}"
    key: str = json.loads(call(OURS, "POST", "/v1/api-keys", b"{}", sent)[1])["key"]
    return key


def start_ours(folder: str) -> subprocess.Popen[bytes]:
    given = {"DOCSERVICE_INSTANCE_PATH": f"{folder}/ours", "DOCSERVICE_LISTEN": f"127.0.0.1:{OURS}"}
    begun = time.perf_counter()
    process = started([sys.executable, "app.py"], OURS, "/healthz", given)
    print(f"start to first answer {time.perf_counter() - begun:.2f} s (goal at most 1.0)")
    return process


def start_peer(folder: str) -> subprocess.Popen[bytes]:
    config = Path(folder) / "bepasty.py"
    config.write_text(PEER_CONFIG.format(folder=f"{folder}/peer"))
    (Path(folder) / "peer").mkdir()
    return started([sys.argv[1], "-c", PEER], PEERS, "/", {"BEPASTY_CONFIG": str(config)})


def start_bare() -> subprocess.Popen[bytes]:
    return started([sys.executable, "-c", HELLO], BARE, "/", {})


def started(
    command: list[str], port: int, path: str, given: dict[str, str]
) -> subprocess.Popen[bytes]:
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(
        command, cwd=ROOT, env=os.environ | given, stderr=quiet, stdout=quiet
    )
    while True:
        try:
            call(port, "GET", path)
        except OSError:
            time.sleep(0.01)
        else:
            return process


def status(pid: int, name: str) -> int:
    """KiB, from /proc."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


if __name__ == "__main__":
    main()
