"""models/documents/stored_preview.py"""

import threading
from dataclasses import dataclass, field
from typing import Any

import pytest

from models import Event, StoredPreview, User, connected, current_runtime
from models.background import sweep
from models.core import Busy, Payer, now
from models.documents.shown import BRIEFLY_KEPT_MS, PATIENCE_SECONDS, Client, Source
from models.links import delete_document
from models.runtime import BeingMadeError, previews
from models.storage import database
from models.storage.payloads import PIECE_BYTES
from tests.uploads import upload
from tests.waiting import join_threads, start_threads, until
from viewer import Conversion, ConverterBusyError, JobResult
from viewer.sandbox.conversion_slots import WAIT_SECONDS
from viewer.sandbox.converter import Converter
from viewer.sandbox.messages import whole

LONG = bytes(range(256)) * 3_000  # several pieces


@pytest.fixture
def document(alice):
    return upload(alice)


def register():
    return User.register("alice@example.com", "correct horse battery", "Alice", "open")


def set_clock(monkeypatch, milliseconds):
    """Set the clock of previews this far ahead."""
    monkeypatch.setattr("models.documents.stored_preview.now", lambda: now() + milliseconds)


@dataclass
class Maker:
    """A job that counts how often it makes something; others of the same name make the same."""

    made: bytes = b"made"
    failure: str | None = None
    name: str = "a name"
    times: int = 0

    def __repr__(self):
        return self.name

    def run(self, *_):
        self.times += 1
        return JobResult([({}, self.made)], self.failure)


@dataclass(repr=False)
class Waiter(Maker):
    """A job that says that it runs, and goes on when it is let go on."""

    running: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)

    def run(self, *_):
        self.running.set()
        self.released.wait()
        return super().run()


@dataclass(frozen=True)
class SlowMaker(Conversion):
    """A conversion by a job of the test."""

    job: Any = None

    def run(self, *_):
        return self.job.run()


def slow(job, kind=SlowMaker):
    return kind(Converter("/soffice.bin", "1"), "docx", job=job)


def obtain(document, job, client=Client.WAITS):
    """Return what the job makes of the document, in bytes."""
    result = Source(document, client, Payer(document.owner_id)).run(job, (), {})
    return b"".join(whole(block) for _, block in result.messages)


def size_of(job):
    """Return how many bytes are kept of what the job makes."""
    return len(JobResult([({}, job.made)], job.failure).to_bytes())


def pieces():
    ((count,),) = database.execute_sql(
        "SELECT COUNT(*) FROM piece WHERE document_id LIKE 'prv%'"
    ).fetchall()
    return count


def test_who_does_not_wait_is_told_that_it_is_being_made_and_gets_it_later(document):
    make = Waiter(LONG)
    for _ in range(2):
        with pytest.raises(BeingMadeError):
            obtain(document, slow(make), Client.ASKS_AGAIN)
    make.released.set()
    until(lambda: not current_runtime().beside_requests._begun)
    assert obtain(document, slow(make), Client.ASKS_AGAIN) == LONG
    assert make.times == 1


def test_what_could_not_be_made_beside_requests_is_made_by_one_who_waits(document):
    with pytest.raises(BeingMadeError):
        obtain(document, slow(Maker(None)), Client.ASKS_AGAIN)
    until(lambda: not current_runtime().beside_requests._begun)

    assert obtain(document, slow(Maker()), Client.ASKS_AGAIN) == b"made"


def test_a_conversion_has_patience_only_while_no_request_waits_for_it(document):
    """A request that waits is told after a while to come again."""
    waited = []

    class Asked(SlowMaker):
        def run(self, *_):
            waited.append(self.wait_seconds)
            raise ConverterBusyError

    job = slow(None, Asked)
    with pytest.raises(BeingMadeError):
        obtain(document, job, Client.ASKS_AGAIN)
    until(lambda: not current_runtime().beside_requests._begun)
    for client in Client:
        with pytest.raises(Busy):
            obtain(document, job, client)

    assert waited == [PATIENCE_SECONDS, *[WAIT_SECONDS] * 3]


@pytest.mark.parametrize("made", [b"", b"short", LONG, bytes(2 * PIECE_BYTES)])
def test_a_preview_is_made_once(document, made):
    make = Maker(made)
    assert [obtain(document, make), obtain(document, make)] == [made, made]
    assert make.times == 1


def test_previews_of_other_names_and_documents_are_others(document, alice):
    make, other = Maker(), Maker(name="another name")
    obtain(document, make)
    obtain(document, other)
    obtain(upload(alice), make)
    assert (make.times, other.times) == (2, 1)


def test_a_preview_that_many_ask_for_is_made_once(document):
    results = []
    make = Waiter(LONG)

    def ask():
        with connected():
            results.append(obtain(document, make))

    threads = start_threads(*[ask] * 3)  # as many as one owner may have at once
    make.released.set()
    join_threads(threads)

    assert results == [LONG] * 3
    assert make.times == 1


def test_a_failure_is_kept_for_minutes_only(document, monkeypatch):
    make = Maker(failure="crashed")
    obtain(document, make)
    obtain(document, make)
    assert make.times == 1
    set_clock(monkeypatch, BRIEFLY_KEPT_MS + 1)
    obtain(document, make)
    assert make.times == 2


def test_the_sweeper_deletes_failures_that_no_longer_count(document, monkeypatch):
    obtain(document, Maker())
    obtain(document, Maker(failure="crashed", name="a failure"))
    set_clock(monkeypatch, BRIEFLY_KEPT_MS + 1)
    sweep()
    assert StoredPreview.select().count() == pieces() == 1


