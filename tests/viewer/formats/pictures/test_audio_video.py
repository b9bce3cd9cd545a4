"""viewer/formats/pictures/picture.py: audio and video"""

import pytest

from tests.viewer.samples import original
from viewer.formats.pictures.picture import audio_video_preview as preview


@pytest.mark.parametrize(
    ("kind", "element", "label"),
    [("audio/x-aiff", "audio", "AIFF audio"), ("video/mp4", "video", "MP4 video")],
)
def test_the_player_element_carries_the_bytes(kind, element, label):
    shown = preview(original(b"x"), kind)

    assert (shown.kind, shown.carrier, shown.label) == (element, element, label)
