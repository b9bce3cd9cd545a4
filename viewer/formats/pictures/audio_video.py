"""Audio and video: played by the browser's own player."""

from typing import Literal, cast

from ..original import Original
from ..preview import Preview


def preview(_original: Original, media_type: str) -> Preview:
    element, _, subtype = media_type.partition("/")
    carrier = cast(Literal["audio", "video"], element)
    return Preview(element, f"{subtype.removeprefix('x-').upper()} {element}", carrier=carrier)
