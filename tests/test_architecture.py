"""The rules of the house, kept by the machine."""

import ast
import re
import statistics
from pathlib import Path

import pytest

import settings
from app import create_app
from blueprints.http import problems as http_errors
from models import errors

ROOT = Path(__file__).parent.parent
FLOORS = {  # a floor -> the floors it may import
    "app": {"settings", "server", "blueprints", "webhooks", "models", "crypto"},
    "settings": set(),
    "server": set(),
    "blueprints": {"models", "viewer"},
    "webhooks": {"models"},
    "viewer": set(),
    "models": {"crypto", "settings"},
    "crypto": set(),
}
DOORS = {  # a package -> the only floors where it enters the house
    "flask": {"app", "blueprints"},
    "flask_smorest": {"app", "blueprints"},
    "werkzeug": {"blueprints"},
    "marshmallow": {"blueprints"},
    "webargs": {"blueprints"},
    "pybase64": {"blueprints", "viewer"},
    "peewee": {"models"},
    "playhouse": {"models"},
    "jinja2": {"viewer"},
    "markdown_it": {"viewer"},
    "nh3": {"viewer"},
    "pygments": {"viewer"},
    "pypdfium2": {"viewer"},
    "cryptography": {"crypto"},
    "pyseto": {"crypto"},
    "passlib": {"crypto"},
    "waitress": {"server"},
}
FILES = [
    ROOT / "app.py",
    ROOT / "settings.py",
    *(f for d in FLOORS for f in sorted((ROOT / d).glob("**/*.py"))),
]
MAPPED = {path: ast.parse(path.read_text()) for path in FILES}


def floor(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def name(path):
    return str(path.relative_to(ROOT))


def imports(path):
    for node in ast.walk(MAPPED[path]):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module.split(".")[0]
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)


def functions(path):
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [node for node in ast.walk(MAPPED[path]) if isinstance(node, kinds)]


def body_lines(function):
    """Lines of the body, its docstring not counted."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


@pytest.mark.parametrize("path", FILES, ids=name)
def test_a_floor_imports_only_the_floors_below(path):
    assert (set(imports(path)) & set(FLOORS)) - {floor(path)} <= FLOORS[floor(path)]


@pytest.mark.parametrize("path", FILES, ids=name)
def test_a_package_enters_by_its_own_door(path):
    for package in set(imports(path)) & set(DOORS):
        assert floor(path) in DOORS[package], package


@pytest.mark.parametrize("path", FILES, ids=name)
def test_a_file_says_what_it_is_and_fits_on_a_few_pages(path):
    long = [one.name for one in functions(path) if one.end_lineno - one.lineno >= 30]

    assert ast.get_docstring(MAPPED[path]), "no docstring"
    assert len(path.read_text().splitlines()) <= 250
    assert long == []
    assert not re.search(r"util|helper|manager|service|misc|common", path.stem)


def test_the_median_function_is_short():
    assert statistics.median(body_lines(f) for path in FILES for f in functions(path)) <= 6


def test_blueprints_never_import_one_another():
    paths = [path for path in (ROOT / "blueprints").glob("*.py") if path.stem != "__init__"]
    nouns = {path.stem for path in paths} - {"hooks", "uploads"}
    for path in paths:
        if path.stem in nouns:
            own = [n for n in ast.walk(MAPPED[path]) if isinstance(n, ast.ImportFrom) and n.level]
            assert not {node.module for node in own if node.level == 1} & nouns, path.stem


def every_refusal(kind=errors.ServiceError):
    for one in kind.__subclasses__():
        yield one
        yield from every_refusal(one)


def test_every_refusal_has_a_status_and_every_status_a_refusal():
    ours_only_upstairs = {"internal_error"}

    assert {one.code for one in every_refusal()} | ours_only_upstairs == set(http_errors.STATUS)


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    app = create_app({"INSTANCE_PATH": str(tmp_path_factory.mktemp("instance")), "TESTING": True})
    yield app
    app.extensions["runtime"].close()


def views(app):
    for rule in app.url_map.iter_rules():
        for method in rule.methods - {"HEAD", "OPTIONS"}:
            yield method, rule.rule, app.view_functions[rule.endpoint]


def test_the_documentation_lists_every_route_its_sentence_and_its_credentials(app):
    row = re.compile(r"^\| (\w+) \| `(/\S*)` \| (.+?) \| (.+?) \|$", re.M)
    routes = {
        (method, rule, view.__doc__.splitlines()[0], credentials(view))
        for method, rule, view in views(app)
    }

    assert set(row.findall(documentation())) == routes


def credentials(view):
    if set(view.accepts) == {"anyone", "session", "api_key", "document_token"}:
        return "none needed"
    named = ", ".join(one.replace("_", " ") for one in view.accepts if one != "anyone")
    return "none needed" if "anyone" in view.accepts else named


def test_a_route_without_declared_credentials_is_refused_to_everyone(app):
    assert all(view.accepts for _, _, view in views(app))


def test_a_handler_is_one_to_three_statements():
    for path in (ROOT / "blueprints").glob("*.py"):
        for one in functions(path):
            if any("accepts" in ast.unparse(decorator) for decorator in one.decorator_list):
                body = one.body[1:] if ast.get_docstring(one) else one.body
                assert 1 <= len(body) <= 3, one.name


def test_the_documentation_lists_every_setting_with_its_default():
    row = re.compile(r"^\| `([A-Z_]+)` \| `?(.*?)`? \| (.+?) \|$", re.M)
    given = {one.name: one.default for one in settings.SETTINGS}
    shown = {name: "–" if default is None else str(default) for name, default in given.items()}

    assert {found: default for found, default, _ in row.findall(documentation())} == shown


def documentation():
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return "\n".join(page.read_text() for page in pages)