def test_a_failure_of_an_earlier_process_does_not_count(document, runtime):
    make = Maker(failure="crashed")
    obtain(document, make)
    runtime.started_at += 60_000
    obtain(document, make)
    assert make.times == 2


def test_nothing_is_kept_when_making_raises(document):
    class Failing(Maker):
        def run(self, *_):
            raise OSError("damaged")

    with pytest.raises(OSError, match="damaged"):
        obtain(document, Failing())
    assert obtain(document, Maker()) == b"made"


def test_deleting_a_document_drops_its_previews(document, alice):
    other = upload(alice)
    obtain(document, Maker(LONG))
    obtain(other, Maker())
    delete_document(document)
    assert [one.document_id for one in StoredPreview.select()] == [other.id]
    assert pieces() == 1


def test_a_preview_of_a_document_deleted_meanwhile_is_not_kept(document):
    class Deleting(Maker):
        def run(self, *_):
            delete_document(document)
            return super().run()

    assert obtain(document, Deleting()) == b"made"
    assert (StoredPreview.select().count(), pieces()) == (0, 0)


def test_a_damaged_preview_is_made_anew(document):
    make = Maker(LONG)
    obtain(document, make)
    database.execute_sql("UPDATE piece SET sealed = zeroblob(9) WHERE document_id LIKE 'prv%'")
    assert obtain(document, make) == LONG
    assert make.times == 2


def test_a_preview_moved_to_another_document_does_not_open(document, alice):
    other, make = upload(alice), Maker()
    obtain(document, make)
    obtain(other, make)
    mine, theirs = StoredPreview.select().order_by(StoredPreview.created_at)
    database.execute_sql("DELETE FROM piece WHERE document_id = ?", [theirs.id])
    moved = "UPDATE piece SET document_id = ? WHERE document_id = ?"
    database.execute_sql(moved, [theirs.id, mine.id])
    theirs.change(head=mine.head)

    obtain(other, make)
    assert make.times == 3


def test_those_used_longest_ago_make_room_for_new_ones(configure, monkeypatch):
    makers = [Maker(name=str(number)) for number in range(3)]
    configure(preview_bytes=size_of(makers[0]) * 5 // 2, reserve_bytes=0)
    with connected():
        document = upload(register())
        for hour, number in enumerate((0, 1, 0, 2, 0, 2)):
            set_clock(monkeypatch, hour * 3_700_000)
            obtain(document, makers[number])
            Event.record_readings()
        assert [one.times for one in makers] == [1, 1, 1]

        obtain(document, makers[1])
        assert [one.times for one in makers] == [1, 2, 1]


def test_what_there_is_no_room_for_stays_in_memory_for_some_minutes(configure, monkeypatch):
    configure(preview_bytes=3, reserve_bytes=0)
    make, long = Maker(), Maker(bytes(10), name="another")
    monkeypatch.setattr(previews, "MOST_UNKEPT_BYTES", size_of(long) + 2)
    with connected():
        document = upload(register())
        assert [obtain(document, make), obtain(document, make)] == [b"made"] * 2
        assert (make.times, StoredPreview.select().count()) == (1, 0)
        obtain(document, long)  # and no more than so many bytes
        obtain(document, make)
        assert make.times == 2
        monkeypatch.setattr(previews, "UNKEPT_SECONDS", 0)
        obtain(document, long)
        obtain(document, long)
        assert long.times == 3
        StoredPreview.forget_expired()
    assert not current_runtime().unkept_previews._held


def test_nothing_of_a_preview_lies_in_clear(document, tmp_path):
    obtain(document, Maker(b"what only the document says" * 1_000, name="the name of a job"))
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
    assert b"what only" not in stored
    assert b"the name" not in stored


def test_who_asks_again_and_finds_no_slot_is_told_that_another_one_makes_it(document):
    """Only while somebody does; a caller who does not ask again is refused."""
    make, made = Waiter(), []
    queue = current_runtime().preview_queue
    queue._slot_seconds = 0
    queue.same_seconds = 0
    queue.viewing.most = 1
    with connected():
        (maker,) = start_threads(lambda: made.append(obtain(document, make)))
        make.running.wait()
        with pytest.raises(BeingMadeError):
            obtain(document, Maker(), Client.ASKS_AGAIN)
        with pytest.raises(Busy):
            obtain(document, Maker())
        with pytest.raises(Busy):
            obtain(document, Maker(name="another name"), Client.ASKS_AGAIN)
        make.released.set()
        join_threads([maker])
    assert made == [b"made"]
    assert obtain(document, Maker(), Client.ASKS_AGAIN) == b"made"
    assert queue.seconds_in_making("any") is None
    assert not queue._wanted


def test_who_finds_no_slot_gets_the_preview_that_another_one_is_making(document):
    make, made = Waiter(), []
    queue = current_runtime().preview_queue
    queue._slot_seconds = 0
    queue.same_seconds = 60
    queue.viewing.most = 1
    not_called = Maker(b"made twice")

    def ask(maker):
        with connected():
            made.append(obtain(document, maker))

    first = start_threads(lambda: ask(make))
    make.running.wait()
    others = start_threads(*[lambda: ask(not_called)] * 8)
    until(lambda: len(queue._same._slots._line) == 8)
    make.released.set()
    join_threads([*first, *others])
    assert made == [b"made"] * 9
    assert not_called.times == 0
