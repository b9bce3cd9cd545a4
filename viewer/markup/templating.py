"""The page templates."""

import functools
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from .assets import FOLDER, asset
from .escaping import escape, json_for_script


def render(template: str, **values: object) -> Markup:
    """Return a rendered template, marked as safe for another template."""
    return Markup(_environment().get_template(template).render(values))  # noqa: S704


class SharedParts(NamedTuple):
    """The parts of a page that are the same on each with these tools, as HTML."""

    tools: Markup
    help: Markup
    save: Markup
    share: Markup


@functools.cache
def shared_parts(tools: frozenset[str], *, wraps: bool) -> SharedParts:
    return SharedParts(
        render("parts/tools.html", tools=tools, wraps=wraps),
        render("parts/help.html", tools=tools),
        render("parts/save.html"),
        render("parts/share.html"),
    )


@functools.cache
def elements(name: str, assets: tuple[str, ...]) -> bytes:
    """Return an element of this name for each of these stylesheets or scripts, in UTF-8."""
    return "\n".join(f"<{name}>{asset(one)}</{name}>" for one in assets).encode()


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
