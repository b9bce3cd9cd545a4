"""The version of what the child process makes, so that an upgrade makes it anew."""

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

LIBRARIES: Final = (  # imported by jobs
    "chardet",
    "mammoth",
    "markdown-it-py",
    "mdit-py-plugins",
    "nh3",
    "olefile",
    "pi-heif",
    "pillow",
    "Pygments",
    "pypdfium2",
)
VIEWER: Final = Path(__file__).parents[1]
FONTS: Final = Path("/usr/share/fonts")
EAST_ASIAN: Final = "DroidSansFallbackFull.ttf"  # Debian's fonts-droid-fallback


@cache
def east_asian_font() -> Path | None:
    """Return the font that PDFs without their own are drawn with; None if it is not installed."""
    return next(FONTS.rglob(EAST_ASIAN), None)


@cache
def sandbox_version() -> str:
    """Return a digest of the viewer's modules, the versions of their libraries, and the font."""
    digest = hashlib.sha256()
    for path in sorted(VIEWER.glob("**/*.py")):
        if not path.is_relative_to(VIEWER / "tests"):
            digest.update(path.read_bytes())
    for name in LIBRARIES:
        digest.update(f"{name} {version(name)}\n".encode())
    digest.update(str(east_asian_font()).encode())
    return digest.hexdigest()
