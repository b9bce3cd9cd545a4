"""Formulas in MathML, as browsers draw them.

Source: MathML Core, and MathML 3, 3.3.8, for brackets (`mfenced`), which old books have and Core
lacks.
"""

import re
from typing import Final
from xml.etree.ElementTree import Element

from ...markup.escaping import escape, escape_attribute
from ...markup.sanitizer import FORMULA
from ..packages.elements import local_name, parse_xml

PREFIX: Final = re.compile(rb"(</?|\s)\w+:(?=[\w-]+[\s=/>])")  # declared outside of the formula
IGNORED: Final = frozenset({"annotation", "annotation-xml", "script", "style"})


def formula(data: bytes) -> str:
    """Return a <math> element as HTML; raise ValueError or ParseError if it is malformed."""
    return _html(parse_xml(PREFIX.sub(rb"\1", data)))


def _html(item: Element) -> str:
    name = local_name(item)
    if name in IGNORED:
        return ""
    if name == "mfenced":
        return _fenced(item)
    parts = (_html(child) + escape(child.tail or "") for child in item)
    inner = escape(item.text or "") + "".join(parts)
    if name not in FORMULA:
        return inner
    kept = ((key, value) for key, value in item.items() if key in FORMULA[name])
    written = "".join(f' {key}="{escape_attribute(value)}"' for key, value in kept)
    return f"<{name}{written}>{inner}</{name}>"


def _fenced(item: Element) -> str:
    """Return what is in brackets, with the signs between; the last of these is repeated."""
    signs = "".join(item.get("separators", ",").split())
    inner = ""
    for number, child in enumerate(item):
        inner += _sign(signs[:number][-1:]) + _html(child)
    return f"<mrow>{_sign(item.get('open', '('))}{inner}{_sign(item.get('close', ')'))}</mrow>"


def _sign(text: str) -> str:
    return f"<mo>{escape(text)}</mo>" if text else ""
