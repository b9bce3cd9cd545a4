"""What a link has opened before: the last targets, found by the link."""

import pytest

from models import DocumentToken, Event
from models.documents import Collection
from models.links import FormerTarget, LinkOptions, document_token, lists, readings_by_link
from tests.uploads import upload


@pytest.fixture
def document(alice):
    return upload(alice)


@pytest.fixture
def other(alice):
    return upload(alice)


def lead(link, *targets):
    """Lead a link to one target after another."""
    for target in targets:
        DocumentToken.edit(link.owner_id, link.id, target)


def former(link):
    return [row.target_id for row in FormerTarget.all_of(link.id)]


def share(document):
    return DocumentToken.issue(document, LinkOptions()).row


def test_the_last_targets_of_a_link_are_kept_newest_first(alice, document, other, monkeypatch):
    collection = Collection.make(alice.id, "A title", document_ids=[document.id])
    link, of_another = share(document), share(other)
    lead(link, other, collection, document)
    lead(of_another, document)
    assert former(link) == [collection.id, other.id, document.id]
    assert former(of_another) == [other.id]
    monkeypatch.setattr(document_token, "MOST_FORMER_TARGETS", 2)
    lead(link, other, document)
    assert former(link) == [other.id, document.id]
    assert FormerTarget.select().count() == 3


def test_the_openings_of_a_link_are_found_by_some_hundred_events_however_often_it_was_led_elsewhere(
    alice, document, monkeypatch
):
    link = share(document)
    lead(link, *[upload(alice) for _ in range(25)])
    read, feed = [], Event.feed

    def counted(owner_id, limit, *more, **filters):
        read.append(limit)
        return feed(owner_id, limit, *more, **filters)

    monkeypatch.setattr(Event, "feed", counted)
    readings_by_link(link)
    assert sum(read) <= lists._EVENTS
    assert len(read) <= document_token.MOST_FORMER_TARGETS + 1


def test_what_a_link_has_opened_goes_with_it(document, other):
    link = share(document)
    lead(link, other)
    DocumentToken.delete().where(DocumentToken.id == link.id).execute()
    assert FormerTarget.select().count() == 0
