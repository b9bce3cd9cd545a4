"""In the child process: a whole HTML page, sanitized, with its styles.

All is removed that runs, loads, embeds, submits or changes base addresses. The result is shown
in a sandboxed iframe under `default-src 'none'`; sanitizing is still needed because browsers
open a connection for an iframe's address even if the policy then blocks the iframe. That the
addresses are taken out of its stylesheets is a second line of defence, which holds as well where
a sanitized page is shown without our policy.

Source of the syntax: CSS Syntax Module Level 3, sections 4.3.4 (url tokens) and 4.3.7 (escapes).
"""

import html
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import nh3

from ...content.decoding import declared_charset, decode, fits, preload_codecs
from ...markup.assets import asset
from ...markup.escaping import escape_page
from ...markup.formatting import CUT_NOTE
from ...markup.sanitizer import (
    FORMULA,
    LISTS,
    PHRASES,
    TAGS,
    root_attributes,
    safe_image_source,
    safe_link,
)
from ...sandbox import MAX_TAGS
from ...sandbox.messages import Message, escaped_block, shown_as

ESCAPE: Final = re.compile(r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|\s)?|([^\n]))")
# The sign before a name, the name with its escapes, the parenthesis and address of a function.
NAME: Final = re.compile(
    r"(@?)((?:[-\w]|[^\x00-\x7f]|\\[0-9a-fA-F]{1,6}(?:\r\n|\s)?|\\[^\n])++)"
    r"(\((?:\s*+([\"']?)([^\"'()\s]*+)\4\s*+\))?)?",
    re.ASCII,
)
LOADING: Final = ("url", "src", "image", "image-set", "cross-fade")
REMOVED: Final = "removed"
# Of each page with an iframe, and in the iframe.
SCRIPTS: Final = ("web/frame.js",)
INSIDE: Final = "web/inside.js"
STYLES: Final = ("web/frame.css",)
SANDBOX: Final = "allow-popups allow-popups-to-escape-sandbox"
# Before a page: a script where scripts are on, as the page around has it in browsers that need it.
# Where they are off, it is a comment and no element, so that no browser tells of a script.
TELLS_ITS_SIZE: Final = escape_page(
    b"<!doctype html>"
    b"<noscript><!--</noscript><script>%b</script><!-- --></noscript>" % asset(INSIDE).encode()
)
FRAME_TITLE: Final = "The document, with scripts and network off"
NOTE: Final = "Scripts, forms and remote content are switched off."
# Some previews of files, and of attachments in mail programs, take `srcdoc` away with all scripts.
UNFRAMED: Final = (
    b'<p class="unframed">This preview does not show the document. Open the file in a browser: '
    b"on an iPhone, share it from this preview to one.</p>"
)


def without_addresses(css: str) -> str:
    """Return the styles without `@import`, and without `url()` but for pictures in data: URIs.

    A function that loads gets a name that no browser knows, so that its declaration is ignored.
    Names are compared without their escapes, wherever they occur: also in texts and comments.
    """
    return NAME.sub(_allowed, css.replace("\0", "\ufffd"))


def _allowed(match: re.Match[str]) -> str:
    sign, written, call, _, address = match.groups()
    name = ESCAPE.sub(_character, written).lower()
    if sign and name.endswith("import"):
        return f"@{REMOVED}{call or ''}"
    if not call or not name.endswith(LOADING) or (address and safe_image_source(address)):
        return match.group()
    return f"{sign}{REMOVED}{call}"


def _character(escape: re.Match[str]) -> str:
    if not escape[1]:
        return escape[2]
    number = int(escape[1], 16)
    return chr(number) if 0 < number < 0x110000 else "\ufffd"


