"""Many clients at once, each on a persistent connection, each sending as soon as it is answered.

The clients run in processes of their own, on one event loop each, so that they are not the
bottleneck.
"""

import asyncio
import multiprocessing
import os
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from figures import quantile
from running import Server, document

PROCESSES = 2
PATIENCE_SECONDS = 20
FORK = multiprocessing.get_context("fork")


@dataclass
class Load:
    """The seconds of each successful call, and how many calls failed, by error."""

    seconds: list[float]
    faults: Counter[str]
    lasted: float

    @property
    def rate(self) -> float:
        return len(self.seconds) / self.lasted

    def ms(self, part: float) -> float:
        return quantile(self.seconds, part) * 1000


def small_uploads(server: Server, clients: int = 64, seconds: float = 10) -> Load:
    """Send uploads of 4 KiB each, and return their times."""
    return load(server, small_upload(server), clients, seconds)


def small_upload(server: Server) -> bytes:
    body = document(os.urandom(4 << 10))
    return _request(server, "POST", "/v1/documents", body)


def reading(server: Server, path: str) -> bytes:
    return _request(server, "GET", path)


def _request(server: Server, method: str, path: str, body: bytes = b"") -> bytes:
    sent = {"Host": "127.0.0.1", "Content-Length": str(len(body))} | server.headers
    head = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body


def load(server: Server, request: bytes, clients: int, seconds: float) -> Load:
    """Send the same request by so many clients, which share two processes if there are several."""
    processes = min(clients, PROCESSES)
    with ProcessPoolExecutor(processes, FORK) as pool:
        work = [
            pool.submit(
                _run_clients_in_process, server.port, request, clients // processes, seconds
            )
            for _ in range(processes)
        ]
        found = [part.result() for part in work]
    times = [one for part, _ in found for one in part]
    return Load(times, sum((faults for _, faults in found), Counter()), seconds)


def _run_clients_in_process(
    port: int, request: bytes, clients: int, seconds: float
) -> tuple[list[float], Counter[str]]:
    return asyncio.run(_run_together(port, request, clients, seconds))


async def _run_together(
    port: int, request: bytes, clients: int, seconds: float
) -> tuple[list[float], Counter[str]]:
    times: list[float] = []
    faults: Counter[str] = Counter()
    end = time.perf_counter() + seconds
    await asyncio.gather(*(_client(port, request, end, times, faults) for _ in range(clients)))
    return times, faults


async def _client(
    port: int, request: bytes, end: float, times: list[float], faults: Counter[str]
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while (start := time.perf_counter()) < end:
        try:
            writer.write(request)
            status = await asyncio.wait_for(_answer(reader), PATIENCE_SECONDS)
        except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
            faults[type(error).__name__] += 1
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            continue
        if status < 300:
            times.append(time.perf_counter() - start)
        else:
            faults[str(status)] += 1
    writer.close()


async def _answer(reader: asyncio.StreamReader) -> int:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = head.partition(b"content-length:")[2].split(b"\r\n")[0]
    await reader.readexactly(int(length or 0))
    return int(head.split()[1])
