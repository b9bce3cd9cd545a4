"""Uploads in pieces to a store of objects: pieces wait as rows until a segment of them is whole."""

import os
import signal
from hashlib import sha256
from io import BytesIO

import pytest

from models import Document, current_runtime, database, uploads
from models.background import drop_payloads
from models.core import PayloadStoreAway
from models.documents import UnfinishedUpload, UnreferencedPayload, unfinished_upload
from models.links import delete_document
from models.storage.payloads import PIECE_BYTES, SEGMENT_PIECES
from models.uploads import catching_up
from operations import drop_unreferenced_payloads
from tests.forking import run_program

obstore = pytest.importorskip("obstore")

LARGE = os.urandom((2 * SEGMENT_PIECES + 5) * PIECE_BYTES + 9)
SMALL = LARGE[: 30 * PIECE_BYTES + 1]
STEP = 42 * PIECE_BYTES + 1000  # one segment is whole with the second


@pytest.fixture
def runtime(configure, in_bucket):
    runtime = configure(reserve_bytes=0, payloads=in_bucket)
    limit = 40 * PIECE_BYTES
    runtime.large_payload_bytes = runtime.payload_objects.segmented_above = limit
    return runtime


@pytest.fixture
def begun(alice):
    """A function that begins an upload of so many bytes."""
    return lambda size: uploads.begin(uploads.NewUpload(alice.id, size))


def send(row, payload, start, stop):
    """Send a part of a payload in steps."""
    for at in range(start, stop, STEP):
        part = payload[at : min(at + STEP, stop)]
        row = uploads.append(row, at, uploads.Body(BytesIO(part), len(part)))
    return row


def keys(objects):
    return sorted(entry["path"] for page in obstore.list(objects._store) for entry in page)


def segments(row, *numbers):
    return [f"payload/{row.id}/{number}" for number in numbers]


def rows():
    return [number for (number,) in database.execute_sql("SELECT number FROM piece ORDER BY 1")]


def test_whole_segments_are_put_and_the_other_pieces_wait_as_rows(begun, objects):
    row = begun(len(LARGE))
    row = send(row, LARGE, 0, STEP)
    assert (keys(objects), rows()) == ([], list(range(42)))
    row = send(row, LARGE, STEP, 2 * STEP)
    assert (keys(objects), rows()) == (segments(row, 0), list(range(64, 84)))
    assert b"".join(UnfinishedUpload.find(row.id).read()) == LARGE[: 2 * STEP]
    row = send(row, LARGE, 2 * STEP, len(LARGE))

    document = Document.find(row.document_id)
    assert (keys(objects), rows()) == (segments(row, 0, 1, 2), [])
    assert (document.place, document.payload_id) == ("objects", row.id)
    assert b"".join(document.read()) == LARGE
    delete_document(document)
    drop_payloads()
    assert (keys(objects), UnreferencedPayload.select().count()) == ([], 0)


def test_a_digest_is_read_again_if_a_step_puts_rows_into_objects_meanwhile(
    begun, objects, monkeypatch
):
    row = send(begun(len(LARGE)), LARGE, 0, STEP)
    digests = current_runtime().upload_digests
    digests.forget(row.id)
    opened = unfinished_upload.open_piece

    def opened_later(key, id, size, number, sealed):
        if number == 0:
            monkeypatch.undo()
            send(row, LARGE, STEP, 2 * STEP)
        return opened(key, id, size, number, sealed)

    monkeypatch.setattr(unfinished_upload, "open_piece", opened_later)
    assert catching_up._read_slice(row.id) is True
    assert catching_up._read_slice(row.id) is False
    digest, offset = digests.of(row.id)
    assert (digest.digest(), offset) == (sha256(LARGE[: 2 * STEP]).digest(), 2 * STEP)


def test_a_payload_that_has_no_segments_is_one_object_with_its_last_byte(begun, objects):
    row = send(begun(len(SMALL)), SMALL, 0, len(SMALL) - 1)
    assert (keys(objects), rows()) == ([], list(range(30)))
    row = send(row, SMALL, len(SMALL) - 1, len(SMALL))
    assert (keys(objects), rows()) == ([f"payload/{row.id}"], [])
    assert b"".join(Document.find(row.document_id).read()) == SMALL


def test_an_upload_that_is_ended_leaves_neither_segments_nor_rows(begun, objects):
    row = send(begun(len(LARGE)), LARGE, 0, 2 * STEP)
    uploads.end(row)
    drop_payloads()
    assert (keys(objects), rows(), UnreferencedPayload.select().count()) == ([], [], 0)


def test_segments_of_an_unfinished_upload_are_not_pruned(begun, objects):
    row = send(begun(len(LARGE)), LARGE, 0, 2 * STEP)
    assert drop_unreferenced_payloads() == 0
    assert segments(row, 0)[0] in keys(objects)


def test_a_store_that_is_away_refuses_the_step_and_the_upload_goes_on_later(
    begun, objects, monkeypatch
):
    def away(*_):
        raise PayloadStoreAway("it is away")

    row = send(begun(len(LARGE)), LARGE, 0, STEP)
    with monkeypatch.context() as broken:
        broken.setattr(objects, "store_segment", away)
        with pytest.raises(PayloadStoreAway):
            send(row, LARGE, STEP, 2 * STEP)
    assert UnfinishedUpload.find(row.id).received == STEP
    row = send(UnfinishedUpload.find(row.id), LARGE, STEP, len(LARGE))
    assert b"".join(Document.find(row.document_id).read()) == LARGE


KILLED = """
import sys
from io import BytesIO
from pathlib import Path
from models import connected, setup, uploads
from models.documents import UnfinishedUpload
from models.runtime.state import create_runtime
from models.storage.payloads import PIECE_BYTES
from models.storage.payloads import rows as payload_rows
from settings import Settings
from tests.kills import dying_after

folder, address, id, file, step = sys.argv[1:]
settings = Settings(instance_path=Path(folder), database=folder + "/documents.sqlite",
                    payloads=address, reserve_bytes=0)
runtime = create_runtime(settings)
runtime.large_payload_bytes = runtime.payload_objects.segmented_above = 40 * PIECE_BYTES
setup.open_runtime()
if step == "put":
    dying_after(runtime.payload_objects, "store_segment")
else:
    dying_after(payload_rows, "drop_first")
with connected():
    row = UnfinishedUpload.find(id)
    part = Path(file).read_bytes()
    uploads.append(row, row.received, uploads.Body(BytesIO(part), len(part)))
"""


@pytest.mark.parametrize("step", ["put", "in the transaction"])
def test_after_kill_9_a_segment_is_put_again_with_other_bytes_that_follow(
    begun, objects, runtime, instance, tmp_path, step
):
    row = send(begun(len(LARGE)), LARGE, 0, STEP)
    (tmp_path / "part").write_bytes(bytes(STEP))  # never acknowledged, and sent otherwise later
    given = (instance, runtime.settings.payloads, row.id, tmp_path / "part", step)
    assert run_program(KILLED, *given) == -signal.SIGKILL

    row = UnfinishedUpload.find(row.id)
    assert row.received == STEP
    row = send(row, LARGE, STEP, len(LARGE))
    assert b"".join(Document.find(row.document_id).read()) == LARGE
    assert (keys(objects), rows()) == (segments(row, 0, 1, 2), [])
