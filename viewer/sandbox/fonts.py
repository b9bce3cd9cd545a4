"""Finds the font of the system that PDFs are drawn with which name one without holding it."""

from functools import cache
from pathlib import Path
from typing import Final

FOLDER: Final = Path("/usr/share/fonts")
EAST_ASIAN: Final = "DroidSansFallbackFull.ttf"  # Debian's fonts-droid-fallback


@cache
def east_asian_font() -> Path | None:
    """Return the file with Chinese, Japanese and Korean; None if it is not installed."""
    return next(FOLDER.rglob(EAST_ASIAN), None)
