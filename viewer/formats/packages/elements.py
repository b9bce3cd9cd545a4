"""Navigation in office XML by local names: the same elements exist in several namespaces."""

import math
from collections.abc import Iterator
from xml.etree.ElementTree import Element


def local_name(element: Element) -> str:
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element | None, name: str) -> str | None:
    """Return an attribute by its local name; `r:id` is preferred to a plain `id` beside it."""
    if element is None:
        return None
    keys = sorted(element.attrib, key=lambda key: "}" not in key)
    return next((element.attrib[key] for key in keys if key.rpartition("}")[2] == name), None)


def first_child(element: Element | None, *path: str) -> Element | None:
    """Follow a path of names, to the first child of each name."""
    for name in path:
        element = next(children(element, name), None)
    return element


def children(element: Element | None, name: str) -> Iterator[Element]:
    return (item for item in (element if element is not None else ()) if local_name(item) == name)


def descendants(element: Element, name: str) -> Iterator[Element]:
    return (item for item in element.iter() if local_name(item) == name)


def text_of(element: Element, name: str = "t") -> str:
    """Return the joined text of all descendants of this name."""
    return "".join(item.text or "" for item in descendants(element, name))


def parse_int(value: str | None, default: int) -> int:
    """Return a whole number of at most eight digits; the default for any other value."""
    return (
        int(value) if value and value.isascii() and value.isdigit() and len(value) < 9 else default
    )


def parse_float(value: str | None, default: float, least: float, most: float) -> float:
    """Return a number between these limits; the default for what is none."""
    try:
        number = float(value or default)
    except ValueError:
        return default
    return min(max(number, least), most) if math.isfinite(number) else default
