"""viewer/encoding.py"""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.encoding import base64_pieces, base64_size


@given(st.lists(st.binary(max_size=50)))
def test_pieces_of_any_size_join_without_seams(pieces):
    encoded = b"".join(base64_pieces(pieces))

    assert encoded == base64.b64encode(b"".join(pieces))
    assert len(encoded) == base64_size(len(b"".join(pieces)))


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 64 << 20])
def test_the_size_is_known_beforehand(size):
    assert base64_size(size) == -(-size // 3) * 4
