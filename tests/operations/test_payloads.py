"""Payloads are moved one at a time, and the store is compared with the documents."""

import os
import signal
from pathlib import Path

import pytest

from models import Document, database, setup
from models.background import drop_payloads
from models.core import OperatorError, PayloadStoreAway
from models.documents import UnreferencedPayload, delete_unfinished_uploads
from models.documents.unreferenced_payload import ATTEMPT_MS, UPLOAD_MS
from models.links import delete_document
from models.runtime import operator_message
from models.setup import check_payload_store
from models.storage.payloads import PIECE_BYTES, objects_of
from models.storage.payloads import rows as payload_rows
from operations import (
    create_backup,
    doctor,
    drop_unreferenced_payloads,
    move_payloads,
    payloads,
    restore_backup,
)
from tests.forking import run_program
from tests.uploads import upload

PAYLOAD = os.urandom(3 * PIECE_BYTES + 7)
OTHER_PLACE = {"rows": "objects", "objects": "rows"}

each_place = pytest.mark.parametrize("place", ["objects", "rows"])


@pytest.fixture
def runtime(configure, in_bucket):
    return configure(reserve_bytes=0, payloads=in_bucket)


@pytest.fixture
def stored(alice, runtime, objects):
    """A function that uploads a payload to a place, whatever the settings say."""

    def store(place, payload=PAYLOAD):
        runtime.payload_objects = objects if place == "objects" else None
        document = upload(alice, payload)
        runtime.payload_objects = objects
        return document

    return store


def listed(objects):
    return [id for page in objects.payload_ids() for id in page]


def rows():
    found = database.execute_sql("SELECT DISTINCT document_id FROM piece ORDER BY 1").fetchall()
    return [id for (id,) in found]


def content(document):
    return b"".join(Document.find(document.id).read())


@each_place
def test_payloads_are_moved_and_back(stored, objects, clock, place):
    documents = [stored(OTHER_PLACE[place]), stored(place), stored("rows", b"small")]
    there = {"objects": lambda: listed(objects), "rows": rows}
    progress = []

    assert move_payloads(place, lambda *counts: progress.append(counts)) == (1, [])
    assert [content(one) for one in documents] == [PAYLOAD, PAYLOAD, b"small"]
    assert there[place]()[:2] == [one.id for one in documents[:2]]
    assert there[OTHER_PLACE[place]]() == ([documents[2].id] if place == "objects" else [])
    assert progress[-1] == (2 * len(PAYLOAD) + 5,) * 2

    clock(ATTEMPT_MS + 1)
    assert move_payloads(OTHER_PLACE[place]) == (2, [])
    assert [content(one) for one in documents] == [PAYLOAD, PAYLOAD, b"small"]
    assert there[place]() == ([documents[2].id] if place == "rows" else [])


@each_place
def test_a_reader_goes_on_in_the_new_place(stored, place):
    document = stored(OTHER_PLACE[place])
    reading = document.read()
    first = next(reading)
    move_payloads(place)
    assert b"".join([first, *reading]) == PAYLOAD


@each_place
def test_a_damaged_payload_is_named_and_stays(stored, objects, place):
    bad, good = stored(OTHER_PLACE[place]), stored(OTHER_PLACE[place])
    sealed = [bytes(len(one)) for one in bad.payload_store.pieces(bad.id, bad.size, 0, 3)]
    if place == "rows":
        objects.store(bad.id, iter(sealed), bad.size)
    else:
        payload_rows.drop(bad.id)
        payload_rows.store(bad.id, sealed)

    result = move_payloads(place)
    drop_payloads()

    assert (result.moved, len(result.problems)) == (1, 1)
    assert result.problems[0].startswith(f"{bad.id} cannot be decrypted")
    assert (Document.find(bad.id).place, content(good)) == (OTHER_PLACE[place], PAYLOAD)
    assert listed(objects) == [good.id if place == "objects" else bad.id]