BODY: Final = re.compile(r"<body\b[^>]{0,2000}>", re.I)
STYLE: Final = re.compile(r"""\bstyle\s*=\s*("[^"<>]*"|'[^'<>]*')""", re.I)
BACKGROUND: Final = re.compile(r"""\bbgcolor\s*=\s*["']?(#?\w{1,30})""", re.I)
STYLE_SHEET: Final = re.compile(r"(<style\b[^<>]*>)(.*?)(?=</style>|\Z)", re.S)
# An iframe with `srcdoc` has the base address of the page around it, which `#x` would load.
LINK_TO_ANCHOR: Final = re.compile(
    r'(<a(?:rea)?\b(?>[^<>]*?\shref="(?=#)))([^"<>]*"[^<>]*?) target="_blank"'
)
TO_ANCHOR: Final = r"\1about:srcdoc\2"
PAGE_STYLE: Final = (
    "<style>:root{color-scheme:light}html{color:#000}img{max-width:100%}"
    "img[width][height]{height:auto}</style>"  # where it is narrower than its width
)
LAYOUT: Final = frozenset(
    {
        "style",
        "article",
        "aside",
        "header",
        "footer",
        "main",
        "nav",
        "address",
        "center",
        "hgroup",
        "div",
        "colgroup",
        "col",
        "details",
        "summary",
        "fieldset",
        "legend",
        "label",
        "picture",
        "map",
        "area",
        "meter",
        "progress",
        "ruby",
        "rp",
        "rt",
        "wbr",
    }
)
OLD_ELEMENTS: Final = frozenset(
    {"font", "big", "tt", "strike", "bdi", "bdo", "cite", "data", "dfn", "time", "var"}
)
PAGE_TAGS: Final = TAGS | LISTS | PHRASES | LAYOUT | OLD_ELEMENTS | FORMULA.keys()
GLOBAL_ATTRIBUTES: Final = frozenset(
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
        "width",
        "height",
        "border",
        "cellpadding",
        "cellspacing",
        "role",
        "aria-label",
    }
)
ATTRIBUTES: Final[dict[str, set[str]]] = {
    **FORMULA,
    "*": set(GLOBAL_ATTRIBUTES),
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
REMOVED_WITH_CONTENT: Final = {
    "script",
    "noscript",
    "template",
    "svg",
    "iframe",
    "object",
    "title",
    "textarea",
    "annotation",
    "annotation-xml",
    "select",
    "xmp",
    "noembed",
    "noframes",
    "plaintext",
}
RULES: Final[dict[str, Callable[[str], str | None]]] = {
    "href": safe_link,
    "src": safe_image_source,
    "style": without_addresses,
}


def prepare(data: bytes, options: dict[str, Any]) -> None:
    """Use the charset of the page's <meta> element if the content type has none, and it is true."""
    declared = declared_charset(data)
    options["charset"] = options.get("charset") or (declared if fits(data, declared) else None)
    preload_codecs(options["charset"])


def render(data: bytes, options: dict[str, Any]) -> Iterator[Message]:
    text = decode(data, options["charset"])[0]
    if text.count("<") > MAX_TAGS:
        raise ValueError("too many tags")
    page, cut = escaped_block(sanitize_page(text))
    notes = (NOTE, CUT_NOTE if cut else "")
    yield shown_as("HTML", notes=notes, foreign_style=True), iframe(page, FRAME_TITLE)


def iframe(page: bytes, title: str) -> bytes:
    """Return a sandboxed iframe: the only element that may contain an uploaded page.

    No scripts and no origin. A clicked link opens in a tab without access to this page. A sentence
    behind it is seen where a preview shows no such iframe.
    """
    start = (
        f'<iframe class="frame" sandbox="{SANDBOX}" referrerpolicy="no-referrer"'
        f' title="{title}" srcdoc="'
    )
    return start.encode() + TELLS_ITS_SIZE + page + b'"></iframe>' + UNFRAMED


def sanitize_page(text: str) -> str:
    """Return the page for an iframe's srcdoc. Links in it open in a new tab."""
    cleaned = nh3.clean(
        text.replace("\0", "\ufffd"),
        tags=set(PAGE_TAGS),
        attributes=ATTRIBUTES,
        attribute_filter=_filter,
        clean_content_tags=set(REMOVED_WITH_CONTENT),
        url_schemes={"http", "https", "mailto", "tel", "data"},
        link_rel="noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}, "area": {"target": "_blank"}},
    )
    cleaned = STYLE_SHEET.sub(_safe_style_sheet, LINK_TO_ANCHOR.sub(TO_ANCHOR, cleaned))
    body = _body_style(text[:200_000]) + root_attributes(text)
    return f"<!doctype html>{PAGE_STYLE}<body{body}>{cleaned}"


def _filter(_tag: str, name: str, value: str) -> str | None:
    rule = RULES.get(name)
    return rule(value) if rule else value


def _safe_style_sheet(match: re.Match[str]) -> str:
    return match[1] + without_addresses(match[2])


def _body_style(text: str) -> str:
    """Return the body's own style, lost in sanitizing. The patterns exclude < and >."""
    body = BODY.search(text)
    if not body:
        return ""
    if style := STYLE.search(body.group()):
        css = without_addresses(html.unescape(style.group(1)[1:-1]))
        return f' style="{html.escape(css)}"'
    background = BACKGROUND.search(body.group())
    return f' style="background:{background.group(1)}"' if background else ""
