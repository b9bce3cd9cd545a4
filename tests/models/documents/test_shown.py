"""models/documents/shown.py"""

from types import SimpleNamespace

import pytest

from models.core import Payer
from models.documents.shown import Client, Source
from models.storage.payloads import PIECE_BYTES


@pytest.mark.parametrize(("size", "times"), [(PIECE_BYTES, 1), (PIECE_BYTES + 1, 3)])
def test_a_payload_of_one_piece_is_opened_once_for_all_that_is_read(size, times):
    opened, payload = [], bytes(range(256)) * (size // 256 + 1)

    def read(start=0, stop=size):
        opened.append((start, stop))
        yield payload[start:stop]

    source = Source(SimpleNamespace(size=size, read=read), Client.WAITS, Payer("usr_1"))

    assert not opened
    for start, stop in ((0, 4096), (100, 300), (0, size)):
        assert b"".join(source.read(start, stop)) == payload[start:stop]
    assert len(opened) == times
