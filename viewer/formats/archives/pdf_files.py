"""In the child process: the files that a PDF holds beside its pages."""

import contextlib
from collections.abc import Iterator
from typing import Any, Final

import pypdfium2

from ...content.media_types import UNKNOWN
from ...sandbox.messages import Message
from ..pdf_document import open_pdf
from .enclosed import File, section

MAX_FILES: Final = 20
MAX_NAME: Final = 100
MAX_TAKEN: Final = 4 << 20  # bytes of all that are taken out: the page holds them


def render(data: bytes, options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the first files."""
    yield {}, section("Files in this PDF", _files(open_pdf(data, options["password"])))


def _files(document: Any) -> Iterator[File]:
    left = MAX_TAKEN
    for index in range(min(document.count_attachments(), MAX_FILES)):
        with contextlib.suppress(pypdfium2.PdfiumError):
            attachment = document.get_attachment(index)
            data = bytes(attachment.get_data())
            taken = data if len(data) <= left else None
            left -= len(taken or b"")
            yield File(attachment.get_name()[:MAX_NAME], UNKNOWN, len(data), taken)
