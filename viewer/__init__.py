"""The viewer: a document's bytes into a page that shows it. Pure: no framework, no database.

    view(original)                   the page shown inline
    download(original)               one self-contained file
    sealed_download(original, seal)  the same, opened by a password

`kinds` holds one file for each kind of document, `child` the process in which untrusted
bytes are parsed, `policy` what the browser is told to refuse.
"""

from viewer.extensions import extension
from viewer.media_types import is_shown_inline
from viewer.names import disposition
from viewer.original import Original
from viewer.page import RenderedPage, download, view
from viewer.sealed import Seal, sealed_download

__all__ = [
    "Original",
    "RenderedPage",
    "Seal",
    "disposition",
    "download",
    "extension",
    "is_shown_inline",
    "sealed_download",
    "view",
]
