"""viewer/rendering/page.py: base64"""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.rendering.page import base64_length, base64_pieces


@given(st.lists(st.binary(max_size=50)))
def test_encoded_pieces_of_any_size_join_to_one_base64_text(pieces):
    encoded = b"".join(base64_pieces(pieces))

    assert encoded == base64.b64encode(b"".join(pieces))
    assert len(encoded) == base64_length(len(b"".join(pieces)))


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 64 << 20])
def test_the_length_of_base64_is_known_in_advance(size):
    assert base64_length(size) == -(-size // 3) * 4
