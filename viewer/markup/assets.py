"""The scripts and stylesheets that are embedded in a page, as each page and file holds them."""

import base64
import functools
import hashlib
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).resolve().parents[1] / "templates"


@functools.cache
def asset(name: str) -> str:
    """Return a script or stylesheet, as each page and file holds it."""
    return (FOLDER / name).read_text("utf-8")


def source_hash(text: str) -> str:
    """Return the CSP source expression that allows exactly this script or stylesheet."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
