"""The bin: what leaves it, and when."""

import sqlite3
from contextlib import closing

import pytest

from models import Document, DocumentToken, Event, current_runtime, setup, transaction
from models.background import sweep
from models.core import NotFound, now
from models.documents import bin_page, binned, put_back, put_in_bin
from models.links import LinkOptions, delete_for_good, delete_if_due
from models.storage import connected
from operations import verification
from operations.doctor import DoctorContext, _sweeper
from tests.uploads import upload

DAY = 24 * 60 * 60 * 1000


def binned_for(owner, span, **fields):
    """A document that was put into the bin so long ago."""
    document = upload(owner, **fields)
    with transaction():
        document.change(binned_at=now() - span)
    return document


def types(owner):
    return [event.type for event in Event.feed(owner.id, 99, None)[0]]


def test_after_a_day_it_is_deleted_for_good_and_not_before(alice):
    kept, gone = binned_for(alice, DAY - 60_000), binned_for(alice, DAY)
    DocumentToken.issue(gone, LinkOptions())
    assert sweep() == 1
    assert [one.id for one in binned(alice.id, [kept.id, gone.id])] == [kept.id]
    assert types(alice)[-2:] == ["document.deleted", "token.revoked"]


def test_one_that_is_put_back_meanwhile_is_not_deleted(alice):
    document = binned_for(alice, DAY)
    put_back(alice.id, [document.id])
    delete_if_due(document)
    assert Document.one_of(alice.id, document.id)


def test_one_that_expires_in_the_bin_is_told_as_expired(alice):
    document = binned_for(alice, DAY, expires_at=now() + 60_000)
    with transaction():
        Document.find(document.id).change(expires_at=now() - 1)
    assert binned(alice.id, [document.id]) == []
    with pytest.raises(NotFound):
        put_back(alice.id, [document.id])
    assert sweep() == 1
    assert types(alice)[-1] == "document.expired"


def test_one_that_was_put_back_is_not_deleted_from_the_bin(alice):
    document = upload(alice)
    put_in_bin(alice.id, [document.id])
    put_back(alice.id, [document.id])
    with pytest.raises(NotFound):
        delete_for_good(alice.id, document.id)
    assert Document.one_of(alice.id, document.id)


def test_what_somebody_else_has_put_into_the_bin_is_not_deleted(alice, instance):
    document = upload(alice)
    current_runtime().close_database()
    with closing(sqlite3.connect(instance / "documents.sqlite")) as plain, plain:
        plain.execute("UPDATE document SET binned_at = 1")
    setup.open_runtime()
    with connected():
        assert sweep() == 0
        assert binned(alice.id, [document.id]) == []
        (problem,) = verification.check_rows()
        assert problem.startswith(document.id)


def test_a_damaged_one_is_left_out_and_does_not_hide_others(alice):
    first, second = upload(alice, name="first"), upload(alice, name="second")
    put_in_bin(alice.id, [first.id, second.id])
    Document.update(sealed_key=b"x").where(Document.id == first.id).execute()
    assert [one.id for one in bin_page(alice.id, 9, 1).documents] == [second.id]


def test_the_doctor_finds_what_should_have_left_the_bin(alice):
    binned_for(alice, DAY + 60_000)
    context = DoctorContext(None, None)
    assert list(_sweeper(context)) == []
    binned_for(alice, 2 * DAY)
    assert list(_sweeper(context))
