"""Audio and video: played by the browser's own player."""

from typing import Literal, cast

from viewer.original import Original
from viewer.preview import Preview


def preview(_original: Original, media_type: str) -> Preview:
    element, _, subtype = media_type.partition("/")
    carrier = cast(Literal["audio", "video"], element)
    return Preview(element, f"{subtype.removeprefix('x-').upper()} {element}", carrier=carrier)
