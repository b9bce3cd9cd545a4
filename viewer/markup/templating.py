"""The page templates."""

import functools

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from .assets import FOLDER, asset
from .escaping import escape, json_for_script


def render(template: str, **values: object) -> Markup:
    """Return a rendered template, marked as safe for another template."""
    return Markup(_environment().get_template(template).render(values))  # noqa: S704


@functools.cache
def shared_parts(
    tools: frozenset[str], styles: tuple[str, ...], scripts: tuple[str, ...], *, wraps: bool
) -> dict[str, Markup]:
    """Return what is the same on each page with these tools, stylesheets and scripts."""
    return {
        "tools": render("parts/tools.html", tools=tools, wraps=wraps),
        "help": render("parts/help.html", tools=tools),
        "save": render("parts/save.html"),
        "share": render("parts/share.html"),
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
