"""The page templates, and the scripts and stylesheets that are embedded in a page."""

import base64
import functools
import hashlib
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from .escaping import escape, json_for_script

FOLDER = Path(__file__).resolve().parents[1] / "templates"


def render(template: str, **values: object) -> Markup:
    """Return a rendered template, marked as safe for another template."""
    return Markup(_environment().get_template(template).render(values))  # noqa: S704


@functools.cache
def asset(name: str) -> str:
    """Return a script or stylesheet, as each page and file holds it."""
    return (FOLDER / name).read_text("utf-8")


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
