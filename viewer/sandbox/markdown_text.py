"""Runs in the child. Markdown -> HTML: CommonMark with tables, strike-through and task lists."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from viewer.decoding import decode, load_codecs
from viewer.escaping import escape
from viewer.sandbox.frames import Frame
from viewer.sandbox.highlighting import Highlighter
from viewer.sandbox.sanitizer import anchor, clean, safe_picture

FENCE: Final = re.compile(rb"^ {0,3}(?:`{3,}|~{3,})[ \t]*([\w+#.-]{1,30})", re.M)
MOST_LANGUAGES: Final = 20
LONGEST_HIGHLIGHT: Final = 40_000
TASK: Final = re.compile(r"\[([ xX])\] ")
FENCES: Final = Highlighter()


def prepare(data: bytes, order: dict[str, Any]) -> None:
    """Load the lexers of the languages that the fences name."""
    load_codecs(order.get("charset"))
    names = dict.fromkeys(name.decode("ascii", "ignore") for name in FENCE.findall(data))
    for name in list(names)[:MOST_LANGUAGES]:
        FENCES.load(name)


def frames(data: bytes, order: dict[str, Any]) -> Iterator[Frame]:
    """One fragment."""
    text, encoding = decode(data, order.get("charset"))
    yield {"encoding": encoding}, to_html(text).encode("utf-8", "replace")


def to_html(text: str) -> str:
    """Safe HTML. Raw HTML in the text is shown as text."""
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 40})
    parser.enable(["table", "strikethrough"])
    parser.add_render_rule("image", _image)
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("code_block", _fence)
    tokens = parser.parse(text)
    _mark(tokens)
    return clean(str(parser.renderer.render(tokens, parser.options, {})))


def _mark(tokens: Sequence[Token]) -> None:
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open" and following:
            token.attrSet("id", anchor(following.content))
        elif token.type in ("th_open", "td_open"):
            _align(token)
        elif token.type == "inline" and token.children:
            _mark_inline(token.children)
    _mark_tasks(tokens)


def _align(cell: Token) -> None:
    side = str(cell.attrs.pop("style", "")).removeprefix("text-align:")
    if side in ("right", "center"):
        cell.attrSet("class", side)


def _mark_inline(children: Sequence[Token]) -> None:
    for token in children:
        if token.type == "link_open":
            _aim(token, str(token.attrGet("href") or ""))


def _aim(link: Token, target: str) -> None:
    """A link within the text goes to our anchor; any other opens beside the page."""
    if target.startswith("#"):
        link.attrSet("href", "#" + anchor(target[1:]))
    else:
        link.attrSet("target", "_blank")


def _mark_tasks(tokens: Sequence[Token]) -> None:
    for item, _, inline in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if item.type != "list_item_open" or inline.type != "inline" or not inline.children:
            continue
        box = TASK.match(inline.children[0].content)
        if box:
            item.attrSet("class", "task")
            sign = "\u2610 " if box.group(1) == " " else "\u2611 "
            inline.children[0].content = sign + inline.children[0].content[box.end() :]


def _image(_self: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    """A picture within the text is shown; one elsewhere is named, never fetched."""
    source, alt = str(tokens[index].attrGet("src") or ""), tokens[index].content
    if safe_picture(source):
        return f'<img src="{escape(source)}" alt="{escape(alt)}">'
    return (
        f'<span class="broken" title="Not loaded: it lies elsewhere">{escape(alt or source)}</span>'
    )


def _fence(_self: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    token = tokens[index]
    language = (token.info or "").split(maxsplit=1)[:1]
    short = len(token.content) < LONGEST_HIGHLIGHT
    code = (
        FENCES.colour(language[0], token.content) if language and short else escape(token.content)
    )
    return f'<pre tabindex="0"><code>{code}</code></pre>'
