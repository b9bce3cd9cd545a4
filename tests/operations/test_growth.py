"""Twice the rows take twice the work, and no statement has a parameter for each row."""

import re
import sqlite3

import pytest

from models import (
    ApiKey,
    Collection,
    DocumentToken,
    Event,
    EventHead,
    User,
    Webhook,
    WebhookDelivery,
    database,
    setup,
    transaction,
)
from models.background import sweep
from models.documents import document, search
from models.links import LinkOptions
from models.records import Table
from models.records import table as tables
from operations import (
    audit,
    check_contents,
    check_keys,
    checkpoint,
    export_accounts,
    read_receipts,
    rotate_root_keys,
    verify_log,
)
from tests.steps import steps_of
from tests.uploads import upload

pytestmark = pytest.mark.usefixtures("quick_passphrases")
PASSPHRASE = "a long passphrase"
ROWS = 60
STEPS = 100  # of SQLite's virtual machine, after which it calls back
MOST_GROWTH = 2.5
WORK = {
    "check of keys": check_keys,
    "check of contents": check_contents,
    "verification of the log": verify_log,
    "receipts of the log": lambda: verify_log(read_receipts("\n".join(receipts_of_events()))),
    "checkpoint": checkpoint,
    "rotation": rotate_root_keys,
    "sweep": sweep,
}


def tables_of_the_service(table=Table):
    """The classes whose rows lie in a table of their own."""
    below = {one for each in table.__subclasses__() for one in tables_of_the_service(each)}
    return below or {table}


def plan(query):
    values = dict.fromkeys(re.findall(r":(\w+)", query.text), "")
    found = database.execute_sql(f"EXPLAIN QUERY PLAN {query.text}", values)
    return [row[-1] for row in found]


def receipts_of_events():
    """What the senders of files keep: the id of an event, and its hash."""
    events = Event.rows(Event.select())
    return [f"{one.id} {one.hash.hex()}" for one in events]


def fill(owner, rows):
    """Store rows of each kind."""
    webhook = Webhook.register(owner.id, "https://hook.example/", ("webhook.test",)).row
    with transaction(), EventHead.moved_once(owner.id):
        for number in range(rows):
            Event.record(owner.id, "webhook.test", {}, to=webhook.id)
            space = User.insert_space(f"space {number}", owner.id)
            EventHead.begin(space.id)
    options = LinkOptions(None, "view", "", expires_at=None, max_views=None)
    for number in range(rows):
        ApiKey.issue(owner, None, "documents:read", None)
        uploaded = upload(owner, name=f"document {number}")
        DocumentToken.issue(uploaded, options)
        Collection.make(owner.id, f"collection {number}", document_ids=[uploaded.id])


def test_a_row_is_found_changed_and_followed_by_an_index(instance):
    for table in tables_of_the_service():
        column = table._meta.sorted_field_names[-1]
        queries = [
            tables._by_key(table),
            tables._following(table),
            tables._storing(table, (column,)),
        ]
        for query in queries:
            (line,) = plan(query)
            assert re.match("SEARCH .* INDEX", line), (query.text, line)


def test_how_much_an_owner_has_is_found_by_indexes_that_do_not_grow_with_it(instance):
    searches = [line for line in plan(document._stored_by()) if "t1" in line or "t2" in line]
    assert searches == [
        "SEARCH t1 USING INDEX sqlite_autoindex_document_total_1 (owner_id=?)",
        "SEARCH t2 USING INDEX document_expiry (expires_at<?)",
    ]


def test_the_totals_of_collections_take_no_step_more_for_more_documents(alice):
    ids = [upload(alice).id for _ in range(ROWS)]
    small, large = (Collection.make(alice.id, "of some", document_ids=ids[:n]) for n in (1, ROWS))

    def steps_to_total(collection):
        return steps_of(lambda: Collection.find_totals([collection]))

    assert steps_to_total(large) == steps_to_total(small)
    assert (small.document_count, large.document_count) == (1, ROWS)


def test_the_backlog_takes_no_step_more_for_more_deliveries_that_wait(alice):
    webhook = Webhook.register(alice.id, "https://hook.example/", ("webhook.test",)).row

    def steps_with_more(deliveries):
        with transaction(alice.id), EventHead.moved_once(alice.id):
            for _ in range(deliveries):
                Event.record(alice.id, "webhook.test", {}, to=webhook.id)
        database.execute_sql(
            "UPDATE delivery SET attempts = 1 WHERE id = (SELECT min(id) FROM delivery)"
        )
        assert Webhook.backlog() == (1, 0)
        return steps_of(Webhook.backlog)

    assert steps_with_more(2) == steps_with_more(ROWS)


def test_the_ids_of_the_largest_documents_are_found_without_a_sort(instance):
    lines = plan(search._all("largest"))
    assert "SEARCH t1 USING COVERING INDEX document_size (owner_id=?)" in lines
    assert [line for line in lines if "TEMP B-TREE" in line] == ["USE TEMP B-TREE FOR ORDER BY"]


def test_root_keys_in_use_are_counted_without_a_sort(alice):
    for _ in range(2):  # with one root key, and with rows of two
        statements = []
        database.connection().set_trace_callback(statements.append)
        used = setup.root_keys_in_use()
        database.connection().set_trace_callback(None)

        assert sum(used.values()) == rows_with_keys()
        of_documents = [one for one in statements if '"document"' in one]
        assert of_documents
        for one in of_documents:
            plans = database.execute_sql(f"EXPLAIN QUERY PLAN {one}").fetchall()
            assert not any("TEMP B-TREE" in row[-1] for row in plans), (one, plans)
        upload(alice)
        database.execute_sql("UPDATE document SET root = 'another'")
    assert used["another"] == 1
    assert len(used) == 2


def rows_with_keys():
    return sum(table.select().count() for table in setup.TABLES_WITH_KEYS)


def test_a_row_is_not_looked_for_by_a_part_of_its_key(instance, alice):
    with pytest.raises(ValueError, match="zip"):
        Event.find("evt_1")
    with pytest.raises(ValueError, match="zip"):
        WebhookDelivery.find("dlv_1")


@pytest.mark.slow
def test_twice_the_rows_take_twice_the_steps_of_the_database(alice, tmp_path):
    before, after = {}, {}
    for steps in (before, after):
        fill(alice, ROWS)
        for name, work in WORK.items():
            steps[name] = steps_of(work, STEPS)
        folder = tmp_path / f"export {len(after)}"
        steps["export"] = steps_of(lambda to=folder: export_accounts(to, PASSPHRASE), STEPS)
    growth = {name: after[name] / max(before[name], 1) for name in before}
    assert {name: of for name, of in growth.items() if of > MOST_GROWTH} == {}


@pytest.mark.slow
def test_no_command_has_a_parameter_for_each_row(alice, tmp_path, monkeypatch):
    fill(alice, ROWS)
    monkeypatch.setattr(audit, "_EVENTS", ROWS // 2)
    limit = sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER
    before = database.connection().setlimit(limit, ROWS - 1)
    try:
        for work in WORK.values():
            work()
        export_accounts(tmp_path / "export", PASSPHRASE)
    finally:
        database.connection().setlimit(limit, before)
