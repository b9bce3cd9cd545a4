"""`/metrics`: how the service does, in Prometheus' text format. Never a user's data.

A request is counted under its route's template, its method and its class of status. The time is
until the answer's head: a large body goes out after it.
"""

import threading
import time
from bisect import bisect_left
from calendar import timegm
from collections.abc import Iterator
from itertools import accumulate

from flask import Response, current_app, g, request

from models import Document
from models.errors import NotFound
from models.operations import list_root_keys

from .http.access_log import route
from .http.authentication import ANYONE, accepts
from .http.blueprint import ApiBlueprint
from .schemas.openapi import may_fail_with

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
METHODS = {"GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"}
TEXT = "text/plain; version=0.0.4; charset=utf-8"

metrics = ApiBlueprint("metrics", __name__, description="The service itself")

_started_at = time.time()
_lock = threading.Lock()
_seen: dict[tuple[str, str, int], list[float]] = {}  # requests a bucket, those beyond, seconds


@metrics.get("/metrics")
@accepts(*ANYONE)
@may_fail_with(NotFound)
@metrics.response(200, {"type": "string"}, content_type="text/plain")
def show() -> Response:
    """Tell a monitoring system how the service does, where METRICS is on"""
    if not _is_on():
        raise NotFound
    return Response("\n".join(_lines()) + "\n", content_type=TEXT)


def count(answer: Response) -> None:
    """After each request."""
    if not _is_on():
        return
    seconds = time.perf_counter() - g.began_at
    method = request.method if request.method in METHODS else "-"
    key = method, route(), answer.status_code // 100
    with _lock:
        seen = _seen.setdefault(key, [0] * (len(SECONDS) + 2))
        seen[bisect_left(SECONDS, seconds)] += 1
        seen[-1] += seconds


def _is_on() -> bool:
    return bool(current_app.config["METRICS"] == "on")


def _lines() -> Iterator[str]:
    name = "docservice_http_request_duration_seconds"
    yield from _about(name, "histogram", "Requests, and the time to their answer's head.")
    with _lock:
        seen = {key: list(numbers) for key, numbers in _seen.items()}
    for key, numbers in seen.items():
        yield from _histogram(name, key, numbers)
    yield from _gauge("process_start_time_seconds", "When it started, since 1970.", _started_at)
    documents, size_bytes = Document.stored()
    yield from _gauge("docservice_documents", "Documents stored.", documents)
    yield from _gauge("docservice_document_bytes", "Bytes of their originals.", size_bytes)
    yield from _keys()


def _histogram(name: str, key: tuple[str, str, int], numbers: list[float]) -> Iterator[str]:
    """Cumulative: each bucket holds those before it."""
    method, route, status = key
    labels = f'method="{method}",route="{route}",status="{status}xx"'
    *buckets, seconds = numbers
    for edge, requests in zip((*SECONDS, "+Inf"), accumulate(buckets), strict=True):
        yield f'{name}_bucket{{{labels},le="{edge}"}} {requests}'
    yield f"{name}_sum{{{labels}}} {seconds:.6f}"
    yield f"{name}_count{{{labels}}} {sum(buckets)}"


def _keys() -> Iterator[str]:
    roots = list_root_keys()
    name = "docservice_root_key_rows"
    yield from _about(name, "gauge", "Rows whose key a root key opens; the primary one seals.")
    for one in roots:
        yield f'{name}{{root="{one.id}",primary="{int(one.is_primary)}"}} {one.rows}'
    name = "docservice_root_key_made_seconds"
    yield from _about(name, "gauge", "When a root key was made, since 1970.")
    for one in roots:
        if one.made_on:
            yield f'{name}{{root="{one.id}"}} {timegm(one.made_on.timetuple())}'


def _gauge(name: str, says: str, value: float) -> Iterator[str]:
    yield from _about(name, "gauge", says)
    yield f"{name} {value}"


def _about(name: str, kind: str, says: str) -> Iterator[str]:
    yield f"# HELP {name} {says}"
    yield f"# TYPE {name} {kind}"
