"""What others feel while twenty people log in again and again: one run, alone and in the flood.

    .venv/bin/python benchmarks/login_flood.py

Four callers with API keys list and fetch documents, each call on a kept connection; the flood is
twenty threads that log in with the right password, without pause. The second flood opens links
with a password, the third seals files under one: both stand in the same line. Prints p50 and p99
of the others in milliseconds, and the ratios. Goal: p99 below 50 ms in every flood.
"""

import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping
from multiprocessing import Event, Process, SimpleQueue
from multiprocessing.queues import SimpleQueue as Answered
from multiprocessing.synchronize import Event as EventType
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PORT = 8734
CALLERS, FLOOD, SECONDS = 4, 20, 6.0
ACCOUNT = {"email": "bench@example.com", "password": "correct horse battery"}
JSON = {"Content-Type": "application/json"}
Headers = dict[str, str]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        process = start(folder)
        try:
            run()
        finally:
            process.terminate()
            process.wait()


def run() -> None:
    session = log_in()
    key: Headers = {"X-API-Key": made("/v1/api-keys", {}, session)["key"]}
    document = made("/v1/documents", {"payload": "AAAA", "contentType": "text/plain"}, key)
    path = f"/v1/documents/{document['id']}"
    link = made(f"{path}/tokens", {"password": "of the link"}, key)["token"]
    holder = {"Authorization": f"Bearer {link}"}
    alone = others(key, path)
    show("alone", alone, alone, {})
    for name, *request in (
        ("logins", "/v1/auth/login", ACCOUNT, {}),
        ("link passwords", f"{path}/view", {"password": "of the link"}, holder),
        ("sealed files", f"{path}/download", {"password": "new"}, key),
    ):
        answered, stopped = SimpleQueue(), Event()
        flood = Process(target=pour, args=(request, answered, stopped))
        flood.start()
        time.sleep(1)
        found = others(key, path)
        stopped.set()
        show(name, found, alone, Counter(iter(answered.get, 0)))
        flood.join()


def pour(request: list[Any], answered: "Answered[int]", stopped: EventType) -> None:
    """In a process of its own, so that its work does not hold up those who measure."""
    threads = [
        threading.Thread(target=again, args=(request, answered, stopped)) for _ in range(FLOOD)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    answered.put(0)


def again(request: list[Any], answered: "Answered[int]", stopped: EventType) -> None:
    """Who is told to wait comes back after a tenth of a second: twenty times too early."""
    while not stopped.is_set():
        status, _ = call("POST", *request)
        answered.put(status)
        time.sleep(0.1 if status == 503 else 0)


def others(key: Headers, path: str) -> list[float]:
    """Milliseconds of each call of all callers."""
    times: list[float] = []
    threads = [threading.Thread(target=work, args=(key, path, times)) for _ in range(CALLERS)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return times


def work(key: Headers, path: str, times: list[float]) -> None:
    connection, until = http.client.HTTPConnection("127.0.0.1", PORT), time.monotonic() + SECONDS
    while time.monotonic() < until:
        for target in ("/v1/documents?limit=10", path, f"{path}/content"):
            begun = time.perf_counter()
            connection.request("GET", target, headers=key)
            answer = connection.getresponse()
            answer.read()
            times.append((time.perf_counter() - begun) * 1000)
            assert answer.status == 200, answer.status
            time.sleep(0.005)
    connection.close()


def show(name: str, found: list[float], alone: list[float], answered: Mapping[int, int]) -> None:
    p50, p99 = percentiles(found)
    p50_alone, p99_alone = percentiles(alone)
    print(
        f"{name:>14}: p50 {p50:.1f} ms, p99 {p99:.1f} ms, worst {max(found):.1f} ms | times alone: "
        f"p50 {p50 / p50_alone:.1f}, p99 {p99 / p99_alone:.1f} | {len(found)} calls"
        + (f" | flood answered {dict(sorted(answered.items()))}" if answered else "")
    )


def percentiles(times: list[float]) -> tuple[float, float]:
    cuts = statistics.quantiles(times, n=100)
    return cuts[49], cuts[98]


def log_in() -> Headers:
    made("/v1/auth/register", ACCOUNT, {})
    token = json.loads(call("POST", "/v1/auth/login", ACCOUNT, {})[1])["accessToken"]
    return {"Authorization": f"Bearer {token}"}


def made(path: str, body: object, headers: Headers) -> dict[str, str]:
    status, text = call("POST", path, body, headers)
    assert status == 201, text
    record: dict[str, str] = json.loads(text)
    return record


def call(method: str, path: str, body: object, headers: Headers) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
    try:
        connection.request(method, path, json.dumps(body).encode(), JSON | headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def start(folder: str) -> subprocess.Popen[bytes]:
    given = {
        "DOCSERVICE_INSTANCE_PATH": f"{folder}/instance",
        "DOCSERVICE_LISTEN": f"127.0.0.1:{PORT}",
    }
    process = subprocess.Popen(
        [sys.executable, "app.py"],
        cwd=ROOT,
        env=os.environ | given,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while True:
        try:
            call("GET", "/healthz", None, {})
        except OSError:
            assert process.poll() is None, "the service did not start"
            time.sleep(0.02)
        else:
            return process


if __name__ == "__main__":
    main()
