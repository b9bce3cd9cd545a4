"""A deleted document's key is nowhere on disk, nor where it lay before its row was changed."""

from models import Document
from models.links import delete_document
from models.storage import database, engine
from tests.uploads import upload


def on_disk(instance, keys):
    stored = b"".join(path.read_bytes() for path in instance.iterdir())
    return [key for key in keys if key in stored]


def uploaded(owner, count):
    return [upload(owner, name="short") for _ in range(count)]


def test_also_after_its_row_has_grown_and_moved(instance, alice):
    first, *documents = uploaded(alice, 61)
    delete_document(first)  # its payload need not be overwritten, what comes after must be
    for document in documents:
        Document.edit(alice.id, document.id, name="a much longer name " * 10)
    keys = [bytes(document.sealed_key) for document in documents]
    engine().truncate_wal()
    assert on_disk(instance, keys) == keys

    for document in documents[::2]:
        delete_document(document)

    assert on_disk(instance, keys) == keys[1::2]


def test_once_no_reader_holds_the_log_any_more(instance, alice):
    (document,) = uploaded(alice, 1)
    key = bytes(document.sealed_key)
    reader = database._connect()
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM document").fetchone()
    delete_document(document)
    assert on_disk(instance, [key]) == [key]

    reader.execute("COMMIT")
    reader.close()
    assert engine().truncate_wal()

    assert on_disk(instance, [key]) == []
