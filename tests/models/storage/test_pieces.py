"""Several pieces at once are fetched for few readers, and made ahead for a writer."""

import threading

import pytest

from models.storage.payloads.pieces import PIECES_AHEAD, READERS_AHEAD, ReadAhead, prefetch


def test_the_first_window_is_one_piece_and_the_last_one_ends_with_the_pieces():
    windows = ReadAhead().windows
    assert list(windows(2, 2, 4)) == [(2, 3)]
    assert list(windows(2, 3, 4)) == [(2, 3), (3, 4)]
    assert list(windows(2, 11, 4)) == [(2, 3), (3, 7), (7, 11), (11, 12)]
    assert list(windows(0, 2, 1)) == [(0, 1), (1, 2), (2, 3)]


def test_a_reader_that_ends_or_is_let_go_of_makes_room_for_another():
    windows = ReadAhead().windows
    readers = [windows(0, 9, 4) for _ in range(READERS_AHEAD + 1)]
    second = [[next(one), next(one)][1] for one in readers]
    assert second == [(1, 5)] * READERS_AHEAD + [(1, 2)]
    readers[0].close()
    del readers[1]
    assert [list(windows(0, 9, 4))[1] for _ in range(2)] == [(1, 5)] * 2


def test_the_same_pieces_come_in_the_same_order():
    assert list(prefetch(iter(range(1000)))) == list(range(1000))
    assert list(prefetch(iter([]))) == []


def test_what_goes_wrong_in_making_a_piece_is_raised_where_it_is_used():
    def broken():
        yield 1
        raise ValueError("no more")

    pieces = prefetch(broken())

    assert next(pieces) == 1
    with pytest.raises(ValueError, match="no more"):
        next(pieces)


def test_no_more_than_a_few_pieces_wait():
    made = []
    pieces = prefetch(made.append(n) or n for n in range(100))
    next(pieces)
    assert len(made) <= PIECES_AHEAD + 3
    pieces.close()


def test_who_stops_early_leaves_no_thread_behind():
    before = threading.active_count()
    pieces = prefetch(iter(range(100)))
    next(pieces)
    pieces.close()
    assert threading.active_count() == before