@each_place
def test_a_store_that_is_away_ends_the_move_and_loses_nothing(stored, objects, place, monkeypatch):
    document = stored(OTHER_PLACE[place])

    def away(*_):
        raise PayloadStoreAway("it is away")

    with monkeypatch.context() as broken:
        broken.setattr(objects, "store", away)
        broken.setattr(objects, "pieces", away)
        with pytest.raises(PayloadStoreAway):
            move_payloads(place)

    assert content(document) == PAYLOAD
    drop_payloads()
    assert move_payloads(place) == (1, [])
    assert content(document) == PAYLOAD


@each_place
def test_a_document_that_is_deleted_while_it_is_moved_leaves_nothing(
    stored, objects, place, monkeypatch
):
    document = stored(OTHER_PLACE[place])
    verify = payloads._verify

    def delete_meanwhile(*args):
        verify(*args)
        delete_document(document)

    monkeypatch.setattr(payloads, "_verify", delete_meanwhile)

    assert move_payloads(place) == (0, [])
    drop_payloads()
    assert (listed(objects), rows(), UnreferencedPayload.select().count()) == ([], [], 0)


@each_place
def test_two_moves_at_once_lose_nothing(stored, objects, place, clock, monkeypatch):
    document = stored(OTHER_PLACE[place])
    verify = payloads._verify

    def move_meanwhile(*args):
        monkeypatch.setattr(payloads, "_verify", verify)
        verify(*args)
        assert move_payloads(place).moved == 1

    monkeypatch.setattr(payloads, "_verify", move_meanwhile)

    moved, (problem,) = move_payloads(place)
    assert (moved, "another process" in problem) == (0, True)
    clock(UPLOAD_MS + 1)
    drop_payloads()
    assert content(document) == PAYLOAD
    assert (listed(objects), rows()) == (
        ([document.id], []) if place == "objects" else ([], [document.id])
    )


KILLED = """
import sys
from pathlib import Path
from models import connected
from models import setup
from operations import move_payloads, payloads
from models.runtime.state import create_runtime
from models.documents.unreferenced_payload import UnreferencedPayload
from settings import Settings
from tests.kills import dying_after

folder, address, place, step = sys.argv[1:]
settings = Settings(instance_path=Path(folder), database=folder + "/documents.sqlite",
                    payloads=address, reserve_bytes=0)
runtime = create_runtime(settings)
setup.open_runtime()

owner, name = {
    "record": (UnreferencedPayload, "begin_upload"),
    "object": (runtime.payload_objects, "store"),
    "verified": (payloads, "_verify"),
    "in the transaction": (payloads, "_require_place"),
    "last write": (UnreferencedPayload, "mark_to_drop" if place == "rows" else "end_upload"),
    "committed": (UnreferencedPayload, "drop_due"),
}[step]
if step == "committed":
    name = "_claim"
dying_after(owner, name)
with connected():
    move_payloads(place)
"""
STEPS = ["record", "object", "verified", "in the transaction", "last write", "committed"]


@pytest.mark.parametrize(
    ("place", "step"),
    [*(("objects", step) for step in STEPS), *(("rows", step) for step in STEPS[2:])],
)
def test_a_move_killed_at_any_step_loses_nothing_and_goes_on(
    stored, objects, runtime, instance, clock, place, step
):
    documents = [stored(OTHER_PLACE[place]) for _ in range(2)]
    given = (instance, runtime.settings.payloads, place, step)
    assert run_program(KILLED, *given) == -signal.SIGKILL
    assert [content(one) for one in documents] == [PAYLOAD] * 2

    runtime.started_at += 60_000
    delete_unfinished_uploads()
    clock(ATTEMPT_MS + 1)
    drop_payloads()
    assert [content(one) for one in documents] == [PAYLOAD] * 2
    assert not move_payloads(place).problems
    clock(2 * ATTEMPT_MS + 2)
    drop_payloads()

    assert [content(one) for one in documents] == [PAYLOAD] * 2
    ids = [one.id for one in documents]
    assert (listed(objects), rows()) == ((ids, []) if place == "objects" else ([], ids))


