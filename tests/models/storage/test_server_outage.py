"""What the log says of a PostgreSQL server that does not answer; none is needed for it."""

from contextlib import suppress

import pytest

psycopg = pytest.importorskip("psycopg")

from playhouse.pool import PooledPostgresqlDatabase  # noqa: E402

from models.storage import postgres  # noqa: E402


def test_an_outage_is_a_line_at_its_beginning_and_one_at_its_end(monkeypatch, caplog):
    refused = psycopg.OperationalError("connection refused")
    answers = [refused, refused, refused, "connection", "connection", refused, "connection"]

    def connect(_self):
        if isinstance(answer := answers.pop(0), Exception):
            raise answer
        return answer

    monkeypatch.setattr(PooledPostgresqlDatabase, "_connect", connect)
    database = postgres.Database(None)
    while answers:
        with suppress(psycopg.OperationalError):
            assert database._connect() == "connection"

    began, ended = (
        "the database server does not answer: connection refused",
        "the database server answers again, after 0 s",
    )
    assert [record.message for record in caplog.records] == 2 * [began, ended]
