"""Runs in the child. A whole foreign page, kept as it looks, with everything taken out that
runs, loads, frames, posts or re-bases.

What comes out still lives in a sandboxed frame under `default-src 'none'`. It is cleaned
first, because a browser opens a connection for a frame's address even where the policy then
blocks the frame.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

import nh3

from viewer.decoding import decode, load_codecs
from viewer.sandbox.frames import Frame
from viewer.sandbox.sanitizer import LISTS, PHRASES, TAGS, safe_link, safe_picture

DECLARED_CHARSET: Final = re.compile(rb"""<meta[^>]{1,200}?charset=["']?([\w-]{1,40})""", re.I)
BODY: Final = re.compile(r"<body\b[^>]{0,2000}>", re.I)
STYLE: Final = re.compile(r"""\bstyle\s*=\s*("[^"<>]*"|'[^'<>]*')""", re.I)
BACKGROUND: Final = re.compile(r"""\bbgcolor\s*=\s*["']?(#?\w{1,30})""", re.I)
TO_A_PLACE_INSIDE: Final = re.compile(r'(<a\b[^<>]*\shref="#[^"<>]*"[^<>]*?) target="_blank"')
PAGE_STYLE: Final = "<style>:root{color-scheme:light}html{color:#000}img{max-width:100%}</style>"
LAYOUT: Final = frozenset(
    {"style", "article", "aside", "header", "footer", "main", "nav", "address", "center", "hgroup"}
    | {"div", "colgroup", "col", "details", "summary", "fieldset", "legend", "label", "picture"}
    | {"map", "area", "meter", "progress", "ruby", "rp", "rt", "wbr"}
)
OLD_AND_SMALL: Final = frozenset(
    {"font", "big", "tt", "strike", "bdi", "bdo", "cite", "data", "dfn", "time", "var"}
)
PAGE_TAGS: Final = TAGS | LISTS | PHRASES | LAYOUT | OLD_AND_SMALL
ANYWHERE: Final = frozenset(
    {
        "style",
        "class",
        "id",
        "title",
        "dir",
        "lang",
        "align",
        "valign",
        "bgcolor",
        "color",
        "hidden",
    }
    | {"width", "height", "border", "cellpadding", "cellspacing", "role", "aria-label"}
)
ATTRIBUTES: Final[dict[str, set[str]]] = {
    "*": set(ANYWHERE),
    "a": {"href", "name"},
    "area": {"href", "shape", "coords", "alt"},
    "img": {"src", "alt", "usemap"},
    "font": {"face", "size"},
    "td": {"colspan", "rowspan", "nowrap"},
    "th": {"colspan", "rowspan", "scope"},
    "ol": {"start", "type", "reversed"},
    "ul": {"type"},
    "li": {"value"},
    "col": {"span"},
    "colgroup": {"span"},
    "details": {"open"},
    "time": {"datetime"},
    "map": {"name"},
    "meter": {"value", "min", "max"},
    "progress": {"value", "max"},
    "hr": {"size", "noshade"},
}
DROPPED_WHOLE: Final = {
    *("script", "noscript", "template", "svg", "math", "iframe", "object", "title", "textarea"),
    *("select", "xmp", "noembed", "noframes", "plaintext"),
}


def prepare(data: bytes, order: dict[str, Any]) -> None:
    """The page may name its own charset."""
    found = DECLARED_CHARSET.search(data[:4096])
    order["charset"] = order.get("charset") or (found.group(1).decode() if found else None)
    load_codecs(order["charset"])


def frames(data: bytes, order: dict[str, Any]) -> Iterator[Frame]:
    """One page for a frame."""
    text, encoding = decode(data, order["charset"])
    yield {"encoding": encoding}, cleaned_page(text).encode("utf-8", "replace")


def cleaned_page(text: str) -> str:
    """The page for the frame's srcdoc. A link in it opens beside it."""
    cleaned = nh3.clean(
        text.replace("\0", "\ufffd"),
        tags=set(PAGE_TAGS),
        attributes=ATTRIBUTES,
        attribute_filter=_filter,
        clean_content_tags=set(DROPPED_WHOLE),
        url_schemes={"http", "https", "mailto", "tel", "data"},
        link_rel="noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}, "area": {"target": "_blank"}},
    )
    inside = TO_A_PLACE_INSIDE.sub(r"\1", cleaned)
    return f"<!doctype html>{PAGE_STYLE}<body{_body_style(text[:200_000])}>{inside}"


def _filter(_tag: str, name: str, value: str) -> str | None:
    if name == "href":
        return safe_link(value)
    return safe_picture(value) if name == "src" else value


def _body_style(text: str) -> str:
    """The body's own style, which cleaning a fragment loses. No character in it ends a tag."""
    body = BODY.search(text)
    if not body:
        return ""
    if style := STYLE.search(body.group()):
        return f" style={style.group(1)}"
    background = BACKGROUND.search(body.group())
    return f' style="background:{background.group(1)}"' if background else ""
