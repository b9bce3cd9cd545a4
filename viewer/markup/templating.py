"""The page templates, and the scripts and stylesheets that are embedded in a page."""

import base64
import functools
import hashlib
import re
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from .escaping import escape, json_for_script

FOLDER = Path(__file__).resolve().parents[2] / "templates"
CSS_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.S)
CSS_SPACE = re.compile(r"(?<!\s)\s*([{};,])\s*|(?<=:) |\n\s*")
SCRIPT_INDENT = re.compile(r"^\s+", re.M)
# Around signs, and comments; but not in strings, templates and regular expressions, which it finds.
# Up to nine: each of many would look at all that follow it.
SCRIPT_SPACE = re.compile(
    r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"""
    r"""|(?:(?<=[(,=:!&|?>])|(?<=[(,=:!&|?>] ))"""
    r"""/(?![/*])(?:\[(?:[^\]\\\n]|\\.)+\]|\\.|[^/\\\n\[])+/)"""
    r"""| {0,9}([{}()\[\];,=<>?:&|*]) {0,9}| {0,9}//.*"""
)


def render(template: str, **values: object) -> Markup:
    """Return a rendered template, marked as safe for another template."""
    return Markup(_environment().get_template(template).render(values))  # noqa: S704


@functools.cache
def asset(name: str) -> str:
    """Return a script or stylesheet without comments and indents: each page and file holds it."""
    text = (FOLDER / name).read_text("utf-8")
    if name.endswith(".css"):
        return CSS_SPACE.sub(r"\1", CSS_COMMENT.sub("", text)).strip()
    return SCRIPT_INDENT.sub("", SCRIPT_SPACE.sub(lambda found: found[1] or found[2] or "", text))


def source_hash(text: str) -> str:
    """Return the CSP source expression that allows exactly this script or stylesheet."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@functools.cache
def shared_parts(
    tools: frozenset[str], styles: tuple[str, ...], scripts: tuple[str, ...], *, wraps: bool
) -> dict[str, Markup]:
    """Return what is the same on each page with these tools, stylesheets and scripts."""
    return {
        "tools": render("parts/tools.html", tools=tools, wraps=wraps),
        "help": render("parts/help.html", tools=tools),
        "save": render("parts/save.html"),
        "styles": _embedded("style", styles),
        "scripts": _embedded("script", scripts),
    }


def _embedded(element: str, assets: tuple[str, ...]) -> Markup:
    elements = (f"<{element}>{asset(name)}</{element}>" for name in assets)
    return Markup("\n".join(elements))  # noqa: S704


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        auto_reload=False,
    )
    environment.filters["visible"] = lambda text: Markup(escape(str(text)))  # noqa: S704
    environment.filters["script_json"] = lambda value: Markup(json_for_script(value))  # noqa: S704
    marked = functools.cache(lambda name: Markup(asset(name)))  # noqa: S704
    environment.globals = {"asset": marked}  # copied for each template
    return environment
