"""No statement of a request, or of the sweeper's minute, reads all rows of a table that grows.

SQLite says how it executes each statement that requests of all routes and a sweep have needed.
"""

import re

import pytest

from models import database
from models.storage import sqlite
from tests.walks.executed import executed_statements
from tests.walks.scene import Stage

ONE_ROW = "It ends at the first row."
FEW = "There are few at a time, and all end soon."
OF_ONE = "Sorted are those of one person or space."
READ = {  # tables that statements read, and why they may
    "SCAN sqlite_master": "The schema.",
    "SCAN token_key": FEW,
    "SCAN token_key USING INDEX sqlite_autoindex_token_key_1": FEW,
    "SCAN user_account USING COVERING INDEX sqlite_autoindex_user_account_1": ONE_ROW,
    "SCAN user_account": "It ends at the second account: whether one that is deleted is the last.",
    "SCAN _wrapped": "Rows that a query within finds, whose plan has lines of its own.",
    "SCAN upload USING INDEX upload_unfinished": FEW,
    "SCAN preview": "The cache of previews has a limit.",
    "SCAN preview USING COVERING INDEX preview_use": "The cache of previews has a limit.",
    "SCAN unreferenced_object": "What is in it is deleted soon.",
    "SCAN deleted_target": "A target is in it until its many links have ended.",
    "SCAN session": "A way to log in is given up.",
    "SCAN invitation": FEW,
    "SCAN mail": FEW,
    "SCAN mail_limit": FEW,
    "SCAN service_key": ONE_ROW,
}
SORTED = {  # tables whose rows statements sort, by what, and why they may
    ("invitation", "id"): OF_ONE,
    ("member", "id"): OF_ONE,
    ("member", "owner_id DESC"): OF_ONE,
    ("session", "id DESC"): OF_ONE,
    ("collection_document", "COUNT(document_id) DESC"): "The collections of one upload.",
    ("document", "binned_at DESC, id DESC"): "A page of the bin.",
    ("document", "size DESC, id DESC"): "The fifty of a page, whose ids an index has sorted.",
    ("opening", "id DESC"): "A person saves all that they have.",
    ("kept_text", "id DESC"): "A person saves all that they have.",
}


@pytest.fixture(scope="module")
def plans(tmp_path_factory):
    """The lines of the plan of each statement, by its text."""
    folder = tmp_path_factory.mktemp("plans")
    with executed_statements(folder, sqlite._Database, ["execute_sql"], Stage) as executed:
        yield {sql: plan(sql, values) for sql, values in executed.items()}


def plan(sql, values):
    found = database.execute_sql(f"EXPLAIN QUERY PLAN {sql}", values)
    return [line for *_, line in found.fetchall()]


def tables_read(sql, lines):
    """The lines of a plan that read a whole table or index, which they name, not its alias."""
    for line in lines:
        found = re.match(r"SCAN (?!CONSTANT|\d)(\w+)", line)
        if found:
            tables = re.findall(rf'"(\w+)" AS "{found[1]}"', sql) or [found[1]]
            for table in set(tables):
                yield line.replace(found[0], f"SCAN {table}")


def tables_sorted(sql, lines):
    """The table from which a statement sorts rows, and by what."""
    if any("TEMP B-TREE FOR" in line for line in lines):
        plain = re.sub(r'"(t\d+"\.")?', "", sql)
        by = re.search(r".*(?:ORDER|GROUP) BY (.+?)(?: LIMIT .*)?$", plain)
        yield re.search(r"FROM (\w+)", plain)[1], by and by[1]


@pytest.mark.slow
def test_no_request_and_no_sweep_reads_or_sorts_a_whole_table_that_grows(plans):
    read = {line: sql for sql, lines in plans.items() for line in tables_read(sql, lines)}
    found = {what: sql for sql, lines in plans.items() for what in tables_sorted(sql, lines)}

    assert {line: sql for line, sql in read.items() if line not in READ} == {}
    assert {what: sql for what, sql in found.items() if what not in SORTED} == {}
    assert len(plans) > 200, "the walk has executed fewer statements than it did"
