"""Work ahead changes when pieces are made, and nothing else."""

import threading

import pytest

from models.storage.payloads.prefetch import PIECES_AHEAD, prefetch


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
