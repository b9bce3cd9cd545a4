"""Escaping of text for HTML and for JSON in a script element; makes invisible characters visible.

Control characters, zero-width characters, tags and those that reorder text (bidi) are invisible.
"""

import html
import json
import re

BIDI = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)
INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x0d\x0e-\x1f\x7f-\x9f\u200b\u2028\u2029\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f" + "".join(map(chr, BIDI)) + "]+"
)
VISIBLE = bytes([*b"\t\n", *range(0x20, 0x7F)])  # of ASCII
MAX_NAMED = 4  # characters of a run that its chip names
# In a quoted attribute; `<` so that no line of a page looks like the one that holds the original.
ATTRIBUTE_ESCAPES = ((b"&", b"&amp;"), (b"<", b"&lt;"), (b'"', b"&quot;"))
SCRIPT_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&'\u2028\u2029\x7f"}


def escape(text: str, *, quotes: bool = True) -> str:
    """Return HTML for the text, with a red chip in place of each run of invisible characters.

    It is safe as the content of an element, not in an attribute. Without `quotes` these stay, and
    `>`: they mean something in tags alone.
    """
    escaped = html.escape(text) if quotes else text.replace("&", "&amp;").replace("<", "&lt;")
    if escaped.isascii() and not escaped.encode().translate(None, VISIBLE):
        return escaped  # known in a tenth of the time of the search
    return INVISIBLE.sub(_chip, escaped) if INVISIBLE.search(escaped) else escaped


def escape_attribute(text: str) -> str:
    """Return the value of an attribute, where no chip can stand."""
    return html.escape(single_line(text))


def single_line(text: str) -> str:
    """Return the text on one line without invisible characters; for titles and file names."""
    return INVISIBLE.sub("", text).replace("\n", " ").replace("\t", " ")


def json_for_script(value: object) -> str:
    """Return JSON that can't end the script element that contains it."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).translate(SCRIPT_ESCAPES)


def escape_page(page: bytes) -> bytes:
    """Return a whole page as the value of an attribute in double quotes, such as `srcdoc`."""
    for character, escaped in ATTRIBUTE_ESCAPES:
        page = page.replace(character, escaped)
    return page


def _chip(match: re.Match[str]) -> str:
    run = match.group()
    names = [f"U+{ord(char):04X}" for char in run[:MAX_NAMED]]
    shown = [chr(0x2400 + ord(char)) for char in run[:MAX_NAMED] if char < " "]
    more = f" …×{len(run)}" if len(run) > MAX_NAMED else ""
    text = " ".join(shown if len(shown) == len(names) else names) + more
    return f'<span class="ctl" title="{" ".join(names)}{more}">{text}</span>'
