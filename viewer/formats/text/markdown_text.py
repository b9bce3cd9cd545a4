"""In the child process: Markdown as GitHub shows it, its HTML sanitized.

Source: the GitHub Flavored Markdown specification; GitHub's documentation of basic formatting for
alerts, footnotes and heading links.
"""

import html as html_escapes
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from ...content.decoding import decode
from ...markup.escaping import escape, escape_attribute
from ...markup.formatting import CUT_NOTE
from ...markup.sanitizer import heading_id, sanitize_fragment
from ...sandbox import MAX_HTML
from ...sandbox.messages import Message, shown_as
from .highlighting import Highlighter

FENCE: Final = re.compile(rb"^ {0,3}(?:`{3,}|~{3,})[ \t]*([\w+#.-]{1,30})", re.M)
MAX_LANGUAGES: Final = 20
MAX_HIGHLIGHTED: Final = 40_000
PICTURE: Final = re.compile(r'<img((?:\s[\w-]+="[^"]*")*)\s*/?>')
ALT: Final = re.compile(r'\salt="([^"]*)"')
TASK: Final = re.compile(
    r'<input class="task-list-item-checkbox" disabled="" type="checkbox"( checked="")?> (\s*<p>)?'
)
FORMULA: Final = re.compile(  # `$` has a character inside beside it, and no digit behind it
    r"\$`([^`$]+)`\$|\$\$([^$`]+)\$\$|\$(?!\s)([^$`]*[^$`\s])\$(?!\d)"
)
HIGHLIGHTER: Final = Highlighter()


def prepare(data: bytes, _options: dict[str, Any]) -> None:
    names = dict.fromkeys(name.decode("ascii", "ignore") for name in FENCE.findall(data))
    for name in list(names)[:MAX_LANGUAGES]:
        HIGHLIGHTER.load(name)


def render(data: bytes, options: dict[str, Any]) -> Iterator[Message]:
    html = to_html(decode(data, options.get("charset"))[0])
    facts = shown_as("Markdown", notes=[CUT_NOTE] if len(html) > MAX_HTML else ())
    article = f'<article class="prose">{html[: 2 * MAX_HTML]}</article>'
    yield facts, article.encode("utf-8", "replace")


def to_html(text: str, most: int = MAX_HTML) -> str:
    """Return sanitized HTML; in place of pictures that lie elsewhere their texts."""
    return PICTURE.sub(_present_picture, sanitize_fragment(_unsafe_html(text)[:most]))


def _unsafe_html(text: str) -> str:
    options: Any = {"html": True, "linkify": True, "tasklists": True, "alerts": True}
    parser = MarkdownIt("commonmark", options | {"maxNesting": 40})
    parser.enable(["table", "strikethrough", "linkify"])
    parser.use(footnote_plugin).use(front_matter_plugin)
    parser.use(dollarmath_plugin, allow_labels=False)
    parser.inline.ruler.at("math_inline", _math)
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("code_block", _fence)
    parser.add_render_rule("front_matter", _fence)
    parser.add_render_rule("math_inline", _formula)
    parser.add_render_rule("math_block", _formula)
    tokens = parser.parse(text)
    _annotate(tokens)
    return TASK.sub(_task, str(parser.renderer.render(tokens, parser.options, {})))


def _annotate(tokens: Sequence[Token]) -> None:
    names: Counter[str] = Counter()
    for token, following in zip_longest(tokens, tokens[1:]):
        if token.type == "heading_open" and following:
            _link_heading(token, following, names)
        elif token.type in ("th_open", "td_open"):  # styles are sanitized away
            token.attrSet("class", str(token.attrs.get("style", "")).removeprefix("text-align:"))


def _link_heading(heading: Token, inline: Token, names: Counter[str]) -> None:
    """Give a heading an id from its text, as GitHub makes it, and a link to itself."""
    texts = (part.content for part in inline.children or () if part.type in ("text", "code_inline"))
    title = "".join(texts)
    name = heading_id(title)
    number = names[name]
    names[name] += 1
    name += f"-{number}" if number else ""
    heading.attrSet("id", name)
    label = escape_attribute(f"Link to {title[:80]}")
    link = Token("html_inline", "", 0)
    link.content = f'<a class="anchor" href="#{name}" aria-label="{label}">#</a>'
    inline.children = [*(inline.children or ()), link]


def _task(box: re.Match[str]) -> str:
    """Return a sign at the beginning of what is to do."""
    return (box[2] or "") + ("\u2611 " if box[1] else "\u2610 ")


def _present_picture(match: re.Match[str]) -> str:
    """Keep an embedded picture; in place of a remote one show its text, never load it."""
    if ' src="data:' in match[1]:
        return match[0]
    alt = ALT.search(match[1])
    text = escape(html_escapes.unescape(alt[1]) if alt else "") or "picture"
    return f'<span class="broken" title="Not loaded: it lies elsewhere">{text}</span>'


def _fence(_self: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    token = tokens[index]
    is_short = len(token.content) < MAX_HIGHLIGHTED
    language = next(iter(token.info.split()), "") if is_short else ""
    code = HIGHLIGHTER.highlight(language, token.content)
    return f'<pre tabindex="0"><code>{code}</code></pre>'


def _math(state: StateInline, silent: bool) -> bool:  # noqa: FBT001  (the parser calls it so)
    """Take a formula in a line: else its underscores and asterisks would be emphasis."""
    found = FORMULA.match(state.src, state.pos, state.posMax)
    if not found or state.src[state.pos - 1 : state.pos].isalnum():
        return False
    if not silent:
        state.push("math_inline", "", 0).content = found[1] or found[2] or found[3]
    state.pos = found.end()
    return True


def _formula(_self: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    """Return a formula as it was written: there is nothing here that would set it."""
    source = escape(tokens[index].content.strip())
    if tokens[index].type == "math_block":
        return f'<pre tabindex="0"><code>{source}</code></pre>\n'
    return f"<code>{source}</code>"
