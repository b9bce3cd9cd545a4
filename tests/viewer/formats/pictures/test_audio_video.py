"""viewer/formats/pictures/audio_video.py"""

import pytest

from tests.viewer.samples import original
from viewer.formats.pictures.audio_video import preview


@pytest.mark.parametrize(
    ("kind", "element", "label"),
    [("audio/x-aiff", "audio", "AIFF audio"), ("video/mp4", "video", "MP4 video")],
)
def test_the_player_element_carries_the_bytes(kind, element, label):
    shown = preview(original(b"x"), kind)

    assert (shown.kind, shown.carrier, shown.label) == (element, element, label)
