"""What was altered on disk is reported for its document only, and never sent."""

import http.client
import os
from contextlib import closing
from functools import partial

import pytest

from tests.contract.requests import alter, flipped
from tests.problems import refused

pytestmark = pytest.mark.logs_traceback("crypto.sealing.DecryptionError")

PIECE = 192 << 10
CONTENT = os.urandom(5 * PIECE + 7)


def of_document(service, id, column):
    alter(service, "document", column, "id = :id", flipped, id=id)


def of_piece(service, id, by):
    alter(service, "piece", "sealed", "document_id = :id AND number = 3", by, id=id)


def missing(service, id):
    assert service.sql("DELETE FROM piece WHERE document_id = :id AND number = 3", id=id) == 1


def exchanged(service, id):
    """The pieces 3 and 4 change places."""
    move = "UPDATE piece SET number = :to WHERE document_id = :id AND number = :number"
    for number, to in ((3, -1), (4, 3), (-1, 4)):
        assert service.sql(move, id=id, number=number, to=to) == 1


OF_THE_DOCUMENT = [
    partial(of_document, column=name) for name in ("sealed_key", "sealed_meta", "payload_head")
]
OF_A_PIECE = [
    partial(of_piece, by=flipped),
    partial(of_piece, by=lambda stored: stored[1:]),
    missing,
    exchanged,
]


@pytest.fixture(scope="module")
def owner(start_service):
    return start_service(RATE_LIMITS="off").register()


@pytest.fixture(scope="module")
def other(owner):
    return owner.upload(CONTENT, "application/x-any", name="other")


@pytest.fixture
def damaged(owner, other):
    """A function that uploads a document and alters it; the other document stays readable."""

    def damage(change):
        document = owner.upload(CONTENT, "application/x-any", name="altered")
        change(owner.service, document["id"])
        return f"/v1/documents/{document['id']}"

    yield damage
    assert owner.get(f"/v1/documents/{other['id']}/content").body == CONTENT


def broken_off(owner, path):
    """Return the part of a body that arrived; it must not end like a complete one."""
    with closing(owner.connect()) as connection:
        connection.request("GET", path, headers=owner.credential)
        answer = connection.getresponse()
        assert answer.status == 200
        with pytest.raises((http.client.IncompleteRead, ConnectionError)) as raised:
            answer.read()
    return getattr(raised.value, "partial", b"")


@pytest.mark.parametrize("change", OF_THE_DOCUMENT)
def test_a_document_with_a_damaged_row_cannot_be_read(owner, damaged, change):
    path = damaged(change)
    for call in ("/content", "/download", "/view"):
        refused(owner.get(path + call, errors=[500]), 500, "document_damaged")
    assert owner.delete(path).status == 204


@pytest.mark.parametrize("change", OF_A_PIECE)
def test_an_answer_that_reaches_a_damaged_piece_is_cut_off(owner, damaged, change):
    path = damaged(change)
    came = broken_off(owner, f"{path}/content")
    assert len(came) <= 3 * PIECE
    assert CONTENT.startswith(came)
    assert b"</html>" not in broken_off(owner, f"{path}/download")
    assert owner.delete(path).status == 204


@pytest.mark.parametrize("change", OF_A_PIECE)
def test_a_range_without_the_damaged_piece_is_readable(owner, damaged, change):
    path = damaged(change)
    for first, last in [(0, 3 * PIECE - 1), (5 * PIECE, 5 * PIECE + 6)]:
        answer = owner.get(f"{path}/content", headers={"Range": f"bytes={first}-{last}"})
        assert (answer.status, answer.body) == (206, CONTENT[first : last + 1])
    touching = {"Range": f"bytes={4 * PIECE - 1}-{4 * PIECE}"}
    answer = owner.get(f"{path}/content", headers=touching, errors=[500])
    refused(answer, 500, "document_damaged")


@pytest.mark.parametrize("change", OF_THE_DOCUMENT[:2])
def test_a_damaged_document_is_listed_without_its_metadata(owner, other, damaged, change):
    path = damaged(change)
    refused(owner.get(path, errors=[500]), 500, "document_damaged")
    listed = {one["id"]: one for one in owner.get("/v1/documents").json["documents"]}
    bare = listed[path.rpartition("/")[2]]
    assert (bare["name"], bare["sha256"], bare["metadata"]) == (bare["id"], "", {})
    assert listed[other["id"]]["name"] == "other"
    assert owner.delete(path).status == 204
