"""The PostgreSQL engine on a real server: its schema, locks, transactions and errors."""

import threading
from collections import Counter
from contextlib import suppress
from functools import partial

import pytest
from peewee import IntegrityError, OperationalError

from models import (
    ApiKey,
    Event,
    StoredResponse,
    User,
    connected,
    database,
    in_one_transaction,
    setup,
    transaction,
)
from models.background import sweep
from models.core import (
    Busy,
    By,
    DatabaseUnavailable,
    IdempotencyInProgress,
    Limit,
    StorageFull,
    TooManyRequests,
    now,
)
from models.runtime import service_error_of
from models.runtime.rate_limiter import SharedRateLimiter
from models.storage import current_right, engine, separate_transaction
from tests.models.migrations.test_columns import TABLES
from tests.models.runtime.test_unrecorded import read, readings
from tests.uploads import upload
from tests.waiting import run_in_threads, start_threads, until

TABLES_QUERY = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1"
TYPES = {"TEXT": "text", "BLOB": "bytea", "INT": "bigint", "BIGINT": "bigint"}


pytestmark = pytest.mark.usefixtures("instance")  # a connection


@pytest.fixture
def runtime(configure_on_server):
    return configure_on_server()


def test_columns_have_the_names_types_and_nullability_of_the_models(runtime):
    query = """
        SELECT column_name, data_type, is_nullable, collation_name
        FROM information_schema.columns WHERE table_name = :name"""
    for table in TABLES:
        rows = database.execute_sql(query, {"name": table._meta.table_name}).fetchall()
        declared = {
            one.column_name: (TYPES[one.field_type], one.null) for one in table._meta.sorted_fields
        }
        columns = {name: (kind, null == "YES") for name, kind, null, _ in rows}
        assert columns == declared, table
        assert {collation for _, kind, _, collation in rows if kind == "text"} <= {"C"}, table


def test_writers_of_one_owner_wait_for_each_other_and_no_count_is_lost(alice):
    def work():
        for _ in range(10):
            with connected(), transaction(alice.id):
                found = User.get_by_id(alice.id)
                found.change(disabled_at=(found.disabled_at or 0) + 1)

    run_in_threads(*[work] * 6)

    assert User.get_by_id(alice.id).disabled_at == 60


@pytest.mark.parametrize(
    ("first", "second", "waits"),
    [
        ("usr_1", "usr_2", False),
        ("usr_1", "usr_1", True),
        ("usr_1", "service", True),
        ("service", "usr_1", True),
    ],
)
def test_a_writer_waits_for_the_same_owner_and_for_the_service(
    first, second, waits, runtime, monkeypatch
):
    monkeypatch.setattr("models.storage.postgres_engine.LOCK_SECONDS", 0.2)
    outcomes = []

    def write():
        try:
            with connected(), transaction(second):
                outcomes.append("wrote")
        except OperationalError as error:
            outcomes.append(type(service_error_of(error)))

    with transaction(first):
        run_in_threads(write)

    assert outcomes == [Busy if waits else "wrote"]
    run_in_threads(write)
    assert outcomes[1] == "wrote"


@pytest.mark.parametrize("locks_at_begin", [True, False])
def test_a_right_is_judged_in_the_round_trip_that_takes_the_lock(
    alice, monkeypatch, locks_at_begin
):
    from models.storage.postgres import Connection  # noqa: PLC0415  it needs the extra

    trips = 0
    wait = Connection.wait

    def counted(*args, **options):
        nonlocal trips
        trips += 1
        return wait(*args, **options)

    key = ApiKey.issue(alice, None, "documents:read", None).row
    right = ApiKey.right(key.id, alice.id, now(), ("documents:read",))
    before = current_right.set(right)
    monkeypatch.setattr(Connection, "wait", counted)

    with transaction(alice.id if locks_at_begin else None), transaction(alice.id):
        assert right.was_judged
        assert trips == (1 if locks_at_begin else 2)

    current_right.reset(before)


def test_a_transaction_in_which_a_statement_failed_is_not_taken_for_committed(alice):
    with (
        pytest.raises(OperationalError, match="has failed"),
        transaction(alice.id),
        pytest.raises(IntegrityError),
    ):
        alice.store()
    assert User.select().count() == 1


@pytest.mark.parametrize(("default", "synced"), [("off", "on"), ("remote_write", "remote_write")])
def test_what_is_acknowledged_is_on_disk_whatever_the_default_of_the_server(
    default, synced, runtime
):
    database.execute_sql(f"SET synchronous_commit = {default}")
    query = "SELECT current_setting('synchronous_commit')"
    with transaction("usr_1"):
        assert database.execute_sql(query).fetchone() == (synced,)
    with separate_transaction("usr_1", synced=False):
        assert database.execute_sql(query).fetchone() == ("off",)
    database.execute_sql("RESET synchronous_commit")


def test_what_has_to_be_on_disk_first_is_synced_before_the_larger_transaction(alice):
    database.execute_sql("SET synchronous_commit = off")
    found = []

    def read():
        with connected():
            found.append(User.get_by_id(alice.id).disabled_at)

    with in_one_transaction():
        with separate_transaction(alice.id):
            query = "SELECT current_setting('synchronous_commit')"
            assert database.execute_sql(query).fetchone() == ("on",)
            alice.change(disabled_at=5)
        run_in_threads(read)
    database.execute_sql("RESET synchronous_commit")
    assert found == [5]


