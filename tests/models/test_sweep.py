"""models/background.py: no other writer waits long while the sweeper deletes."""

import pytest

from models import Document, DocumentToken, Webhook, database
from models.background import sweep
from models.core import now
from models.links import LinkOptions
from models.records import table as tables
from tests.uploads import upload

MANY = "WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many LIMIT 2000)"
HOUR_MS = 3_600_000
OLD_ROWS = {
    "answer (id, created_at, root, sealed_key)": "'ans_' || n, 0, '', x''",
    "mail_limit (id, created_at, due_at)": "n, 0, 0",
}
OLD_DELIVERIES = """
    INSERT INTO delivery (id, created_at, owner_id, webhook_id, event_id, type)
    {} SELECT 'dlv_00' || n, 0, owner_id, id, 'evt_', 'document.created' FROM many, webhook"""


@pytest.mark.slow
def test_what_has_ended_while_the_service_stood_is_deleted_in_batches(alice, changed_rows):
    Webhook.register(alice.id, "https://hook.example/in", ("webhook.test",))
    database.execute_sql(OLD_DELIVERIES.format(MANY))
    for table, values in OLD_ROWS.items():
        database.execute_sql(f"INSERT INTO {table} {MANY} SELECT {values} FROM many")
    changed_rows.clear()

    sweep()

    for table in ("answer", "mail_limit", "delivery"):
        assert database.execute_sql(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    assert sum(changed_rows) == 6_000
    assert max(changed_rows) <= 1_000


@pytest.mark.slow
def test_payloads_that_are_due_together_are_dropped_in_batches(alice, changed_rows):
    due = "'doc_' || n, 'rows', 0, 0, 0"
    database.execute_sql(f"""
        INSERT INTO unreferenced_object (id, place, created_at, uploading, drop_at)
        {MANY} SELECT {due} FROM many""")
    changed_rows.clear()

    sweep()

    assert database.execute_sql("SELECT count(*) FROM unreferenced_object").fetchone() == (0,)
    assert sum(changed_rows) == 4_000  # each is claimed, then deleted
    assert max(changed_rows) <= 1_000


def test_documents_and_links_that_end_together_are_opened_by_pages(alice, clock, monkeypatch):
    monkeypatch.setattr(tables, "PAGE_ROWS", 2)
    ends = now() + HOUR_MS
    for _ in range(3):
        upload(alice, expires_at=ends, link=LinkOptions(expires_at=ends - 1))
        upload(alice, link=LinkOptions(expires_at=ends))
    opened = []
    for kind in (Document, DocumentToken):
        monkeypatch.setattr(kind, "rows", opens(kind, opened))
    clock(HOUR_MS)

    assert sweep() == 3

    assert Document.select().count() == 3
    assert DocumentToken.select().where(DocumentToken.spent_at.is_null(False)).count() == 3
    assert max(opened) <= 2


def opens(kind, opened):
    """The method `rows` of a class, which records how many it has opened."""
    rows = kind.rows

    def recording(query, **values):
        found = rows(query, **values)
        opened.append(len(found))
        return found

    return recording


@pytest.mark.slow
def test_links_that_expire_together_end_in_batches(alice, clock, changed_rows):
    for document in [upload(alice) for _ in range(5)]:
        for _ in range(100):
            DocumentToken.issue(document, LinkOptions(expires_at=now() + HOUR_MS))
    changed_rows.clear()
    clock(HOUR_MS)

    sweep()

    assert DocumentToken.select().where(DocumentToken.spent_at.is_null()).count() == 0
    assert max(changed_rows) <= 1_000 < sum(changed_rows)


@pytest.mark.slow
def test_a_webhook_goes_with_its_deliveries_in_batches(alice, changed_rows):
    webhook = Webhook.register(alice.id, "https://hook.example/in").row
    database.execute_sql(OLD_DELIVERIES.format(MANY))
    changed_rows.clear()

    webhook.remove()

    assert database.execute_sql("SELECT count(*) FROM delivery").fetchone() == (0,)
    assert max(changed_rows) <= 1_000 < sum(changed_rows)
