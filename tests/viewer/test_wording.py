"""viewer/wording.py"""

import pytest

from viewer.wording import counted, human_size


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (1023, "1,023 bytes"),
        (1024, "1.0 KiB"),
        (24_576, "24.0 KiB"),
        (1_048_575, "1.0 MiB"),
        (67_108_864, "64.0 MiB"),
        (536_870_912, "512 MiB"),
        (1 << 40, "1.0 TiB"),
    ],
)
def test_sizes_as_people_say_them(size, words):
    assert human_size(size) == words


def test_one_is_singular():
    assert counted(1, "page") == "1 page"
    assert counted(1200, "page") == "1,200 pages"
