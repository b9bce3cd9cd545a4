"""Sealed pieces as objects of a real S3 server: whole or not at all, read in windows."""

import itertools
import os

import pytest

from crypto import DecryptionError, sealing
from models.core import PayloadStoreAway
from models.storage.payloads import PIECE_BYTES, SEALED_BYTES
from models.storage.payloads.separate_pieces import last_piece, sealed_piece_length
from tests.object_gateway import SECRET
from tests.waiting import until

obstore = pytest.importorskip("obstore")
from models.storage.payloads.objects import (  # noqa: E402  imports obstore
    READERS_AHEAD,
    SEGMENT_PIECES,
    WINDOW_PIECES,
    PayloadObjects,
)

BLOCK = os.urandom(SEALED_BYTES + 41 * 1000)
MULTIPART = 41 * PIECE_BYTES + 5  # 8 MiB: two parts
SIZES = [PIECE_BYTES + 1, 5 << 20, MULTIPART, 42 * PIECE_BYTES]


def sealed(size):
    """Pieces as long as sealed ones, each another."""
    left, number = sealing.sealed_bytes(size), 0
    while left > 0:
        yield BLOCK[number * 1000 : number * 1000 + min(left, SEALED_BYTES)]
        left, number = left - SEALED_BYTES, number + 1


@pytest.fixture
def opened(gateway, monkeypatch):
    """A function that opens a store at an address, by an endpoint, with credentials."""

    def open_at(address=None, **environment):
        for name, value in gateway.environment(**environment).items():
            monkeypatch.setenv(name, value)
        return PayloadObjects(address or gateway.address())

    return open_at


@pytest.fixture
def objects(opened):
    return opened()


