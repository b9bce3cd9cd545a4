"""Files inside a document: the attachments of a mail, the entries of an archive."""

from collections.abc import Sequence
from typing import Final

import pybase64

from ...sandbox.messages import Message, filled

LEFT_OUT: Final = b'<p class="dim">Only the first are shown. Save the others to read them.</p>'


def section(heading: str, files: Sequence[Message]) -> bytes:
    """Return a list of the files, which `enclosed` has drawn; nothing if there is none."""
    if not files:
        return b""
    items = (filled(file, pybase64.b64encode) for file in files)
    note = LEFT_OUT if any(facts["left_out"] for facts, _ in files) else b""
    start = b'<section class="enclosed"><h2>%b</h2><ul>' % heading.encode()
    return b"".join((start, *items, b"</ul>", note, b"</section>"))
