"""Text into HTML, so that it stays text; what hides or reorders itself is made visible."""

import html
import json
import re

REORDERING = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)
INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x0d\x0e-\x1f\x7f-\x9f\u200b\u2028\u2029\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f" + "".join(map(chr, REORDERING)) + "]"
)
SCRIPT_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&'\u2028\u2029\x7f"}


def escape(text: str) -> str:
    """HTML for this text, with a red chip for every character that could deceive the reader."""
    escaped = html.escape(text, quote=True)
    return INVISIBLE.sub(_chip, escaped) if INVISIBLE.search(escaped) else escaped


def plain(text: str) -> str:
    """The text on one line, without the characters that deceive; for titles and file names."""
    return INVISIBLE.sub("", text).replace("\n", " ").replace("\t", " ")


def json_for_script(value: object) -> str:
    """JSON that can neither end nor bend the script element it stands in."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).translate(SCRIPT_ESCAPES)


def _chip(match: re.Match[str]) -> str:
    code = ord(match.group())
    name = f"U+{code:04X}"
    shown = chr(0x2400 + code) if code < 0x20 else name
    return f'<span class="ctl" title="{name}">{shown}</span>'
