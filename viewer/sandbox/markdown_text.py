"""Runs in the child process. Renders CommonMark with tables, strikethrough and task lists."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ..decoding import decode
from ..escaping import escape
from . import MAX_HTML
from .highlighting import Highlighter
from .messages import Message
from .sanitizer import heading_id, safe_image_source, sanitize_fragment

FENCE: Final = re.compile(rb"^ {0,3}(?:`{3,}|~{3,})[ \t]*([\w+#.-]{1,30})", re.M)
MAX_LANGUAGES: Final = 20
MAX_HIGHLIGHTED: Final = 40_000
TASK: Final = re.compile(r"\[([ xX])\] ")
HIGHLIGHTER: Final = Highlighter()


def prepare(data: bytes, _options: dict[str, Any]) -> None:
    names = dict.fromkeys(name.decode("ascii", "ignore") for name in FENCE.findall(data))
    for name in list(names)[:MAX_LANGUAGES]:
        HIGHLIGHTER.load(name)


def render(data: bytes, options: dict[str, Any]) -> Iterator[Message]:
    text, encoding = decode(data, options.get("charset"))
    html = _unsafe_html(text)
    facts = {"encoding": encoding, "cut": len(html) > MAX_HTML}
    yield facts, sanitize_fragment(html[:MAX_HTML]).encode("utf-8", "replace")


def _unsafe_html(text: str) -> str:
    """Return HTML to be sanitized. Raw HTML in the text is shown as text."""
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 40})
    parser.enable(["table", "strikethrough"])
    parser.add_render_rule("image", _image)
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("code_block", _fence)
    tokens = parser.parse(text)
    _annotate(tokens)
    return str(parser.renderer.render(tokens, parser.options, {}))


def _annotate(tokens: Sequence[Token]) -> None:
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open" and following:
            token.attrSet("id", heading_id(following.content))
        elif token.type in ("th_open", "td_open"):
            _align(token)
        elif token.type == "inline" and token.children:
            _annotate_links(token.children)
    _annotate_tasks(tokens)


def _align(cell: Token) -> None:
    side = str(cell.attrs.pop("style", "")).removeprefix("text-align:")
    if side in ("right", "center"):
        cell.attrSet("class", side)


def _annotate_links(children: Sequence[Token]) -> None:
    """Point links within the text to our heading ids; open any other in a new tab."""
    for link in (token for token in children if token.type == "link_open"):
        target = str(link.attrGet("href") or "")
        if target.startswith("#"):
            link.attrSet("href", "#" + heading_id(target[1:]))
        else:
            link.attrSet("target", "_blank")


def _annotate_tasks(tokens: Sequence[Token]) -> None:
    for item, _, inline in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if item.type != "list_item_open" or inline.type != "inline" or not inline.children:
            continue
        box = TASK.match(inline.children[0].content)
        if box:
            item.attrSet("class", "task")
            sign = "\u2610 " if box.group(1) == " " else "\u2611 "
            inline.children[0].content = sign + inline.children[0].content[box.end() :]


def _image(_self: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    """Show an embedded picture; in place of a remote one show its text, never load it."""
    source, alt = str(tokens[index].attrGet("src") or ""), tokens[index].content
    if safe_image_source(source):
        return f'<img src="{escape(source)}" alt="{escape(alt)}">'
    return (
        f'<span class="broken" title="Not loaded: it lies elsewhere">{escape(alt or source)}</span>'
    )


def _fence(_self: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    token = tokens[index]
    is_short = len(token.content) < MAX_HIGHLIGHTED
    language = next(iter(token.info.split()), "") if is_short else ""
    code = HIGHLIGHTER.highlight(language, token.content)
    return f'<pre tabindex="0"><code>{code}</code></pre>'
