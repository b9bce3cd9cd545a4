"""`/metrics`: counters for operators, off by default, without data of users."""

import re
import time

import pytest

from crypto import Keyring
from tests.mailbox import BASE, Mailbox
from tests.people import Person
from tests.problems import refused
from tests.tus import Upload
from tests.waiting import until


@pytest.fixture(scope="module")
def watched(start_service):
    return start_service(METRICS="on", RATE_LIMITS="off")


def series_of(service):
    """Return series -> value; the labels of a series stand in the order of their names."""
    answer = Person(service).get("/metrics")
    assert (answer.status, answer.headers["Content-Type"]) == (
        200,
        "text/plain; version=0.0.4; charset=utf-8",
    )
    lines = [line for line in answer.text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def requests(service, labels):
    """Return the number of requests, their seconds, and the buckets in order."""
    name, series = "docservice_http_request_duration_seconds", series_of(service)
    bucket = re.compile(rf'{name}_bucket{{le="[^"]+",{re.escape(labels)}}}')
    buckets = [value for key, value in series.items() if bucket.fullmatch(key)]
    return series[f"{name}_count{{{labels}}}"], series[f"{name}_sum{{{labels}}}"], buckets


def test_metrics_are_off_by_default(anonymous):
    refused(anonymous.get("/metrics"), 404, "not_found")


def test_a_request_is_counted_by_route_method_and_status_class(watched):
    person = watched.register()
    document = person.upload(b"content")
    for _ in range(3):
        person.get(f"/v1/documents/{document['id']}")
    labels = 'method="GET",route="/v1/documents/<id>",status="2xx"'

    count, seconds, buckets = requests(watched, labels)

    assert (count, buckets[-1]) == (3, 3)
    assert buckets == sorted(buckets)
    assert 0 < seconds < 60


def test_an_operator_sees_readiness_room_sweeps_and_webhooks(watched):
    def seen():
        series = series_of(watched)
        return series if "docservice_last_sweep_seconds" in series else None

    until(seen)
    series = seen()
    assert series["docservice_ready"] == 1
    assert series["docservice_free_bytes"] > 0
    assert abs(series["docservice_last_sweep_seconds"] - time.time()) < 120
    for name in ("storage_full_total", "webhooks_failing", "deliveries_due"):
        assert series[f"docservice_{name}"] == 0, name


def test_an_operator_sees_when_a_backup_was_last_written(start_service, tmp_path):
    service = start_service(METRICS="on")
    assert series_of(service)["docservice_last_backup_seconds"] == 0
    service.run_command("backup", tmp_path / "copy")
    assert abs(series_of(service)["docservice_last_backup_seconds"] - time.time()) < 120
    assert series_of(service)["docservice_payload_store_ready"] == 1
    until(lambda: "docservice_last_dispatch_seconds" in series_of(service))


def test_an_operator_sees_what_is_given_up(start_service):
    with Mailbox(answers=["550 not here"]) as box:
        service = start_service(METRICS="on", SMTP_URL=box.url(), BASE_URL=BASE)
        name = 'docservice_given_up_total{work="mail"}'
        assert series_of(service)[name] == 0
        service.run_command("users", "invite", "nobody@example.org", "--mail")
        until(lambda: series_of(service)[name] == 1)
        assert series_of(service)['docservice_failures_total{work="mail"}'] == 0


def test_without_the_keyring_what_needs_the_database_is_left_out(start_service):
    service = start_service(METRICS="on")
    (service.instance / "keyring").rename(service.instance / "away")
    series = series_of(service)
    assert series["docservice_ready"] == 0
    assert "docservice_documents" not in series
    assert any(name.startswith("docservice_http_request_duration_seconds") for name in series)


def test_a_request_without_a_route_is_counted_under_a_dash(watched):
    for path in ("/v1/one", "/v1/two"):
        Person(watched).get(path)
    assert requests(watched, 'method="GET",route="-",status="4xx"')[0] == 2


def test_documents_and_their_bytes_are_counted(watched):
    before = series_of(watched)
    watched.register().upload(bytes(1_000))
    after = series_of(watched)
    assert after["docservice_documents"] == before["docservice_documents"] + 1
    assert after["docservice_document_bytes"] == before["docservice_document_bytes"] + 1_000


def test_unfinished_uploads_and_what_has_arrived_of_them_are_counted(watched):
    before = series_of(watched)
    Upload.begin(watched.register(), 1000, bytes(300))
    after = series_of(watched)
    uploads, received = "docservice_unfinished_uploads", "docservice_unfinished_upload_bytes"
    assert after[uploads] == before[uploads] + 1
    assert after[received] == before[received] + 300


def test_root_keys_have_their_creation_time_and_number_of_rows(watched):
    watched.register()
    root = Keyring(watched.instance / "keyring").primary.id
    series = series_of(watched)
    assert series[f'docservice_root_key_rows{{primary="1",root="{root}"}}'] >= 1
    made = series[f'docservice_root_key_made_seconds{{root="{root}"}}']
    assert 0 <= time.time() - made < 2 * 86_400


def test_the_start_time_of_the_process_is_reported(watched):
    assert 0 < time.time() - series_of(watched)["process_start_time_seconds"] < 3_600


def test_metrics_contain_no_data_of_a_user(watched):
    person = watched.register("watched@example.org", name="Watched")
    document = person.upload(b"content", name="watched.txt")
    person.get(f"/v1/documents/{document['id']}")
    text = Person(watched).get("/metrics").text
    assert not [
        secret for secret in ("atched", document["id"], person.record["id"]) if secret in text
    ]
