"""The statements that requests of all routes, and a minute of the sweeper, execute."""

import re
from contextlib import contextmanager

import pytest
from flask import has_request_context

from crypto import passwords
from models import User, connected, current_runtime
from models.background import delete_accounts, sweep
from testing import service_in_process
from tests.walks.shown_values import Shown
from tests.walks.test_pages_show_what_the_api_shows import SETTINGS
from tests.walks.test_rights import REQUESTS, made, walks

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


@contextmanager
def executed_statements(folder, executor, methods, stage_of, **given):
    """A service that has executed them, and the values of each statement by its text.

    The statements are those that reach one of the `methods` of the class `executor`. The stage that
    `stage_of` makes for the application has a scene for each request that changes something.
    """
    executed = {}
    is_sweeping = False

    def recording(method):
        execute = getattr(executor, method)

        def record(database, sql, values=None, **options):
            if has_request_context() or is_sweeping:
                executed.setdefault(sql, values)
            return execute(database, sql, values, **options)

        return record

    with pytest.MonkeyPatch.context() as patch:
        quick = passwords._argon2id().using(memory_cost=8, rounds=1)
        patch.setattr(passwords, "_argon2id", lambda: quick)
        for method in methods:
            patch.setattr(executor, method, recording(method))
        with service_in_process(folder, **SETTINGS | given) as service:
            service.stage = stage_of(service.app)
            _ask(service)
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
                yield {sql: values for sql, values in executed.items() if _has_plan(sql)}


def _ask(service):
    """Send requests of all routes; those that change something by each credential they take."""
    shown = Shown(service.app)
    people = [shown.person(name) for name in ("who owns an account", "who manages the space")]
    for person in people:
        for rule in shown.rules(lambda _: True):
            list(shown.answers(rule, person))
    for path in LISTS:
        headers = people[0].cookies if path.startswith("/app") else people[0].credentials[0]
        answer = shown.client.get(path, headers=headers)
        assert answer.status_code == 200, (path, answer.text)
    for request in REQUESTS:
        callers = {(walk.caller, walk.in_space): walk for walk in walks(request)}
        for walk in callers.values():
            answer = made(request, walk, service).send()
            is_good = answer.status_code < 400 or not request.writes_for(walk.caller)
            assert is_good, (request, walk, answer.text)


def _has_plan(sql):
    """Whether a statement reads rows, and more than so many of any."""
    counts_to = re.fullmatch(r'SELECT 1 FROM "\w+" LIMIT 1 OFFSET \d+', sql)
    return sql.startswith(("SELECT", "UPDATE", "DELETE")) and not counts_to
