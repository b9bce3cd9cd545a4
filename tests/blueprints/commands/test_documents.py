"""`documents delete`: deletes documents, whoever owns them and whatever is wrong with them."""

import pytest

from models import Collection, Document, DocumentToken, Event, User, connected, database
from models.links import LinkOptions
from operations.verification import check_contents, check_rows
from tests.uploads import upload


@pytest.fixture
def linked(document):
    """The id of a document with a link, which is in a collection."""
    with connected():
        DocumentToken.issue(document, LinkOptions.of(label="for Bob"))
        Collection.make(document.owner_id, "Minutes", document_ids=[document.id])
    return document.id


def alter(document_id, column, value):
    with connected():
        statement = f"UPDATE document SET {column} = :value WHERE id = :id"
        assert database.execute_sql(statement, {"value": value, "id": document_id}).rowcount == 1


def events_of(owner_id):
    """The types of the events in an account's log."""
    return {event.type for event in Event.rows(Event.select().where(Event.owner_id == owner_id))}


def test_documents_are_deleted_with_their_links(run, document, linked):
    with connected():
        other = upload(User.find_by_email("alice@example.org"), b"another").id
    result = run("documents", "delete", linked, other, linked, "--yes")

    assert result.output == "2 documents deleted.\n"
    with connected():
        assert Document.as_stored(linked) is Document.as_stored(other) is None
        assert [one.indexed_ids() for one in Collection.all_newest_first()] == [set()]
        assert {"document.deleted", "token.revoked"} <= events_of(document.owner_id)


@pytest.mark.parametrize(
    ("column", "value"), [("content_type", "text/html"), ("size", 10**12), ("sealed", b"x")]
)
def test_a_document_whose_row_was_altered_is_deleted(run, document, linked, column, value):
    alter(linked, column, value)
    with connected():
        assert [problem for problem in check_rows() if linked in problem]
    result = run("documents", "delete", linked, "--yes")

    assert result.output == "1 document deleted.\n"
    with connected():
        assert Document.as_stored(linked) is None
        assert check_contents() == []
        assert {"document.deleted", "token.revoked"} <= events_of(document.owner_id)


def test_nothing_is_deleted_if_one_of_the_documents_is_unknown(run, linked):
    result = run("documents", "delete", linked, "doc_0", "--yes")

    assert result.exit_code == 1
    assert "There is no document 'doc_0'." in result.stderr
    with connected():
        assert Document.as_stored(linked)


@pytest.mark.parametrize(("answer", "is_deleted"), [("n\n", False), ("\n", False), ("y\n", True)])
def test_it_asks_before_it_deletes(run, linked, answer, is_deleted):
    result = run("documents", "delete", linked, input=answer)

    assert "Delete 1 document for good?" in result.output
    with connected():
        assert (Document.as_stored(linked) is None) == is_deleted
