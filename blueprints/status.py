"""The service itself: health, API description, front page, and `/metrics` for Prometheus.

The metrics are request durations, sizes and keys; no user's data. A request counts under its
method, the template of its route and its class of status. The duration ends with the head of the
response: a large body is sent later.
"""

import json
import shutil
import threading
import time
from bisect import bisect_left
from calendar import timegm
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import accumulate
from pathlib import Path
from typing import Any

from flask import Response, current_app, g, jsonify, render_template
from markupsafe import escape

from models import Document, User, Webhook, current_runtime
from models.core import KeyUnavailable, NotFound
from models.operations import list_root_keys, setup
from models.storage import is_server

from .http import ANYONE, COOKIE, ApiBlueprint
from .http.access_log import Access
from .http.problems import STATUS
from .schemas.openapi import meanings
from .schemas.responses import Health
from .views.branding import Brand, brand, send_logo
from .views.links import base_url
from .views.notices import source

VERSION = "0.2.0"
BASE_URL = "\0address\0"  # where the address stands in a page that is drawn once
_indented = partial(json.dumps, indent=2, ensure_ascii=False)

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
METHODS = {"GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"}
_DURATION = "docservice_http_request_duration_seconds"
TEXT = "text/plain; version=0.0.4; charset=utf-8"

status = ApiBlueprint("status", __name__, description="The service itself")
metrics = ApiBlueprint("metrics", __name__, description="Metrics")
_started_at = time.time()
_lock = threading.Lock()
_requests: dict[tuple[str, str, int], list[float]] = {}  # per bucket, above the last; seconds
_without_room = 0  # requests that were refused because the disk is full


@status.get("/healthz", accepts=ANYONE)
@status.response(200, Health)
def health() -> Any:
    """Say that the process lives"""
    return {"status": "ok", "version": VERSION}


@status.get("/readyz", accepts=ANYONE)
@status.response(200, Health)
def ready() -> Any:
    """Say whether database and keys answer"""
    if why := setup.why_not_ready():
        raise KeyUnavailable(f"{why} The log says more.")
    return {"status": "ok", "version": VERSION}


@status.get("/openapi.json", accepts=ANYONE)
@status.response(200, {"type": "object"})
def describe() -> Response:
    """Return this API's description (OpenAPI 3.1)"""
    return jsonify(current_app.extensions["description"]())


@status.get("/docs", accepts=ANYONE)
@status.response(200, {"type": "string"}, content_type="text/html")
def docs() -> Response:
    """Show this API's description to a person"""
    page, policy = _drawn_docs(current_app.extensions["description"], brand())
    return _response(page.replace(BASE_URL, escape(base_url())), policy)


@status.get("/favicon.ico", accepts=ANYONE, also=["/apple-touch-icon.png"])
@status.returns_file("image/png")
def icon() -> Response:
    """Return the icon that browsers ask for"""
    icon = Path(current_app.root_path) / "templates" / "icons" / "icon-192.png"
    headers = {"Cache-Control": "public, max-age=86400"}
    return Response(icon.read_bytes(), headers=headers, content_type="image/png")


@status.get("/logo", accepts=ANYONE)
@status.returns_file("image/png", "image/jpeg", "image/webp")
def logo() -> Response:
    """Return the logo of the setting BRAND_LOGO"""
    return send_logo()


@status.get("/", accepts=(*ANYONE, COOKIE))
@status.alt_response(303, description="The browser is logged in: its documents.")
@status.response(200, {"type": "string"}, content_type="text/html")
def front_page() -> Response:
    """Lead a person from nothing to a first upload"""
    has_console = current_runtime().settings.console == "on"
    if has_console and g.caller.credential_type == COOKIE:
        return Response("", 303, {"Location": "/app/documents"})
    return _page("front.html", console=has_console, may_register=User.may_register())


@lru_cache(1)
def _drawn_docs(describe: Callable[[], dict[str, Any]], shown: Brand | None) -> tuple[str, str]:
    """The page and its policy, with a word in place of the address, which may be another one at
    each request: drawing takes longer than all other public pages together.
    """
    facts = {"statuses": STATUS, "meanings": meanings(), "dumps": _indented}
    return _drawn("docs.html", shown, base_url=BASE_URL, api=describe(), **facts)


def _page(template: str, **facts: Any) -> Response:
    return _response(*_drawn(template, brand(), base_url=base_url(), **facts))