@pytest.fixture
def ranges(monkeypatch):
    """The ranges that are fetched, in pieces."""
    asked, fetch = [], obstore.get_range

    def fetched(store, path, *, start, end):
        asked.append((start // SEALED_BYTES, end // SEALED_BYTES))
        return fetch(store, path, start=start, end=end)

    monkeypatch.setattr(obstore, "get_range", fetched)
    return asked


@pytest.mark.parametrize("size", SIZES)
def test_what_is_stored_comes_back_in_any_run_of_pieces(objects, size):
    stored, last = list(sealed(size)), size // PIECE_BYTES
    objects.store("doc_a", iter(stored), size)
    for first, final in [(0, last), (1, last), (last, last), (0, 0), (1, max(1, last - 1))]:
        found = list(objects.pieces("doc_a", size, first, final))
        assert found == stored[first : final + 1]


def test_an_upload_that_breaks_off_raises_its_error_and_leaves_nothing(opened, gateway):
    objects = opened(gateway.address(gateway.TIDY))

    def broken():
        for number, piece in enumerate(sealed(MULTIPART)):
            if number == 40:
                raise ValueError("the client's base64 ended badly")
            yield piece

    for _ in range(12):  # a part that came after the end was seen two times in fifty
        with pytest.raises(ValueError, match="ended badly"):
            objects.store("doc_a", broken(), MULTIPART)

    assert not objects.exists("doc_a")
    until(lambda: gateway.unfinished_uploads() == 0)  # other tests upload there, too


def test_an_upload_that_breaks_off_is_completed_and_deleted_so_no_part_comes_late(
    opened, gateway, monkeypatch
):
    objects = opened(gateway.address(gateway.TIDY))
    done = []
    for name in ("put", "delete"):
        call = getattr(obstore, name)
        monkeypatch.setattr(
            obstore, name, lambda *a, _n=name, _c=call, **o: (_c(*a, **o), done.append(_n))[0]
        )

    def broken():
        yield from itertools.islice(sealed(MULTIPART), 40)
        raise ValueError("the client has gone")

    with pytest.raises(ValueError, match="has gone"):
        objects.store("doc_a", broken(), MULTIPART)

    assert done == ["put", "delete"]


@pytest.mark.parametrize("size", [PIECE_BYTES + 1, MULTIPART])
def test_an_upload_whose_connection_breaks_leaves_no_object(opened, gateway, proxy, size):
    address = gateway.address()
    objects = opened(address, url=proxy.url)
    proxy.break_after = size // 2
    with pytest.raises(PayloadStoreAway):
        objects.store("doc_a", sealed(size), size)
    assert not opened(address).exists("doc_a")


@pytest.mark.parametrize("number", [0, 3])
def test_a_missing_object_is_damage(objects, number):
    with pytest.raises(DecryptionError, match="missing"):
        list(objects.pieces("doc_a", MULTIPART, number, number))


def test_an_object_that_was_cut_is_damage_where_it_ends(objects):
    stored = list(sealed(4 * PIECE_BYTES))
    objects.store("doc_a", iter([*stored[:2], stored[2][:-1]]), PIECE_BYTES)
    found = objects.pieces("doc_a", 4 * PIECE_BYTES, 0, 4)
    assert [next(found), next(found)] == stored[:2]
    for first in (2, 3, 4):
        with pytest.raises(DecryptionError, match="altered"):
            next(objects.pieces("doc_a", 4 * PIECE_BYTES, first, 4))


def test_a_reader_that_takes_one_piece_has_fetched_one(objects, ranges):
    objects.store("doc_a", sealed(MULTIPART), MULTIPART)
    next(objects.pieces("doc_a", MULTIPART, 3, 41))
    assert ranges == [(3, 4)]


def test_the_next_window_is_fetched_while_one_is_sent(objects, ranges):
    objects.store("doc_a", sealed(MULTIPART), MULTIPART)
    found = objects.pieces("doc_a", MULTIPART, 0, 41)
    next(found), next(found), next(found)
    expected = [(0, 1), (1, 1 + WINDOW_PIECES), (1 + WINDOW_PIECES, 1 + 2 * WINDOW_PIECES)]
    objects._fetching.shutdown()
    assert ranges == expected


def test_many_slow_readers_hold_one_piece_each(objects, ranges):
    objects.store("doc_a", sealed(MULTIPART), MULTIPART)
    slow = [objects.pieces("doc_a", MULTIPART, 0, 41) for _ in range(READERS_AHEAD + 1)]
    for one in slow:
        next(one)
    ranges.clear()

    assert next(slow[-1]) == list(sealed(MULTIPART))[1]
    assert ranges == [(1, 2)]
    slow[0].close()
    assert b"".join(objects.pieces("doc_a", MULTIPART, 0, 41)) == b"".join(sealed(MULTIPART))
    assert ranges[2] == (1, 1 + WINDOW_PIECES), "a reader that has ended makes room for another"


def test_objects_are_listed_and_dropped_and_a_missing_one_is_no_error(objects):
    for id in ("doc_a", "doc_b"):
        objects.store(id, sealed(PIECE_BYTES), PIECE_BYTES)
    assert list(objects.payload_ids()) == [["doc_a", "doc_b"]]
    objects.drop("doc_a", "doc_never")
    assert (objects.exists("doc_a"), objects.exists("doc_b")) == (False, True)


def calls(objects):
    yield lambda: objects.store("doc_a", sealed(PIECE_BYTES), PIECE_BYTES)
    yield lambda: objects.store("doc_a", sealed(MULTIPART), MULTIPART)
    yield lambda: list(objects.pieces("doc_a", PIECE_BYTES, 0, 1))
    yield lambda: objects.exists("doc_a")
    yield lambda: objects.drop("doc_a")
    yield lambda: list(objects.payload_ids())
    yield objects.owner


def test_a_store_that_is_away_is_reported_by_every_call(opened, proxy, caplog):
    objects = opened(url=proxy.url)
    proxy.is_open = False
    for call in calls(objects):
        with pytest.raises(PayloadStoreAway) as raised:
            call()
        assert raised.value.code == "busy"
        assert "does not answer" in raised.value.reason
    assert SECRET not in caplog.text


def test_wrong_credentials_are_reported_without_them(opened, caplog):
    objects = opened(secret="another secret")
    for call in calls(objects):
        with pytest.raises(PayloadStoreAway) as raised:
            call()
        assert "AWS_SECRET_ACCESS_KEY" in raised.value.reason
        assert "another secret" not in raised.value.reason + caplog.text


def test_an_outage_is_one_line_in_the_log_and_its_end_another(opened, gateway, caplog, monkeypatch):
    store = opened()
    store.store("doc_1", sealed(PIECE_BYTES + 1), PIECE_BYTES + 1)
    assert store.away_for is None
    away = opened(url="http://127.0.0.1:9")
    for _ in range(5):
        with pytest.raises(PayloadStoreAway):
            away.exists("doc_1")
    assert away.away_for is not None
    assert len(caplog.records) == 1

    away._store = store._store
    assert away.exists("doc_1")
    assert away.exists("doc_1")

    assert away.away_for is None
    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING"]
    assert "answers again" in caplog.records[-1].message


# Segments of large payloads in separate pieces

SEPARATE = "upl_" + "0" * 25 + "1"
OTHER = "upl_" + "0" * 25 + "2"
SEGMENTED = (2 * SEGMENT_PIECES + 5) * PIECE_BYTES + 9


def separate_pieces(size):
    """Pieces as long as separate ones, each another."""
    for number in range(last_piece(size) + 1):
        length = sealed_piece_length(size, number)
        yield (number.to_bytes(4, "big") * (length // 4 + 1))[:length]


@pytest.fixture
def segmented(objects):
    objects.segmented_above = 10 * PIECE_BYTES
    objects.store(SEPARATE, separate_pieces(SEGMENTED), SEGMENTED)
    return objects


def keys(objects):
    return sorted(entry["path"] for page in obstore.list(objects._store) for entry in page)


def test_a_large_payload_is_an_object_for_each_64_pieces(segmented):
    assert keys(segmented) == [f"payload/{SEPARATE}/{number}" for number in range(3)]
    sizes = [
        len(obstore.get(segmented._store, f"payload/{SEPARATE}/{number}").bytes())
        for number in range(3)
    ]
    last = sealed_piece_length(SEGMENTED, 2 * SEGMENT_PIECES + 5)
    assert sizes == [64 * 196_872, 64 * 196_872, 5 * 196_872 + last]


def test_a_payload_of_whole_segments_has_none_that_is_empty(objects):
    objects.segmented_above = 10 * PIECE_BYTES
    size = SEGMENT_PIECES * PIECE_BYTES
    objects.store(SEPARATE, separate_pieces(size), size)
    assert keys(objects) == [f"payload/{SEPARATE}/0"]


def test_separate_pieces_up_to_the_limit_are_one_object(objects):
    size = 12 * PIECE_BYTES
    objects.store(SEPARATE, separate_pieces(size), size)
    assert keys(objects) == [f"payload/{SEPARATE}"]
    assert list(objects.pieces(SEPARATE, size, 0, 11)) == list(separate_pieces(size))


@pytest.mark.parametrize("span", [(0, 133), (0, 0), (63, 64), (60, 70), (127, 129), (133, 133)])
def test_ranges_cross_the_bounds_of_segments(segmented, span):
    first, last = span
    expected = list(separate_pieces(SEGMENTED))[first : last + 1]
    assert list(segmented.pieces(SEPARATE, SEGMENTED, first, last)) == expected


def test_a_deletion_deletes_all_segments_and_no_other_payload(segmented):
    segmented.store(OTHER, separate_pieces(SEGMENTED), SEGMENTED)
    segmented.drop(SEPARATE)
    assert keys(segmented) == [f"payload/{OTHER}/{number}" for number in range(3)]
    assert (segmented.exists(SEPARATE), segmented.exists(OTHER)) == (False, True)
    assert list(segmented.payload_ids()) == [[OTHER]]


@pytest.mark.parametrize("how", ["missing", "cut"])
def test_a_segment_that_was_altered_is_a_damaged_payload(segmented, how):
    key = f"payload/{SEPARATE}/1"
    found = bytes(obstore.get(segmented._store, key).bytes())
    obstore.delete(segmented._store, key)
    if how == "cut":
        obstore.put(segmented._store, key, found[:-1])
    with pytest.raises(DecryptionError):
        list(segmented.pieces(SEPARATE, SEGMENTED, 0, 133))


def test_two_processes_put_the_same_segment(segmented):
    some = list(separate_pieces(SEGMENTED))[64:128]
    assert segmented.store_segment(SEPARATE, 1, iter(some))
    assert list(segmented.pieces(SEPARATE, SEGMENTED, 64, 127)) == some
