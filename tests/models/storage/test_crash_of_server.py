"""What a crash of a PostgreSQL server leaves whose own default is not to wait for the disk."""

import pytest

from models import Document, User, connected, in_one_transaction
from models.documents import UnreferencedPayload
from tests import postgres
from tests.uploads import upload

CARELESS = {"synchronous_commit": "off", "wal_writer_delay": "10s", "wal_writer_flush_after": "0"}


@pytest.fixture
def server(postgres_server, monkeypatch):
    monkeypatch.setattr(postgres, "OPTIONS", postgres.OPTIONS | CARELESS)
    server = postgres.PostgresServer()
    yield server
    server.remove()


@pytest.fixture
def alice(server, configure):
    configure(server.new_database())
    with connected():
        return User.register("alice@example.com", "correct horse battery", "Alice", "open")


def crash(server):
    server.stop("immediate")
    server.start()


def test_what_was_acknowledged_and_the_record_of_an_object_survive(alice, server):
    with connected():
        document = upload(alice, b"acknowledged")
    crash(server)
    with connected():
        assert b"".join(Document.one_of(alice.id, document.id).read()) == b"acknowledged"

    with connected(), in_one_transaction():
        UnreferencedPayload.begin_upload("doc_begun", "objects")
    crash(server)
    with connected():
        assert UnreferencedPayload.find("doc_begun", "objects")
