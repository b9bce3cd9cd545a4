"""Audio and video: the browser's own player."""

from typing import Literal, cast

from viewer.original import Original
from viewer.preview import Preview


def preview(_original: Original, kind: str) -> Preview:
    """The player itself is the carrier of the bytes."""
    element, _, form = kind.partition("/")
    carrier = cast(Literal["audio", "video"], element)
    return Preview(element, f"{form.removeprefix('x-').upper()} {element}", carrier=carrier)
