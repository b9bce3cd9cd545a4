"""viewer/sandbox/seven_zip.py"""

import contextlib
import lzma

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.viewer.seven_zip_sample import seven_zip
from viewer.sandbox.seven_zip import AES, COPY, LZMA, SevenZipError, list_files

SAMPLE = seven_zip(a=b"one", b=bytes(300), c=b"")


@pytest.mark.parametrize("method", [COPY, LZMA])
def test_files_have_their_names_and_sizes(method):
    data = seven_zip(method, **{"a.txt": b"one", "größe/b": bytes(70_000), "empty": b""})

    assert list(list_files(data)) == [("a.txt", 3), ("größe/b", 70_000), ("empty", 0)]


def test_folders_are_not_listed():
    assert list(list_files(seven_zip(folder="docs", a=b"x"))) == [("a", 1)]


def test_an_archive_of_nothing_has_no_files():
    start = b"7z\xbc\xaf\x27\x1c\0\4" + bytes(24)

    assert list(list_files(start)) == []


def test_encrypted_names_have_a_reason_of_their_own():
    with pytest.raises(SevenZipError, match="encrypted"):
        list(list_files(seven_zip(AES, a=b"x")))


@pytest.mark.parametrize("size", range(6, len(SAMPLE)))
def test_an_archive_that_is_cut_anywhere_raises(size):
    with pytest.raises(SevenZipError):
        list(list_files(SAMPLE[:size]))


@given(st.integers(0, len(SAMPLE) - 1), st.integers(0, 255))
def test_a_damaged_byte_ends_soon(at, value):
    damaged = SAMPLE[:at] + bytes([value]) + SAMPLE[at + 1 :]
    with contextlib.suppress(SevenZipError, lzma.LZMAError):
        assert len(list(list_files(damaged))) <= 3
