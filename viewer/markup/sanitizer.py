"""In the child process: HTML fragments sanitized for our own page, with their structure only."""

import re
from typing import Any, Final

import nh3

SAFE_LINK: Final = re.compile(r"(?i)\s*(https?:|mailto:|tel:|#)")
SAFE_IMAGE_SOURCE: Final = re.compile(
    r"data:image/(png|jpeg|gif|webp|avif|bmp);base64,[A-Za-z0-9+/=\s]+", re.ASCII
)
ROOT: Final = re.compile(r"<(?:html|body)\b[^<>]{0,2000}>", re.I)
ROOT_ATTRIBUTE: Final = re.compile(r"""\s(dir|lang)\s*=\s*["']?([\w-]{1,35})""", re.I | re.ASCII)
DIRECTIONS: Final = frozenset({"ltr", "rtl", "auto"})
OUR_CLASS: Final = re.compile(
    r"num|right|center|ctl|broken|anchor|footnotes|[efgmo]"
    r"|task-list-item|markdown-alert|markdown-alert-(title|note|tip|important|warning|caution)"
)
NOT_IN_ID: Final = re.compile(r"[^\w-]")
LINK_TO_ANCHOR: Final = re.compile(
    r'(<a\b(?>[^<>]*?\shref="#)[^"<>]*"[^<>]*?) target="_blank" rel="[\w ]*"'
)
HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
TABLE: Final = frozenset({"table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"})
LISTS: Final = frozenset({"ul", "ol", "li", "dl", "dt", "dd"})
BLOCKS: Final = frozenset(
    {
        "p",
        "pre",
        "blockquote",
        "hr",
        "br",
        "section",
        "figure",
        "figcaption",
        "div",
        "details",
        "summary",
        "center",
        "article",
        "aside",
    }
)
PHRASES: Final = frozenset(
    {
        "a",
        "abbr",
        "b",
        "code",
        "del",
        "em",
        "i",
        "img",
        "ins",
        "kbd",
        "mark",
        "q",
        "s",
        "samp",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "u",
    }
)
TAGS: Final = HEADINGS | TABLE | LISTS | BLOCKS | PHRASES
ATTRIBUTES: Final[dict[str, set[str]]] = {
    "*": {"id", "dir", "lang"},
    **dict.fromkeys(HEADINGS, {"align"}),
    "section": {"class", "align"},
    "p": {"class", "align"},
    "li": {"class", "align"},
    "div": {"class", "align"},
    "code": {"class", "align"},
    "blockquote": {"class", "align"},
    "td": {"class", "colspan", "rowspan", "scope", "align"},
    "th": {"class", "colspan", "rowspan", "scope", "align"},
    "a": {"href", "title", "target", "class", "aria-label"},
    "details": {"open"},
    "img": {"src", "alt", "title", "width", "height"},
    "ol": {"start", "type"},
    "pre": {"tabindex"},
    "i": {"class"},
    "span": {"class", "title"},
}
FORMULA: Final[dict[str, set[str]]] = {  # of MathML; without what loads, links, or holds HTML
    "mrow": set(),
    "mn": set(),
    "mtext": set(),
    "ms": set(),
    "mspace": set(),
    "msqrt": set(),
    "mroot": set(),
    "mstyle": set(),
    "msub": set(),
    "msup": set(),
    "msubsup": set(),
    "munder": set(),
    "mover": set(),
    "munderover": set(),
    "mtable": set(),
    "mtr": set(),
    "mtd": set(),
    "mpadded": set(),
    "mphantom": set(),
    "merror": set(),
    "mmultiscripts": set(),
    "mprescripts": set(),
    "menclose": set(),
    "none": set(),
    "semantics": set(),
    "math": {"display"},
    "mfrac": {"linethickness"},
    "mi": {"mathvariant"},
    "mo": {"fence", "form", "separator", "stretchy"},
}
REMOVED_WITH_CONTENT: Final = {
    "script",
    "style",
    "noscript",
    "template",
    "svg",
    "math",
    "iframe",
    "object",
}


def sanitize_fragment(html: str) -> str:
    """Return the fragment without all that runs, loads, submits or styles."""
    cleaned = nh3.clean(
        html,
        tags=set(TAGS),
        attributes=ATTRIBUTES,
        attribute_filter=_filter,
        clean_content_tags=set(REMOVED_WITH_CONTENT),
        url_schemes={"http", "https", "mailto", "tel", "data"},
        link_rel="noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return LINK_TO_ANCHOR.sub(r"\1", cleaned)


def root_attributes(page: str) -> str:
    """Return the direction and the language that the root or the body of a page declares, as
    attributes with a space before each.
    """
    tags = " ".join(ROOT.findall(page[:200_000]))
    declared = {name.lower(): value.lower() for name, value in ROOT_ATTRIBUTE.findall(tags)}
    if declared.get("dir", "ltr") not in DIRECTIONS:
        del declared["dir"]
    return "".join(f' {name}="{value}"' for name, value in sorted(declared.items()))


def heading_id(name: str) -> str:
    """Return an id for a heading; its prefix keeps it apart from the ids of our page."""
    return "h-" + NOT_IN_ID.sub("", name.strip().lower().replace(" ", "-"))[:80]


def own_id(value: str) -> str:
    """Return an id for an element of the document, the same for one that has the prefix."""
    return value if value.startswith("h-") else heading_id(value)


def safe_link(value: str) -> str | None:
    """Return the link if it is a web, mail or telephone address or an anchor; else None."""
    return value if SAFE_LINK.match(value) else None


def safe_image_source(value: str) -> str | None:
    """Return the address if it is a raster image in a data: URI; else None."""
    return value if SAFE_IMAGE_SOURCE.fullmatch(value) else None


def _filter(tag: str, name: str, value: str) -> str | None:
    rule = RULES.get((tag, name)) or RULES.get(("*", name))
    result: str | None = rule(value) if rule else value
    return result


def _link(value: str) -> str | None:
    return "#" + own_id(value[1:]) if value.startswith("#") else safe_link(value)


def _our_classes(value: str) -> str | None:
    return " ".join(name for name in value.split() if OUR_CLASS.fullmatch(name)) or None


RULES: Final[dict[tuple[str, str], Any]] = {
    ("a", "href"): _link,
    ("a", "target"): lambda value: value if value == "_blank" else None,
    ("img", "src"): safe_image_source,
    ("*", "class"): _our_classes,
    ("*", "id"): own_id,
}
