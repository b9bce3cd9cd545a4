"""The page templates, and the one script and style each page carries (with their hashes)."""

import base64
import functools
import hashlib
import re
from collections.abc import Callable
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from viewer.escaping import escape, json_for_script

FOLDER = Path(__file__).resolve().parent.parent / "templates"
COMMENT = re.compile(r"/\*.*?\*/|^\s*//[^\n]*$", re.S | re.M)
AROUND_PUNCTUATION = re.compile(r"\s*([{};,>])\s*|(?<=:)\s+")


def fragment(template: str, **values: object) -> Markup:
    """A rendered template, safe to stand in another."""
    return Markup(_environment().get_template(template).render(values))  # noqa: S704


@functools.cache
def style(name: str) -> str:
    """A stylesheet without comments and indentation."""
    text = COMMENT.sub("", (FOLDER / name).read_text("utf-8"))
    return AROUND_PUNCTUATION.sub(r"\1", " ".join(text.split())).replace(";}", "}")


@functools.cache
def script(name: str) -> str:
    """A script without comment lines and indentation; line ends stay, they may end statements."""
    lines = COMMENT.sub("", (FOLDER / name).read_text("utf-8")).splitlines()
    return "\n".join(line.strip() for line in lines if line.strip())


@functools.cache
def source_hash(text: str) -> str:
    """The CSP source expression that admits exactly this script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["visible"] = lambda text: Markup(escape(str(text)))  # noqa: S704
    environment.filters["script_json"] = lambda value: Markup(json_for_script(value))  # noqa: S704
    environment.globals.update(style=_markup(style), script=_markup(script))
    return environment


def _markup(read: Callable[[str], str]) -> Callable[[str], Markup]:
    return lambda name: Markup(read(name))  # noqa: S704
