"""Payloads are moved into files and out of them as they lie, and lose nothing by a kill."""

import os
import signal

import pytest

from models import Document, database
from models.background import drop_payloads
from models.core import OperatorError
from models.documents import UnreferencedPayload, delete_unfinished_uploads
from models.documents.unreferenced_payload import ATTEMPT_MS
from models.links import delete_document
from models.storage.payloads import PIECE_BYTES, files
from operations import drop_unreferenced_payloads, move_payloads, payloads
from tests.forking import run_program
from tests.uploads import upload

PAYLOAD = os.urandom(23 * PIECE_BYTES + 7)
LARGE = 2 * PIECE_BYTES
WAYS = [("rows", "files"), ("files", "rows"), ("objects", "files"), ("files", "objects")]


def marked(*way):
    """The parameters of a way, with the marker of those that need a store of objects."""
    return pytest.param(*way, marks=pytest.mark.s3 if "objects" in way else ())


each_way = pytest.mark.parametrize(("former", "place"), [marked(*way) for way in WAYS])


@pytest.fixture
def runtime(configure, request):
    """With a store of objects, for the tests that move to or from it."""
    given = getattr(request.node, "callspec", None)
    if given and "objects" in given.params.values():
        runtime = configure(reserve_bytes=0, payloads=request.getfixturevalue("in_bucket"))
        runtime.payload_objects.segmented_above = LARGE
        return runtime
    return configure(reserve_bytes=0)


@pytest.fixture
def stored(alice, runtime):
    """A function that uploads a payload to a place, whatever the settings say."""

    def store(place, payload=PAYLOAD):
        objects = runtime.payload_objects
        runtime.payload_objects = objects if place == "objects" else None
        runtime.large_payload_bytes = LARGE if place == "files" else 1 << 40
        document = upload(alice, payload)
        runtime.payload_objects, runtime.large_payload_bytes = objects, LARGE
        assert document.place == place
        return document

    return store


def content(document):
    return b"".join(Document.find(document.id).read())


def lying(runtime):
    """The ids of the payloads in each place."""
    objects = runtime.payload_objects
    rows = database.execute_sql("SELECT DISTINCT document_id FROM piece").fetchall()
    return {
        "rows": sorted(id for (id,) in rows),
        "files": sorted(id for id, _ in files.stored()),
        "objects": sorted(id for page in objects.payload_ids() for id in page) if objects else [],
    }


@each_way
def test_a_payload_is_moved_as_it_lies_and_back(stored, runtime, clock, former, place):
    document = stored(former)
    sealed = list(document.sealed_pieces(0, document.last_piece))

    assert move_payloads(place) == (1, [])
    drop_payloads()

    moved = Document.find(document.id)
    assert (moved.place, moved.payload_id) == (place, document.payload_id)
    assert list(moved.sealed_pieces(0, moved.last_piece)) == sealed
    assert lying(runtime) == {"rows": [], "files": [], "objects": []} | {place: [moved.payload_id]}
    clock(ATTEMPT_MS + 1)
    assert move_payloads(former) == (1, [])
    drop_payloads()
    assert content(document) == PAYLOAD
    assert lying(runtime)[former] == [moved.payload_id]


def test_files_take_large_payloads_only(stored, runtime):
    small, large = stored("rows", b"s" * LARGE), stored("rows")
    assert move_payloads("files") == (1, [])
    assert [Document.find(one.id).place for one in (small, large)] == ["rows", "files"]


@pytest.mark.postgres
def test_no_payload_is_moved_to_files_beside_a_server(configure_on_server):
    configure_on_server()
    with pytest.raises(OperatorError, match="only beside an SQLite database"):
        move_payloads("files")


@each_way
def test_a_reader_goes_on_in_the_new_place(stored, runtime, former, place):
    reading = stored(former).read()
    first = next(reading)
    move_payloads(place)
    drop_payloads()
    assert b"".join([first, *reading]) == PAYLOAD


@each_way
def test_a_document_that_is_deleted_while_it_is_moved_leaves_nothing(
    stored, runtime, monkeypatch, former, place
):
    document = stored(former)
    verify = payloads._verify

    def delete_meanwhile(*args):
        verify(*args)
        delete_document(document)

    monkeypatch.setattr(payloads, "_verify", delete_meanwhile)

    assert move_payloads(place) == (0, [])
    drop_payloads()
    assert lying(runtime) == {"rows": [], "files": [], "objects": []}
    assert UnreferencedPayload.select().count() == 0


def test_pieces_that_another_process_has_dropped_end_a_move_to_rows(stored, runtime, monkeypatch):
    document = stored("files")
    verify = payloads._verify

    def drop_meanwhile(*args):
        verify(*args)
        database.execute_sql("DELETE FROM piece WHERE number = 3")

    monkeypatch.setattr(payloads, "_verify", drop_meanwhile)
    moved, (problem,) = move_payloads("rows")
    drop_payloads()

    assert (moved, "another process" in problem) == (0, True)
    assert content(document) == PAYLOAD
    assert lying(runtime)["rows"] == []


def test_files_of_no_document_are_pruned(stored, runtime):
    kept = stored("files")
    left = files.path_of(f"upl_{'0' * 26}")
    left.parent.mkdir(exist_ok=True)
    left.write_bytes(b"left")
    assert drop_unreferenced_payloads() == 1
    assert lying(runtime)["files"] == [kept.payload_id]


KILLED = """
import sys
from pathlib import Path
from models import connected
from models import setup
from models.storage.payloads import PIECE_BYTES, files
from operations import move_payloads, payloads
from models.runtime.state import create_runtime
from models.documents.unreferenced_payload import UnreferencedPayload
from settings import Settings
from tests.kills import dying_after

folder, address, place, step = sys.argv[1:]
settings = Settings(instance_path=Path(folder), database=folder + "/documents.sqlite",
                    payloads=address, reserve_bytes=0)
runtime = create_runtime(settings)
runtime.large_payload_bytes = 2 * PIECE_BYTES
if runtime.payload_objects:
    runtime.payload_objects.segmented_above = 2 * PIECE_BYTES
setup.open_runtime()

owner, name = {
    "record": (UnreferencedPayload, "begin_upload"),
    "middle": {
        "rows": (payloads.payload_rows, "store"),
        "files": (files, "_write_at"),
        "objects": (runtime.payload_objects, "store_segment"),
    }[place],
    "copied": (payloads, "_copy"),
    "verified": (payloads, "_verify"),
    "in the transaction": (UnreferencedPayload, "end_upload"),
    "committed": (UnreferencedPayload, "drop_due"),
}[step]
if step == "committed":
    name = "_claim"
dying_after(owner, name)
with connected():
    move_payloads(place)
"""
STEPS = ["record", "middle", "copied", "verified", "in the transaction", "committed"]


@pytest.mark.parametrize(
    ("former", "place", "step"),
    [marked(*way, step) for way in WAYS for step in STEPS],
)
def test_a_move_killed_at_any_step_loses_nothing_and_goes_on(
    stored, runtime, instance, clock, former, place, step
):
    documents = [stored(former) for _ in range(2)]
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
    ids = sorted(one.payload_id for one in documents)
    assert lying(runtime) == {"rows": [], "files": [], "objects": []} | {place: ids}
    assert UnreferencedPayload.select().count() == 0
