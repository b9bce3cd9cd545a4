"""An account of many documents: no request reads or holds all of them at once."""

import io
import json
import tracemalloc
from zipfile import ZipFile

import pytest

from blueprints.console import saved_account
from models import Document, User, connected
from models.links import LinkOptions, delete_document
from models.records import Table
from models.runtime import current_runtime
from models.runtime.slots import Slot
from operations import audit
from tests.in_process import LOGIN, application
from tests.uploads import upload
from tests.walks.paths_that_read import paths_that_read

FORM = {"Sec-Fetch-Site": "same-origin"}
MANY = 260
PAGE = 100  # rows, at most, of a list
BESIDE = 60  # rows besides those of a list: of the caller, and of what the list names
SEARCHES = {"/app/jump"}  # read names, as many as a search of names reads at most
EXPORT = "/app/account/export"
BYTES_OF_DOCUMENT = 2_000  # that an export may hold of each, with what caches of a bound hold


@pytest.fixture(scope="module")
def account(tmp_path_factory):
    """A browser that is logged in to an account of many documents, and its user."""
    with application(tmp_path_factory.mktemp("large")) as (app, _):
        browser = app.test_client()
        form = {"email": LOGIN["email"], "password": LOGIN["password"]}
        assert browser.post("/app/login", data=form, headers=FORM).status_code == 303
        with connected():
            user = User.find_by_email(LOGIN["email"])
            for number in range(MANY):
                name = f"{number:05}.txt"
                upload(user, b"one", name=name, link=LinkOptions() if number % 2 else None)
        yield browser, user


@pytest.fixture(scope="module")
def paths(account):
    """All paths that are read, but those of the login, with what their words stand for."""
    browser, user = account
    with connected():
        return paths_that_read(browser.application, user)


def test_no_request_that_reads_opens_more_rows_than_a_page_has(account, paths, monkeypatch):
    browser, _ = account
    token = browser.post("/v1/auth/login", json=LOGIN).json["accessToken"]
    by_session = {"Authorization": f"Bearer {token}"}
    rows, of_columns = [], Table.of_columns.__func__

    def counted(cls, columns):
        rows.append(cls)
        return of_columns(cls, columns)

    monkeypatch.setattr(Table, "of_columns", classmethod(counted))
    read = {}
    for path in paths:
        rows.clear()
        answer = browser.get(path, headers={} if path.startswith("/app") else by_session)
        assert answer.status_code < 500, path
        assert answer.data or answer.status_code == 303
        read[path] = len(rows)
    assert all(read[path] for path in ("/v1/documents", "/app/documents", "/app/links"))
    many = {path: count for path, count in read.items() if count > PAGE + BESIDE}
    assert many.keys() <= SEARCHES


def export(browser):
    return browser.post(EXPORT, headers=FORM, buffered=True)


def test_an_export_reads_documents_by_pages(account, monkeypatch):
    browser, _ = account
    monkeypatch.setattr(saved_account, "ROWS", 10)
    read, opened = [], Document.opened.__func__

    def counted(cls, rows):
        found = list(rows)
        read.append(len(found))
        return opened(cls, found)

    monkeypatch.setattr(Document, "opened", classmethod(counted))
    assert export(browser).status_code == 200
    assert max(read) <= 10
    assert sum(read) <= 4 * MANY + 10  # its name, its bytes, its record and its link


def peak_of_export(browser):
    """The most bytes of memory that an export takes beside what was there."""
    with browser.post(EXPORT, headers=FORM, buffered=False) as sent:
        tracemalloc.start()
        size = sum(map(len, sent.iter_encoded()))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert size > MANY * 300
    return peak


@pytest.mark.slow
def test_an_export_holds_some_hundred_bytes_of_a_document(account, monkeypatch):
    browser, user = account
    monkeypatch.setattr(saved_account, "ROWS", 10)
    monkeypatch.setattr(audit, "_EVENTS", 10)
    monkeypatch.setattr(current_runtime().opened_rows, "_most_bytes", 0)
    export(browser)  # what is made once is there
    before = peak_of_export(browser)
    with connected():
        more = [upload(user, b"one", name=f"more {number}.txt").id for number in range(MANY)]
    after = peak_of_export(browser)
    with connected():
        for id in more:
            delete_document(Document.find(id))
    assert after < before + MANY * BYTES_OF_DOCUMENT


def test_the_first_bytes_of_an_export_are_sent_before_any_document_is_read(account, monkeypatch):
    browser, _ = account
    monkeypatch.setattr(saved_account, "page_with_binned", None)
    with browser.post(EXPORT, headers=FORM, buffered=False) as sent:
        assert next(sent.iter_encoded()).startswith(b"PK")


def test_one_export_at_a_time_is_sent_to_a_person_and_two_to_all(account):
    browser, user = account
    slots = current_runtime().export_slots
    first = browser.post(EXPORT, headers=FORM, buffered=False)
    refused = export(browser)
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "30")
    assert "one at a time for each person, and two in all" in refused.text

    first.close()
    del first

    assert export(browser).status_code == 200
    others = [Slot(f"usr_{number}") for number in range(2)]
    assert all(map(slots.take, others))
    assert export(browser).status_code == 503
    for other in others:
        slots.release(other)
    assert export(browser).status_code == 200
    assert slots._held == []


def test_an_export_that_ends_with_an_error_leaves_its_slot(account, monkeypatch):
    browser, _ = account
    monkeypatch.setattr(saved_account.SavedAccount, "_account", None)
    assert export(browser).status_code == 500
    assert current_runtime().export_slots._held == []


def test_a_document_that_is_deleted_meanwhile_is_left_out(account):
    browser, user = account
    with connected():
        gone = upload(user, b"gone", name="gone.txt")
    sent = browser.post(EXPORT, headers=FORM, buffered=False)
    pieces = sent.iter_encoded()
    body = [next(pieces)]
    with connected():
        Document.delete().where(Document.id == gone.id).execute()
    body += pieces
    sent.close()
    archive = ZipFile(io.BytesIO(b"".join(body)))
    assert archive.testzip() is None
    records = json.loads(archive.read("documents.json"))
    assert {one["file"] for one in records} <= {*archive.namelist()}
    assert len(records) == MANY
    assert "gone.txt" not in "".join(archive.namelist())
