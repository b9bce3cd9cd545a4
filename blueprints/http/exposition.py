"""The metrics that `/metrics` shows, in the format of Prometheus.

Only where METRICS is on is this imported, and with it the library of Prometheus, which takes a
fiftieth of the processor time of a start.
"""

import shutil
from calendar import timegm
from collections.abc import Iterator, Mapping
from pathlib import Path

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from models import Document, Webhook, current_runtime, setup
from models.core import now
from models.documents import UnfinishedUpload
from models.storage import is_server
from operations import RootKeyUsage, last_backup_at, list_root_keys

from .access_log import Access
from .problems import STATUS

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
ROOT_KEYS_KEPT_MS = 60_000  # that the number of their rows is told for: all rows are read
METHODS = {"GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"}

# Leave out the second series of each counter, which says when the counter began
disable_created_metrics()  # type: ignore[no-untyped-call]
_registry = CollectorRegistry()
_durations = Histogram(
    "docservice_http_request_duration_seconds",
    "Requests, and the time to the head of their response.",
    ["method", "route", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
    registry=_registry,
)
_without_room = Counter(
    "docservice_storage_full", "Requests refused because the disk is full.", registry=_registry
)


def count(access: Access) -> None:
    method = access.method if access.method in METHODS else "-"
    _durations.labels(method, access.route, f"{access.status // 100}xx").observe(access.seconds)
    if access.status == STATUS["storage_full"]:
        _without_room.inc()


def latest() -> bytes:
    """Return all metrics in the text format of Prometheus."""
    return generate_latest(_registry)


class _State(Collector):
    """The state of the service, read at each scrape.

    While the database does not answer, the values that need it are left out.
    """

    def collect(self) -> Iterator[Metric]:
        runtime = current_runtime()
        yield _gauge("process_start_time_seconds", "Start, since 1970.", runtime.started_at / 1000)
        if not is_server(runtime.settings.database):
            free = shutil.disk_usage(Path(runtime.settings.database).parent).free
            yield _gauge("docservice_free_bytes", "Free on the disk of the SQLite file.", free)
            about = "When `document-service backup` last ended, since 1970; 0 if never."
            yield _gauge("docservice_last_backup_seconds", about, last_backup_at() or 0)
        objects = runtime.payload_objects
        about = "Whether the last call of the store of objects was answered, if there is one."
        answers = objects is None or objects.away_for is None
        yield _gauge("docservice_payload_store_ready", about, answers)
        lost = runtime.unrecorded.lost
        yield CounterMetricFamily("docservice_lost_readings", "Without an event.", value=lost)
        yield _by_work(
            "docservice_failures",
            "Attempts beside the requests that raised an error.",
            runtime.failures.failed(),
        )
        yield _by_work(
            "docservice_given_up",
            "Deliveries, notices and mails that are tried no more.",
            runtime.failures.given_up(),
        )
        if runtime.swept_at:
            about = "When it ended, since 1970."
            yield _gauge("docservice_last_sweep_seconds", about, runtime.swept_at)
        if runtime.dispatched_at:
            about = "When what is due was last handed to its senders, since 1970."
            yield _gauge("docservice_last_dispatch_seconds", about, runtime.dispatched_at)
        is_ready = setup.is_ready()
        yield _gauge("docservice_ready", "Whether /readyz is 200.", is_ready)
        if is_ready:
            yield from _stored()


_registry.register(_State())


def _stored() -> Iterator[Metric]:
    failing, due = Webhook.backlog()
    yield _gauge("docservice_webhooks_failing", "Webhooks that fail.", failing)
    yield _gauge("docservice_deliveries_due", "Deliveries to be sent now.", due)
    documents, size_bytes = Document.stored()
    yield _gauge("docservice_documents", "Documents stored.", documents)
    yield _gauge("docservice_document_bytes", "Bytes of their originals.", size_bytes)
    uploads, received = UnfinishedUpload.unfinished()
    yield _gauge("docservice_unfinished_uploads", "Uploads that are not finished.", uploads)
    about = "Bytes of them that have arrived."
    yield _gauge("docservice_unfinished_upload_bytes", about, received)

    about = "Rows whose key a root key opens."
    rows = GaugeMetricFamily("docservice_root_key_rows", about, labels=["root", "primary"])
    about = "When it was made, since 1970."
    made = GaugeMetricFamily("docservice_root_key_made_seconds", about, labels=["root"])
    for root in _root_keys():
        rows.add_metric([root.id, str(int(root.is_primary))], root.rows)
        if root.made_on:
            made.add_metric([root.id], timegm(root.made_on.timetuple()))
    yield rows
    yield made


def _root_keys() -> list[RootKeyUsage]:
    """Return the root keys with their rows, which are counted at most once a minute."""
    runtime = current_runtime()
    if runtime.root_keys is None or now() - runtime.root_keys[0] >= ROOT_KEYS_KEPT_MS:
        runtime.root_keys = now(), list_root_keys()
    return runtime.root_keys[1]


def _gauge(name: str, about: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, about, value=value)


def _by_work(name: str, about: str, counts: Mapping[str, int]) -> CounterMetricFamily:
    counter = CounterMetricFamily(name, about, labels=["work"])
    for work, count in counts.items():
        counter.add_metric([work], count)
    return counter
