"""In the child process: a Word document (DOCX) as text with its tables and pictures.

LibreOffice shows its pages; this is for an instance without it.
"""

import base64
import io
from collections.abc import Iterator
from typing import Any, Final
from xml.dom import minidom

import mammoth

from ...markup.formatting import CUT_NOTE
from ...markup.sanitizer import sanitize_fragment
from ...sandbox import MAX_HTML, MAX_PICTURES, MAX_TAGS
from ...sandbox.messages import Message, RefusedError, shown_as

NOTE: Final = "Only its text, tables and pictures are shown."


def prepare(_data: bytes, _options: dict[str, Any]) -> None:
    """Import what the parser of XML imports on first use."""
    minidom.parseString("<x/>")  # noqa: S318


def render(data: bytes, _options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the text. Raises RefusedError if it has too many elements."""
    pictures = Pictures(MAX_PICTURES)
    converted = mammoth.convert_to_html(
        io.BytesIO(data),
        convert_image=pictures.convert,
        include_embedded_style_map=False,  # the document says which elements it becomes
    )
    html = converted.value
    if html.count("<") > MAX_TAGS:
        raise RefusedError("size")
    most = MAX_HTML + pictures.taken
    text = sanitize_fragment(html[:most])
    notes = [NOTE, CUT_NOTE if len(html) > most else ""]
    article = f'<article class="prose">{text}</article>'
    yield shown_as("Word document", notes=notes), article.encode("utf-8", "replace")


class Pictures:
    """The pictures of a document, embedded as far as they take no more than `most` characters."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.taken = 0

    @property
    def convert(self) -> Any:
        """Return the function that mammoth calls for each picture."""
        return mammoth.images.img_element(self._attributes)

    def _attributes(self, picture: Any) -> dict[str, str]:
        with picture.open() as file:
            encoded = base64.b64encode(file.read()).decode()
        source = f"data:{picture.content_type};base64,{encoded}"
        if self.taken + len(source) > self.most:
            return {"src": ""}
        self.taken += len(source)
        return {"src": source}