def _drawn(template: str, shown: Brand | None, **facts: Any) -> tuple[str, str]:
    """A page, and its Content-Security-Policy."""
    style = render_template("base.css") + render_template("page.css") + (shown.css if shown else "")
    script = render_template("page.js")
    facts |= {"style": style, "script": script, "brand": shown, "version": VERSION}
    policy = (
        f"default-src 'none'; style-src {source(style)}; script-src {source(script)}; "
        "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return render_template(template, **facts), policy


def _response(page: str, policy: str) -> Response:
    return Response(page, headers={"Content-Security-Policy": policy})


@metrics.get("/metrics", accepts=ANYONE)
@metrics.response(200, {"type": "string"}, content_type="text/plain")
def show() -> Response:
    """Tell a monitoring system how the service does, where METRICS is on"""
    if not _is_on():
        raise NotFound
    return Response("\n".join(_lines()) + "\n", content_type=TEXT)


def count(access: Access) -> None:
    """Count a request, where METRICS is on."""
    global _without_room  # noqa: PLW0603
    if not _is_on():
        return
    method = access.method if access.method in METHODS else "-"
    key = method, access.route, access.status // 100
    with _lock:
        counts = _requests.setdefault(key, [0] * (len(SECONDS) + 2))
        counts[bisect_left(SECONDS, access.seconds)] += 1
        counts[-1] += access.seconds
        _without_room += access.status == STATUS["storage_full"]


def _is_on() -> bool:
    return current_runtime().settings.metrics == "on"


def _lines() -> Iterator[str]:
    """Without those that need the database while it does not answer."""
    about = "Requests, and the time to the head of their response."
    yield from _metric(_DURATION, about, _durations(), "histogram")
    yield from _metric("process_start_time_seconds", "Start, since 1970.", {"": _started_at})
    about = "Requests refused because the disk is full."
    yield from _metric("docservice_storage_full_total", about, {"": _without_room}, "counter")
    runtime, is_ready = current_runtime(), setup.is_ready()
    file = runtime.settings.database
    free = {} if is_server(file) else {"": shutil.disk_usage(Path(file).parent).free}
    yield from _metric("docservice_free_bytes", "Free on the disk of the SQLite file.", free)
    lost = {"": runtime.readings.lost}
    yield from _metric("docservice_lost_readings_total", "Without an event.", lost, "counter")
    failed = {f'{{work="{work}"}}': count for work, count in runtime.failures.failed().items()}
    about = "Attempts beside the requests that raised an error."
    yield from _metric("docservice_failures_total", about, failed, "counter")
    given_up = {f'{{work="{work}"}}': count for work, count in runtime.failures.given_up().items()}
    about = "Deliveries, notices and mails that are tried no more."
    yield from _metric("docservice_given_up_total", about, given_up, "counter")
    swept = {"": runtime.swept_at} if runtime.swept_at else {}
    yield from _metric("docservice_last_sweep_seconds", "When it ended, since 1970.", swept)
    yield from _metric("docservice_ready", "Whether /readyz is 200.", {"": int(is_ready)})
    if is_ready:
        yield from _stored_lines()


def _stored_lines() -> Iterator[str]:
    failing, due = Webhook.backlog()
    yield from _metric("docservice_webhooks_failing", "Webhooks that fail.", {"": failing})
    yield from _metric("docservice_deliveries_due", "Deliveries to be sent now.", {"": due})
    documents, size_bytes = Document.stored()
    yield from _metric("docservice_documents", "Documents stored.", {"": documents})
    yield from _metric("docservice_document_bytes", "Bytes of their originals.", {"": size_bytes})
    roots = list_root_keys()
    rows = {f'{{root="{one.id}",primary="{int(one.is_primary)}"}}': one.rows for one in roots}
    yield from _metric("docservice_root_key_rows", "Rows whose key a root key opens.", rows)
    made = {f'{{root="{one.id}"}}': timegm(one.made_on.timetuple()) for one in roots if one.made_on}
    yield from _metric("docservice_root_key_made_seconds", "When it was made, since 1970.", made)


def _durations() -> dict[str, Any]:
    """The samples of the histogram, whose buckets are cumulative."""
    with _lock:
        requests = {key: list(counts) for key, counts in _requests.items()}
    samples: dict[str, Any] = {}
    for (method, path, status), (*buckets, seconds) in requests.items():
        labels = f'method="{method}",route="{path}",status="{status}xx"'
        for edge, count in zip((*SECONDS, "+Inf"), accumulate(buckets), strict=True):
            samples[f'_bucket{{{labels},le="{edge}"}}'] = count
        samples[f"_sum{{{labels}}}"] = f"{seconds:.6f}"
        samples[f"_count{{{labels}}}"] = sum(buckets)
    return samples


def _metric(name: str, about: str, samples: dict[str, Any], kind: str = "gauge") -> Iterator[str]:
    """`samples` are values by what follows the name: a suffix, labels, or nothing."""
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"
    yield from (f"{name}{labels} {value}" for labels, value in samples.items())
