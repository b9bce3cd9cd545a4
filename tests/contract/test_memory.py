"""The peak memory of the service."""

import contextlib
import json
import os
import platform
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.formats import b64
from tests.forms import FORM, file
from tests.forms import body as form_body
from tests.people import Person
from tests.service import Service

pytestmark = pytest.mark.slow

SIZE = 50 << 20
AT_ONCE = 8
LIMIT_KIB = 256 << 10
KIND = {"Content-Type": "application/json"}
STATUS = Path("/proc/self/status")
WORKERS = 16
LIMIT_OF_WORKERS_KIB = 45 << 10
SLOW_READERS = 150
LIMIT_OF_READERS_KIB = 100 << 10


def peak_kib(process):
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


@pytest.mark.skipif(
    not STATUS.exists()
    or os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") < 4 * AT_ONCE * SIZE,
    reason="bodies are buffered in memory: too little here, or no /proc to read its peak from",
)
@pytest.mark.parametrize("kind", [KIND, {"Content-Type": FORM}], ids=["JSON", "form"])
def test_memory_does_not_grow_with_concurrent_large_uploads(kind, start_service):
    service = start_service(Service, RATE_LIMITS="off")
    alice = service.register()
    raw = os.urandom(SIZE)
    as_json = b'{"contentType":"a/b","payload":"' + b64(raw).encode() + b'"}'
    body = as_json if kind == KIND else form_body(file("a", raw))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        sent = [
            pool.submit(alice.post, "/v1/documents", data=body, headers=kind)
            for _ in range(AT_ONCE)
        ]
        documents = [one.result() for one in sent]
        paths = [f"/v1/documents/{one.json['id']}/content" for one in documents]
        sizes = [len(answer.body) for answer in pool.map(alice.get, paths)]

    assert sizes == [SIZE] * AT_ONCE
    assert peak_kib(service.process) < LIMIT_KIB


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the heaps of glibc")
def test_memory_does_not_grow_with_the_number_of_workers(start_service):
    service = start_service(Service, RATE_LIMITS="off")
    alice = service.register()
    body = b'{"contentType":"a/b","payload":"' + b64(os.urandom(1 << 20)).encode() + b'"}'
    before = peak_kib(service.process)

    def up_and_down(_):
        document = alice.post("/v1/documents", data=body, headers=KIND).json
        return alice.get(f"/v1/documents/{document['id']}/download").status

    with ThreadPoolExecutor(WORKERS) as pool:
        statuses = list(pool.map(up_and_down, range(6 * WORKERS)))

    assert set(statuses) == {200}
    assert peak_kib(service.process) - before < LIMIT_OF_WORKERS_KIB


def notebook():
    """A notebook whose page has some ten MiB."""
    lines = [f"line {n} of what is printed <b>&amp;</b>\n" for n in range(120)]
    output = {"output_type": "stream", "name": "stdout", "text": lines}
    cell = {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": ["x = 1\n"] * 20}
    cells = [cell | {"outputs": [output]}] * 900
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()


def slow_reader(stack, service, path):
    """A connection that has asked for a page and takes hardly anything of it."""
    connection = stack.enter_context(socket.socket())
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
    connection.settimeout(60)
    connection.connect(("127.0.0.1", service.port))
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    return connection


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the heaps of glibc")
def test_slow_readers_of_a_long_page_hold_little_memory(start_service):
    service = start_service(Service, RATE_LIMITS="off")
    alice = service.register()
    document = alice.upload(notebook(), "application/x-ipynb+json", name="long.ipynb", token=None)
    link = alice.share(document, permissions=["view"])
    path = link["viewUrl"].removeprefix(service.url)
    page = Person(service).get(path)
    assert len(page.body) > 4 << 20
    before = peak_kib(service.process)
    with contextlib.ExitStack() as stack:
        readers = [slow_reader(stack, service, path) for _ in range(SLOW_READERS)]
        assert {reader.recv(12) for reader in readers} == {b"HTTP/1.1 200"}
        assert peak_kib(service.process) - before < LIMIT_OF_READERS_KIB
        assert Person(service).get("/healthz").status == 200
