"""Several pieces at once are fetched for few readers; who needs one piece waits for no place."""

from models.storage.payloads.pieces import READERS_AHEAD, ReadAhead


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