def test_a_machine_that_vanished_holds_no_lock_for_long(runtime, monkeypatch):
    from models.storage.postgres_engine import _BOUNDED  # noqa: PLC0415  an extra

    monkeypatch.setattr("models.storage.postgres_engine._BOUNDED", _BOUNDED.replace("15s", "50ms"))
    monkeypatch.setattr("models.storage.postgres_engine.LOCK_SECONDS", 60)
    vanished, took_over = threading.Event(), threading.Event()

    def vanish():
        with suppress(OperationalError), connected(), transaction("usr_1"):
            vanished.set()
            took_over.wait(60)

    (thread,) = start_threads(vanish)
    vanished.wait()
    with transaction("usr_1"):
        took_over.set()
    thread.join()


def test_many_rows_are_streamed_in_a_transaction(runtime):
    query = "SELECT n, :text FROM generate_series(1, 1200) AS n"
    with transaction("usr_1"):
        rows = list(engine().stream(query, {"text": "50 %"}))
    assert rows == [(n, "50 %") for n in range(1, 1201)]


def test_a_request_that_another_process_executes_is_in_progress(runtime):
    outcomes = []

    def execute(wait_seconds=0):
        try:
            lock = partial(StoredResponse.lock, "ans_1", wait_seconds)
            with connected(), in_one_transaction(lock):
                outcomes.append("began")
                with transaction("usr_1"):
                    outcomes.append("wrote")
        except IdempotencyInProgress:
            outcomes.append("refused")

    with transaction("usr_2"):
        StoredResponse.lock("ans_1")
        run_in_threads(execute)
        waiting = threading.Thread(target=execute, args=(30,))
        waiting.start()
        until(lambda: len(outcomes) == 3)
    waiting.join()

    assert outcomes == ["began", "refused", "began", "wrote"]


def test_text_with_nul_is_not_found(alice):
    assert User.find("usr_\0") is None
    assert User.find_by_email("alice\0@example.com") is None


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_limits_are_exact_whatever_the_default_isolation_of_the_server(level, runtime):
    name = runtime.settings.database.partition("?")[0].rpartition("/")[2]
    database.execute_sql(f"ALTER DATABASE {name} SET default_transaction_isolation = '{level}'")
    runtime.close_database()
    setup.open_runtime()
    limiter = SharedRateLimiter(Limit("tries", "tries", 20, 3600, By.LINK), True)
    outcomes = []

    def spend():
        for _ in range(10):
            try:
                limiter.spend("somebody")
                outcomes.append("allowed")
            except TooManyRequests:
                outcomes.append("refused")

    run_in_threads(*[spend] * 6)
    with connected():
        query = "SELECT reset_val FROM pg_settings WHERE name = 'default_transaction_isolation'"
        assert database.execute_sql(query).fetchone() == (level,), "the connections are older"
    assert Counter(outcomes) == {"allowed": 20, "refused": 40}


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        ("53100", StorageFull),
        ("55P03", Busy),
        ("40P01", Busy),
        ("57P01", DatabaseUnavailable),
        ("25P03", DatabaseUnavailable),
    ],
)
def test_errors_of_the_server_are_errors_of_the_service(state, kind, runtime):
    raising = f"DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{state}'; END $$"
    with pytest.raises(Exception, match="no") as raised:
        database.execute_sql(raising)
    assert type(service_error_of(raised.value)) is kind


def test_a_trigger_is_foreign(alice):
    database.execute_sql(
        "CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'"
    )
    database.execute_sql(
        "CREATE TRIGGER undo AFTER UPDATE ON api_key FOR EACH ROW EXECUTE FUNCTION nothing()"
    )
    assert setup.schema_problems() == ["trigger undo is foreign"]


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE OR REPLACE FUNCTION document_added() RETURNS trigger LANGUAGE plpgsql"
        " AS 'BEGIN RETURN NULL; END'",
        "ALTER FUNCTION document_added SECURITY DEFINER",
        "ALTER FUNCTION document_added SET search_path TO other",
        "ALTER TABLE document DISABLE TRIGGER document_added",
    ],
)
def test_a_trigger_of_the_service_that_was_altered_prevents_the_start(alice, statement):
    assert setup.schema_problems() == []
    database.execute_sql(statement)
    assert setup.schema_problems() == ["trigger document_added was altered"]


def test_a_trigger_that_is_missing_is_named_by_doctor(alice):
    database.execute_sql("DROP TRIGGER document_added ON document")
    assert setup.schema_problems() == []
    assert setup.table_problems() == ["trigger document_added is missing"]


def test_a_sweep_deletes_limits_that_nothing_is_owed_to(alice, runtime):
    runtime.login_failures.record_failure("alice", "127.0.0.1")
    database.execute_sql("UPDATE rate_limit SET due_at = 1")
    sweep()
    assert database.execute_sql("SELECT count(*) FROM rate_limit").fetchone() == (0,)


def test_a_reading_is_an_event_before_its_response_or_when_the_writer_has_ended(alice, monkeypatch):
    monkeypatch.setattr("models.events.event.READER_WAITS_SECONDS", 0.05)
    document = upload(alice)
    read(document)

    def stored_events():
        of_alice = Event.select().where(Event.owner_id == alice.id)
        return [one.type for one in of_alice.order_by(Event.id)]

    assert stored_events() == ["document.created", "document.viewed"]

    def read_another():
        with connected():
            read(document, type="document.downloaded")

    with transaction(alice.id):
        run_in_threads(read_another)
    assert len(stored_events()) == 2
    Event.record_readings()
    assert stored_events()[2:] == ["document.downloaded"]


def test_readings_are_nowhere_in_the_database_before_their_event(alice):
    def rows():
        tables = database.execute_sql(TABLES_QUERY).fetchall()
        found = [database.execute_sql(f"TABLE {name}").fetchall() for (name,) in tables]
        return [sorted(map(str, one)) for one in found]

    document = upload(alice)
    read(document)
    before = rows()
    read(document, times=5)
    assert rows() == before

    Event.record_merged_readings(all=True)
    assert readings(alice) == [("document.viewed", 1), ("document.viewed", 5)]
