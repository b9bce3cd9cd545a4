"""What was altered on disk or is missing: reported for its document only, and never sent."""

import http.client
import os
from contextlib import closing
from functools import partial

import pytest

from crypto.keyring import generate_root_key
from tests.contract.requests import alter, flipped
from tests.formats import b64
from tests.people import Person
from tests.problems import refused
from tests.waiting import join_threads, start_threads

logs_damage = pytest.mark.logs_traceback("crypto.sealing.DecryptionError")
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
    partial(of_document, column=name) for name in ("sealed_key", "sealed", "payload_head")
]
OF_A_PIECE = [
    partial(of_piece, by=flipped),
    partial(of_piece, by=lambda stored: stored[1:]),
    missing,
    exchanged,
]


@pytest.fixture(scope="module")
def owner(restarted):
    return restarted.register()


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
def test_a_document_with_a_damaged_row_is_as_unknown(owner, damaged, change):
    path = damaged(change)
    for call in ("", "/content", "/download", "/view"):
        refused(owner.get(path + call), 404, "not_found")
    refused(owner.delete(path), 404, "not_found")


@logs_damage
@pytest.mark.parametrize("change", OF_A_PIECE)
def test_an_answer_that_reaches_a_damaged_piece_is_cut_off(owner, damaged, change):
    path = damaged(change)
    came = broken_off(owner, f"{path}/content")
    assert len(came) <= 3 * PIECE
    assert CONTENT.startswith(came)
    assert b"</html>" not in broken_off(owner, f"{path}/download")
    assert owner.delete(path).status == 204


@logs_damage
@pytest.mark.parametrize("change", OF_A_PIECE)
def test_a_range_without_the_damaged_piece_is_readable(owner, damaged, change):
    path = damaged(change)
    for first, last in [(0, 3 * PIECE - 1), (5 * PIECE, 5 * PIECE + 6)]:
        answer = owner.get(f"{path}/content", headers={"Range": f"bytes={first}-{last}"})
        assert (answer.status, answer.body) == (206, CONTENT[first : last + 1])
    touching = {"Range": f"bytes={4 * PIECE - 1}-{4 * PIECE}"}
    answer = owner.get(f"{path}/content", headers=touching, errors=[500])
    refused(answer, 500, "document_damaged")


@pytest.mark.parametrize("change", OF_THE_DOCUMENT)
def test_a_damaged_document_is_left_out_of_a_list_that_shows_the_others(
    owner, other, damaged, change
):
    path = damaged(change)
    listed = {one["id"]: one for one in owner.get("/v1/documents").json["documents"]}
    assert path.rpartition("/")[2] not in listed
    assert listed[other["id"]]["name"] == "other"
    line = f"{path.rpartition('/')[2]} was altered outside of the service, and is refused."
    assert owner.service.stderr().count(line) == 1


UPLOAD = {"payload": b64(bytes(5000)), "contentType": "text/plain"}
READS = ["/view", "/download", "/content"]


@logs_damage
def test_a_damaged_document_is_reported_and_never_shown(restarted, owner):
    document = owner.post("/v1/documents", json=UPLOAD).json
    alter(restarted, "piece", "sealed", "document_id = :id", flipped, id=document["id"])
    for call in READS:
        answer = owner.get(f"/v1/documents/{document['id']}{call}", errors=[500])
        refused(answer, 500, "document_damaged")
    assert owner.delete(f"/v1/documents/{document['id']}").status == 204


def test_documents_are_unavailable_while_their_root_key_is_missing(restarted, owner, start_service):
    document = owner.upload(b"behind a lock")
    keyring = restarted.instance / "keyring"
    kept = keyring.read_bytes()
    keyring.write_bytes((start_service().instance / "keyring").read_bytes())
    for call in READS:
        answer = owner.get(f"/v1/documents/{document['id']}{call}", errors=[503])
        assert answer.status in (401, 503)  # the session's key is gone too
        assert answer.json["code"] in {"key_unavailable", "session_expired"}
    answer = Person(restarted).open(document["token"]["contentUrl"], errors=[503])
    refused(answer, 503, "key_unavailable")
    keyring.write_bytes(kept)
    assert owner.get(f"/v1/documents/{document['id']}/content").body == b"behind a lock"


