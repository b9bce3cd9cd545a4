"""No statement of a request, or of the sweeper's minute, reads all rows of a table that grows.

SQLite says how it executes each statement that requests of all routes and a sweep have needed.
"""

import re

import pytest
from flask import has_request_context

from models import User, connected, current_runtime, database
from models.background import delete_accounts, sweep
from models.storage import sqlite
from testing import service_in_process
from tests.walks.scene import Stage
from tests.walks.shown_values import Shown
from tests.walks.test_pages_show_what_the_api_shows import SETTINGS
from tests.walks.test_rights import REQUESTS

LISTS = [
    "/v1/documents?contentType=text/plain",
    "/v1/documents?createdAfter=2026-01-01T00:00:00Z&createdBefore=2026-01-02T00:00:00Z",
    "/v1/documents?name=report",
    "/v1/events?type=document.created",
    "/v1/events?documentId=doc_1&type=document.created",
    "/v1/events?collectionId=col_1",
    "/v1/tokens?state=ended",
    "/v1/tokens?state=live",
    "/app/activity?type=document.created",
    "/app/activity?document=doc_1",
    "/app/activity?type=document.created&when=2026-03-05",
    "/app/documents?type=PDF",
    "/app/documents?type=PDF&when=2026-03",
    "/app/documents?when=2026-03-05&sort=largest",
    "/app/documents?is=shared&name=report",
    "/app/documents?is=received",
    "/app/documents?is=shared&sort=oldest",
    "/app/documents?sort=largest",
    "/app/documents?sort=oldest&page=2",
    "/app/documents?name=report&sort=name",
    "/app/links?state=ended",
    "/app/links?name=report",
]
ONE_ROW = "It ends at the first row."
FEW = "There are few at a time, and all end soon."
OF_ONE = "Sorted are those of one person or space."
READ = {  # tables that statements read, and why they may
    "SCAN sqlite_master": "The schema.",
    "SCAN token_key": FEW,
    "SCAN token_key USING INDEX sqlite_autoindex_token_key_1": FEW,
    "SCAN user_account USING COVERING INDEX sqlite_autoindex_user_account_1": ONE_ROW,
    "SCAN user_account": "The question before an account is deleted: whether it is the last one.",
    "SCAN preview": "The cache of previews has a limit.",
    "SCAN preview USING COVERING INDEX preview_use": "The cache of previews has a limit.",
    "SCAN unreferenced_object": "What is in it is deleted soon.",
    "SCAN deleted_target": "A target is in it until its many links have ended.",
    "SCAN session": "A way to log in is given up.",
    "SCAN invitation": FEW,
    "SCAN mail": FEW,
    "SCAN mail_limit": FEW,
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
    executed = {}
    execute = sqlite._Database.execute_sql

    def record(database, sql, values=None):
        if has_request_context() or is_sweeping:
            executed.setdefault(sql, values)
        return execute(database, sql, values)

    is_sweeping = False
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite._Database, "execute_sql", record)
        with service_in_process(tmp_path_factory.mktemp("plans"), **SETTINGS) as service:
            ask(service)
            sweep()  # the first of a process looks at all owners
            with connected():
                grown = [user.id for user in User.select(User.id)]
            for id in grown:
                current_runtime().grown_owners.add(id)
            is_sweeping = True
            sweep()
            delete_accounts()
            is_sweeping = False
            with connected():
                yield {sql: plan(sql, values) for sql, values in executed.items() if has_plan(sql)}


def ask(service):
    """Send requests of all routes."""
    shown = Shown(service.app)
    people = [shown.person(name) for name in ("who owns an account", "who manages the space")]
    for person in people:
        for rule in shown.rules(lambda _: True):
            list(shown.answers(rule, person))
    for path in LISTS:
        headers = people[0].cookies if path.startswith("/app") else people[0].credentials[0]
        answer = shown.client.get(path, headers=headers)
        assert answer.status_code == 200, (path, answer.text)
    stage = Stage(service.app)
    for request in REQUESTS:
        scene = stage.scene()
        with connected():
            options = request.options(scene)
            headers = scene.by_cookie() if "/app" in request.path else scene.by_session()
        scene.client.open(method=request.method, headers=headers, **options)


def has_plan(sql):
    """Whether a statement reads rows, and more than so many of any."""
    counts_to = re.fullmatch(r'SELECT 1 FROM "\w+" LIMIT 1 OFFSET \d+', sql)
    return sql.startswith(("SELECT", "UPDATE", "DELETE")) and not counts_to


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