# Comparing


def problems(instance, deep=True):
    context = doctor.DoctorContext(instance / "documents.sqlite", None, deep=deep)
    return {one.check: one.problems for one in doctor.run_checks(context) if one.problems}


def test_objects_of_no_document_are_named_and_pruned(stored, objects, instance):
    kept = stored("objects")
    objects.store("doc_left", iter([PAYLOAD]), PIECE_BYTES)
    UnreferencedPayload.begin_upload("doc_running", "objects")
    objects.store("doc_running", iter([PAYLOAD]), PIECE_BYTES)
    instance.chmod(0o700)
    database.close()

    assert problems(instance) == {
        "payload_store": ["1 object belongs to no document. Delete them: payloads prune"]
    }
    assert problems(instance, deep=False) == {}
    database.connect()
    assert drop_unreferenced_payloads() == 1
    assert listed(objects) == [kept.id, "doc_running"]


def test_a_missing_object_is_named_as_missing(stored, objects, instance):
    document = stored("objects")
    check_payload_store()
    objects.drop(document.id)
    instance.chmod(0o700)
    database.close()

    ((problem,),) = problems(instance).values()
    database.connect()
    assert problem.startswith(f"{document.id} cannot be decrypted. Its object in s3://")
    assert "is missing" in problem


def test_documents_in_objects_need_the_setting(stored, runtime):
    runtime.payload_objects = None
    check_payload_store()
    document = stored("objects")
    runtime.payload_objects = None
    with pytest.raises(OperatorError, match="Set DOCSERVICE_PAYLOADS"):
        check_payload_store()
    with pytest.raises(PayloadStoreAway):
        list(document.read())


def test_a_move_to_objects_without_the_setting_says_so(runtime, instance):
    runtime.payload_objects = None
    with pytest.raises(PayloadStoreAway) as raised:
        move_payloads("objects")
    assert operator_message(raised.value) == (
        "No object store is named: set DOCSERVICE_PAYLOADS to it."
    )


def test_a_move_from_objects_without_the_setting_says_so(stored, runtime):
    stored("objects")
    runtime.payload_objects = None
    with pytest.raises(OperatorError, match="Set DOCSERVICE_PAYLOADS"):
        move_payloads("rows")


def test_a_prefix_without_the_payloads_is_refused(stored, runtime, gateway):
    stored("objects")
    runtime.payload_objects = objects_of(gateway.address())
    with pytest.raises(OperatorError, match="lacks this database's payloads"):
        check_payload_store()


def test_a_prefix_with_the_payloads_is_taken_though_its_mark_was_lost(stored, objects):
    stored("objects")
    assert objects.owner() is None
    check_payload_store()
    assert objects.owner().startswith("svk_")
    check_payload_store()


def test_the_prefix_of_another_database_is_refused(runtime, instance, objects):
    objects.set_owner("aut_other")
    objects.store("doc_of_the_other", iter([PAYLOAD]), PIECE_BYTES)
    for call in (check_payload_store, drop_unreferenced_payloads, lambda: move_payloads("objects")):
        with pytest.raises(OperatorError, match="another database \\(aut_other\\)"):
            call()
    assert listed(objects) == ["doc_of_the_other"]


def test_a_restore_drops_no_object(stored, objects, runtime, instance, tmp_path):
    document = stored("objects")
    UnreferencedPayload.begin_upload("doc_finished_since", "objects")
    objects.store("doc_finished_since", iter([PAYLOAD]), PIECE_BYTES)
    create_backup(file := tmp_path / "backup.sqlite")
    delete_document(document)
    runtime.close_database()

    restore_backup(file, Path(database.database), force=True)
    setup.open_runtime()
    database.connect()
    delete_unfinished_uploads()
    drop_payloads()
    assert listed(objects) == [document.id, "doc_finished_since"]
    assert content(document) == PAYLOAD
