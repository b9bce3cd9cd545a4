"""Moments as they are written: RFC 3339, in UTC, with milliseconds."""

import pytest

from models.core import rfc3339


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (1_764_423_001_007, "2025-11-29T13:30:01.007Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ],
)
def test_a_moment_is_written_with_its_milliseconds(milliseconds, text):
    assert rfc3339(milliseconds) == text
    assert rfc3339(milliseconds) == text  # its second is known now
