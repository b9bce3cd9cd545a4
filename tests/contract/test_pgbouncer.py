"""Processes whose connections to PostgreSQL are lent by pgbouncer, a transaction at a time."""

import os
from functools import partial

import pytest

from crypto import Keyring
from tests.contract.webhooks import create_webhook
from tests.people import Person
from tests.pgbouncer import Pgbouncer
from tests.waiting import run_in_threads, until

CONNECTIONS = 2  # for two processes with up to 24 threads each that ask the database


@pytest.fixture(scope="module")
def pooler(postgres_server):
    pooler = Pgbouncer(postgres_server, CONNECTIONS)
    yield pooler
    pooler.stop()


@pytest.fixture(scope="module")
def nodes(start_service, postgres_server, pooler, tmp_path_factory):
    """Two processes; the first has migrated the database through the pooler."""
    keyring = tmp_path_factory.mktemp("keys") / "keyring"
    Keyring.create(keyring)
    common = {"DATABASE": pooler.url_of(postgres_server.new_database()), "KEYRING_FILE": keyring}
    common |= {"RATE_LIMITS": "off", "WEBHOOK_ALLOW": "127.0.0.0/8"}
    return [start_service(**common) for _ in range(2)]


def test_many_clients_share_few_connections(nodes, receiver):
    person = nodes[0].register()
    create_webhook(person, receiver.url(), events=["document.created"])
    contents = {}

    def work(number):
        one = Person(nodes[number % 2], person.credential)
        for size in (20, 3_000, 2_500_000):
            content = os.urandom(size)
            contents[one.upload(content, "a/b", token=None)["id"]] = content
            assert one.get("/v1/documents").status == 200

    run_in_threads(*(partial(work, number) for number in range(12)))

    for number, (id, content) in enumerate(contents.items()):
        other = Person(nodes[number % 2], person.credential)
        assert other.get(f"/v1/documents/{id}/content").body == content
    created = [event["id"] for event in person.events("&type=document.created")]
    received = receiver.wait_for(len(contents))
    assert [one.headers["webhook-id"] for one in received] == created
    held = """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'document-service'"""
    assert nodes[0].sql(held)[0][0] <= CONNECTIONS


def test_commands_that_stream_rows_and_verify_all_work_through_it(nodes):
    person = nodes[0].register()
    person.upload()
    assert "WRONG" not in nodes[0].run_command("doctor", "--deep")
    assert "document.created" in nodes[0].run_command("audit", "export", person.record["email"])


def test_while_the_pooler_is_away_calls_are_told_to_come_back(nodes, pooler):
    person = nodes[0].register()
    pooler.stop()
    try:
        assert person.get("/v1/auth/me", errors=[503]).status == 503
        assert Person(nodes[0]).get("/healthz").status == 200
    finally:
        pooler.start()
    until(lambda: person.get("/v1/auth/me", errors=[503]).status == 200)
