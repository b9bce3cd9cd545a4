"""Tests of `tests/contract/test_object_store.py`, with the rows in PostgreSQL."""

import secrets

import pytest

from tests import postgres
from tests.contract.test_at_rest import holds
from tests.contract.test_object_store import (  # noqa: F401
    LARGE,
    TEXT,
    owner,
    service,
    start,
    test_a_deleted_document_takes_its_object_with_it,
    test_a_service_that_is_killed_within_an_upload_in_segments_goes_on,
    test_an_outage_within_one_request_ends_it_behind_the_steps_that_were_stored,
    test_an_upload_goes_on_after_an_outage_of_the_store_with_all_that_was_acknowledged,
    test_documents_are_read_as_they_were_uploaded,
    test_kill_9_loses_nothing_that_was_acknowledged,
    test_many_upload_and_read_at_once,
    test_what_has_arrived_is_deleted_from_store_and_rows_when_an_upload_is_ended,
)
from tests.contract.webhooks import create_webhook
from tests.formats import b64
from tests.service import Service
from tests.waiting import until


@pytest.fixture(scope="module", autouse=True)
def engine(postgres_server):
    before, Service.engine = Service.engine, "postgres"
    yield
    Service.engine = before


def test_payloads_are_moved_while_the_service_runs(service, owner):  # noqa: F811
    document = owner.upload(LARGE)
    path, object_ = f"/v1/documents/{document['id']}/content", f"payload/{document['id']}"
    for place in ("rows", "objects"):
        service.run_command("payloads", "move", "--to", place)
        assert owner.get(path).body == LARGE
        until(lambda place=place: (object_ in service.payloads()) == (place == "objects"))


def test_neither_bucket_nor_the_servers_files_and_log_hold_plaintext(
    service,  # noqa: F811
    postgres_server,
):
    def secret():
        return secrets.token_hex(20)

    email = f"{secret()}@example.org"
    person = service.register(email, password := secret(), name=(name := secret()))
    marks = [secret() for _ in range(7)]
    link = {"label": marks[0], "password": marks[1]}
    small = {"name": marks[2], "metadata": {marks[3]: marks[4]}, "token": link}
    again = {"Idempotency-Key": secret()}
    body = {"payload": b64(marks[5].encode() * 9), "contentType": "text/plain", **small}
    uploaded = person.post("/v1/documents", json=body, headers=again).json
    large = person.upload(marks[6].encode() * (len(TEXT) // 40), "text/plain")
    for document in (uploaded, large):
        assert person.get(f"/v1/documents/{document['id']}/view").status == 200
    webhook = create_webhook(person, f"https://hook.example/{(path := secret())}")
    kept = [webhook["secret"], person.secret, person.create_api_key().record["key"]]
    kept += [uploaded["token"]["token"], uploaded["sha256"]]
    postgres.execute(postgres_server.url(), "CHECKPOINT")

    assert f"payload/{large['id']}" in service.payloads()
    stored = [*postgres_server.files(), *service.objects().values(), *service.files().values()]
    assert any(holds(one, email.encode()) for one in stored), "addresses are stored in clear"
    for mark in (*marks, *kept, password, name, path):
        assert not any(holds(one, mark.encode()) for one in stored), mark
