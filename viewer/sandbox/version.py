"""Names the version of what the child process makes, so that an upgrade makes it anew."""

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

LIBRARIES: Final = (  # imported by jobs
    *("charset-normalizer", "markdown-it-py", "mdit-py-plugins", "nh3", "pi-heif"),
    *("pillow", "Pygments", "pypdfium2", "xlrd"),
)


@cache
def sandbox_version() -> str:
    """Return a digest of the viewer's modules and of the versions of the libraries they use."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.parent.glob("**/*.py")):
        digest.update(path.read_bytes())
    for name in LIBRARIES:
        digest.update(f"{name} {version(name)}\n".encode())
    return digest.hexdigest()
