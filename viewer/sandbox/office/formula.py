"""Formulas of Word documents (Office Math) on one line: a/b, √(a+b), 10 with a raised -6.

Source: ECMA-376, part 1, section 22.1 (Office Math Markup Language).
"""

from collections.abc import Callable
from typing import Final
from xml.etree.ElementTree import Element

from ...escaping import escape
from .elements import attribute, children, first_child, local_name

PROPERTIES: Final = "Pr"  # ends the names of elements without content
DEFAULTS: Final = {"begChr": "(", "endChr": ")", "sepChr": "|", "chr": "∫"}


def formula_html(item: Element | None) -> str:
    """Return the HTML of a formula or of a part of one."""
    if item is None or local_name(item).endswith(PROPERTIES):
        return ""
    render = RENDERED.get(local_name(item))
    return render(item) if render else "".join(map(formula_html, item))


def _part(item: Element, name: str) -> str:
    return formula_html(first_child(item, name))


def _parts(item: Element, separator: str) -> str:
    return separator.join(filter(None, map(formula_html, item)))


def _in_brackets(item: Element) -> str:
    inside = _character(item, "sepChr").join(map(formula_html, children(item, "e")))
    return _character(item, "begChr") + inside + _character(item, "endChr")


def _large_operator(item: Element) -> str:
    return f"{_character(item, 'chr')}{_limits(item)} {_part(item, 'e')}"


def _limits(item: Element) -> str:
    return _lowered(item, "sub") + _raised(item, "sup")


def _group(item: Element, name: str) -> str:
    """Return a part, in brackets unless it is one name or number."""
    html = _part(item, name)
    return html if html.replace(".", "").isalnum() else f"({html})"


def _raised(item: Element, name: str) -> str:
    html = _part(item, name)
    return f"<sup>{html}</sup>" if html else ""


def _lowered(item: Element, name: str) -> str:
    html = _part(item, name)
    return f"<sub>{html}</sub>" if html else ""


def _character(item: Element, name: str) -> str:
    """Return a character that the properties of an element name, or its default."""
    found = first_child(item, f"{local_name(item)}{PROPERTIES}", name)
    value = attribute(found, "val") if found is not None else DEFAULTS[name]
    return escape((value or "")[:4])


RENDERED: Final[dict[str, Callable[[Element], str]]] = {
    "t": lambda item: escape(item.text or ""),
    "f": lambda item: f"{_group(item, 'num')}/{_group(item, 'den')}",
    "rad": lambda item: f"{_raised(item, 'deg')}√{_group(item, 'e')}",
    "d": _in_brackets,
    "nary": _large_operator,
    "func": lambda item: f"{_part(item, 'fName')} {_part(item, 'e')}",
    **dict.fromkeys(
        ("sSup", "sSub", "sSubSup", "sPre"), lambda item: _part(item, "e") + _limits(item)
    ),
    **dict.fromkeys(("limLow", "limUpp"), lambda item: _part(item, "e") + _lowered(item, "lim")),
    **dict.fromkeys(("m", "eqArr"), lambda item: _parts(item, "; ")),
    "mr": lambda item: _parts(item, ", "),
}