@pytest.mark.sqlite_only("it alters the file")
def test_a_damaged_database_is_said_once_and_the_service_is_not_ready(start_service):
    service = start_service()
    owner = service.register()
    owner.upload()
    service.stop()
    ((root,),) = service.sql("SELECT rootpage FROM sqlite_master WHERE name = 'document'")
    ((size,),) = service.sql("PRAGMA page_size")
    with (service.instance / "documents.sqlite").open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)
    service.start()

    for _ in range(3):
        refused(owner.get("/v1/documents", errors=[503]), 503, "key_unavailable")
    refused(Person(service).get("/readyz", errors=[503]), 503, "key_unavailable")
    assert Person(service).get("/healthz").status == 200
    assert service.stderr().count("The database is damaged: ") == 1


def test_a_service_without_its_keyring_is_not_ready_until_it_is_back(restarted):
    keyring = restarted.instance / "keyring"
    away = keyring.rename(restarted.instance / "away")
    refused(Person(restarted).get("/readyz", errors=[503]), 503, "key_unavailable")
    assert Person(restarted).get("/healthz").status == 200
    away.rename(keyring)
    assert Person(restarted).get("/readyz").status == 200


def test_a_service_with_a_foreign_keyring_is_not_ready_until_its_own_is_back(restarted):
    keyring = restarted.instance / "keyring"
    own = keyring.read_bytes()
    keyring.write_text(f"{generate_root_key()}\n")
    for _ in range(3):
        answer = Person(restarted).get("/readyz", errors=[503])
        refused(answer, 503, "key_unavailable")
        assert answer.json["detail"] == (
            "The keyring does not open this database: it lacks the root key. The log says more."
        )
    assert restarted.stderr().count("Not ready. Root key ") == 1

    keyring.write_bytes(own + keyring.read_bytes())
    assert Person(restarted).get("/readyz").status == 200


@pytest.mark.parametrize(
    ("column", "by"),
    [
        ("sealed_key", flipped),
        ("sealed_key", lambda _: "text"),
        ("sealed", lambda stored: stored[:-1]),
        ("created_at", lambda stored: stored + 1),
        pytest.param(
            "created_at",
            lambda _: b"bytes",
            marks=pytest.mark.sqlite_only("there a column takes values of its type only"),
        ),
        ("root", lambda _: "no root key"),
    ],
)
def test_no_login_begins_a_session_while_the_key_of_tokens_is_altered(restarted, column, by):
    owner = restarted.register()
    ((id, stored),) = restarted.sql(f"SELECT id, {column} FROM token_key")
    sessions = "SELECT id FROM session ORDER BY id"
    before = restarted.sql(sessions)
    email = owner.record["email"]

    alter(restarted, "token_key", column, "id = :id", by, id=id)
    refused(Person(restarted).log_in(email, errors=[503]), 503, "key_unavailable")
    assert restarted.sql(sessions) == before

    restarted.sql(f"UPDATE token_key SET {column} = :stored", stored=stored)
    assert Person(restarted).log_in(email).status == 200


@pytest.mark.slow
def test_logins_are_answered_beside_a_flood_of_encrypted_downloads_by_one_link(service, alice):
    document = alice.upload(b"encrypted again and again")
    path, holder = (
        f"/v1/documents/{document['id']}/download",
        alice.with_token(document["token"]["token"]),
    )
    downloads = [lambda: holder.post(path, json={"password": "x"}, errors=[503])] * 24

    flood = start_threads(*downloads)
    try:
        for _ in range(4):
            assert service.log_in("alice@example.org")
    finally:
        join_threads(flood)


def test_a_flood_of_logins_is_answered_or_told_to_wait(service, alice):
    answers = []

    def log_in():
        answers.append(Person(service).log_in("alice@example.org", errors=[503]))

    threads = start_threads(*[log_in] * 40)
    assert alice.get("/v1/auth/me").status == 200
    join_threads(threads)
    assert {answer.status for answer in answers} <= {200, 503}
    assert 200 in {answer.status for answer in answers}
    for answer in answers:
        if answer.status == 503:
            refused(answer, 503, "busy")
            assert int(answer.headers["Retry-After"]) > 0
