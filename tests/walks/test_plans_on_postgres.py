"""No statement of a request, or of the sweeper's minute, reads or sorts all rows of a table that
grows on PostgreSQL, either, with tens of thousands of rows in each.

The server plans each statement for the values with which it was executed: it plans one so at least
five times, and without values only if that costs no more.
"""

import pytest

from crypto import Keyring
from models import connected, database
from tests.walks.executed import executed_statements
from tests.walks.scene import People, Scene

pytest.importorskip("psycopg")

from models.storage import postgres

ROWS = 30_000  # of each table: a third of the owners who have sent requests, the others of hundreds
MOST_SORTED = 1_000  # rows, by the estimate of the server
SMALL = {  # tables that do not grow with what is stored
    "claim",
    "node",
    "pg_class",
    "rate_limit",
    "schema_migration",
    "service_key",
    "token_key",
}
FEW = "There are few at a time, and all end soon."
SECOND = "It ends at the second row, which most accounts are."
READ = {  # tables that statements read, by the condition, and why they may
    "invitation: (expires_at": FEW,
    "mail: (expires_at": FEW,
    "mail_limit: (due_at": FEW,
    "upload: ((document_id IS NULL) AND (came_by IS NOT NULL))": FEW,
    "upload: ((document_id IS NULL) AND (received = size))": FEW,
    "preview: (expires_at": "The cache of previews has a limit.",
    "user_account: ((made_by IS NULL) AND (email_folded <> id))": SECOND,
    "session: ((id <> ''::text) AND (identity_id": "A way to log in is given up.",
    "session: (expires_at": "One key seals all tokens, but after a rotation.",
}
SORTED = {  # tables whose rows statements sort, by what, and why they may
    'document_token by id COLLATE "C" DESC': "The place behind 10,000 links, as many as are here.",
}
OF_FEW_EACH = {"document_total", "identity"}  # tables of which an owner has one row, or few
TABLES = """
    SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"""
COLUMNS = """
    SELECT column_name, data_type FROM information_schema.columns
    WHERE table_schema = 'public' AND table_name = :table ORDER BY ordinal_position"""
SOME_VALUE = {"text": "'a'", "bigint": "9e12", "bytea": "'a'"}  # by the type of a column

pytestmark = [pytest.mark.postgres, pytest.mark.slow]


@pytest.fixture(scope="module")
def plans(tmp_path_factory, postgres_server):
    """The plan of each statement, by its text."""
    folder = tmp_path_factory.mktemp("plans")
    Keyring.create(folder / "keyring")  # no start on a server makes one
    given = {"DATABASE": postgres_server.new_database()}
    methods = ["_execute_cursor", "with_literals"]
    with executed_statements(folder, postgres.Database, methods, NewPeople, **given) as executed:
        fill()
        yield {sql: plan(sql, values) for sql, values in executed.items()}


class NewPeople:
    """A stage where each scene has people of its own, beside those of former ones."""

    def __init__(self, app):
        self.client = app.test_client(use_cookies=False)

    def scene(self, *, in_space=False):
        with connected():
            return Scene(self.client, People(in_space=in_space))


def fill():
    """Copy the rows of each table until it has so many more, a third of them of the same owners."""
    database.execute_sql("SET session_replication_role = replica")  # no triggers, no references
    for (table,) in database.execute_sql(TABLES).fetchall():
        if table not in SMALL:
            columns = database.execute_sql(COLUMNS, {"table": table}).fetchall()
            names = ", ".join(f'"{name}"' for name, _ in columns)
            ((count,),) = database.execute_sql(f"SELECT COUNT(*) FROM {table}").fetchall()
            if not count:
                made_up = ", ".join(SOME_VALUE[kind] for _, kind in columns)
                database.execute_sql(f"INSERT INTO {table} ({names}) VALUES ({made_up})")
            values = ", ".join(copied(table, name, kind) for name, kind in columns)
            database.execute_together(
                f"INSERT INTO {table} ({names}) SELECT {values} "
                f"FROM generate_series(1, {ROWS}) AS n JOIN "
                f"(SELECT *, row_number() OVER () - 1 AS place_of_row FROM {table}) AS former "
                f"ON n % {count or 1} = place_of_row ON CONFLICT DO NOTHING"
            )
    database.execute_sql("ANALYZE")


def copied(table, name, kind):
    """The expression of a column of a copy: keys are new, and owners are others for most rows."""
    value = f'former."{name}"'
    if name in ("owner_id", "user_id"):
        others = f"{value} || '-' || n % 300"
        if table in OF_FEW_EACH:
            return f"{value} || '-' || n"
        return f"CASE WHEN n % 3 = 0 THEN {value} ELSE {others} END"
    if name == "id" or (name.endswith(("_id", "_folded", "digest", "subject")) and kind == "text"):
        return f"CASE WHEN {value} IS NOT NULL THEN left({value}, 4) || md5(n || {value}) END"
    if name == "digest":
        return f"sha256({value} || n::text::bytea)"
    if name in ("sequence", "number"):
        return "n + 100000"
    return value


def plan(sql, values):
    ((found,),) = database.execute_sql(f"EXPLAIN (FORMAT JSON) {sql}", values).fetchall()
    return found[0]["Plan"]


def nodes(plan, limited=False):
    """Each node of a plan, and whether no more of its rows are wanted than a page has."""
    limited = limited or plan["Node Type"] == "Limit"
    yield plan, limited
    for below in plan.get("Plans", ()):
        yield from nodes(below, limited)


def tables_read(plan):
    """The tables of which a plan reads all rows, or all entries of an index, and the condition."""
    for node, is_limited in nodes(plan):
        table = node.get("Relation Name")
        if table and table not in SMALL and reads_all(node):
            condition = node.get("Filter", "")
            if condition or not is_limited:
                yield f"{table}: {condition}"


def reads_all(node):
    kind = node["Node Type"]
    return kind == "Seq Scan" or (kind.startswith("Index") and "Index Cond" not in node)


def tables_sorted(plan):
    for node, _ in nodes(plan):
        if node["Node Type"].endswith("Sort") and node["Plan Rows"] > MOST_SORTED:
            tables = [one["Relation Name"] for one, _ in nodes(node) if "Relation Name" in one]
            yield f"{' '.join(tables)} by {', '.join(node['Sort Key'])}"


def unlisted(found, listed):
    return {what: sql for what, sql in found.items() if not what.startswith(tuple(listed))}


def test_no_request_and_no_sweep_reads_or_sorts_a_whole_table_that_grows_on_a_server(plans):
    read = {table: sql for sql, plan in plans.items() for table in tables_read(plan)}
    found = {table: sql for sql, plan in plans.items() for table in tables_sorted(plan)}

    assert unlisted(read, READ) == {}
    assert {what: sql for what, sql in found.items() if what not in SORTED} == {}
    assert len(plans) > 200, "the walk has executed fewer statements than it did"
