"""Finding one's way in office XML by local names: the same words live in many namespaces."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element


def local(element: Element) -> str:
    """An element's name without its namespace."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element | None, name: str) -> str | None:
    """An attribute by its local name; a namespaced one first, for `r:id` stands beside `id`."""
    if element is None:
        return None
    keys = sorted(element.attrib, key=lambda key: "}" not in key)
    return next((element.attrib[key] for key in keys if key.rpartition("}")[2] == name), None)


def child(element: Element | None, *path: str) -> Element | None:
    """The first child of this name, then its first child of the next name…"""
    for name in path:
        element = next(children(element, name), None)
    return element


def children(element: Element | None, name: str) -> Iterator[Element]:
    """All children of this name."""
    return (item for item in (element if element is not None else ()) if local(item) == name)


def descendants(element: Element, name: str) -> Iterator[Element]:
    """All elements of this name below this one."""
    return (item for item in element.iter() if local(item) == name)


def text_of(element: Element, name: str = "t") -> str:
    """The text of all such descendants, joined."""
    return "".join(item.text or "" for item in descendants(element, name))


def number(value: str | None, default: int) -> int:
    """A whole number from an attribute that may hold anything."""
    return (
        int(value) if value and value.isascii() and value.isdigit() and len(value) < 9 else default
    )
