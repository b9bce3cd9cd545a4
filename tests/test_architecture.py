"""The rules of the code's structure: imports, and statements that must agree with the code."""

import ast
import re
import sys
import tomllib
from dataclasses import fields
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

import settings
from app import create_app
from blueprints.http.declarations import declaration_of
from blueprints.http.problems import STATUS
from models.core import errors
from tests.contract.routes import EVERY
from tests.trees import nodes_of, tree_of

ROOT = Path(__file__).parent.parent
LAYERS = {  # a top-level package or module -> those it may import
    "document_service": {"app", "blueprints", "environment"},
    "testing": {"app", "webhooks", "models"},
    "app": {
        "environment",
        "settings",
        "server",
        "blueprints",
        "webhooks",
        "models",
        "crypto",
        "viewer",
    },
    "settings": {"environment"},
    "environment": set(),
    "server": set(),
    "blueprints": {"operations", "models", "viewer"},
    "operations": {"models", "crypto", "settings"},
    "webhooks": {"models"},
    "viewer": set(),
    "models": {"crypto", "environment", "settings", "viewer"},
    "crypto": set(),
}
MODELS = [  # packages of models; each may import those above it
    "core",
    "storage",
    "storage.payloads",
    "runtime",
    "records",
    "events",
    "accounts",
    "documents",
    "links",
    "uploads",
]
FAMILIES = [  # of formats; each may import those above it
    f"viewer.formats.{family}"
    for family in (
        "packages",
        "text",
        "web",
        "archives",
        "mail",
        "pdf",
        "pictures",
        "calendars",
        "words",
        "sheets",
    )
]
BASE = ("viewer.formats", "viewer.sandbox", "viewer.content", "viewer.markup")  # what all may
INNER = {  # a package -> the packages of the same layer that it may import
    "blueprints": {
        "blueprints.http",
        "blueprints.login",
        "blueprints.schemas",
        "blueprints.views",
    },
    "blueprints.commands": {"blueprints.schemas"},
    "blueprints.console": {
        "blueprints.http",
        "blueprints.login",
        "blueprints.schemas",
        "blueprints.views",
    },
    "blueprints.login": {"blueprints.http"},
    "blueprints.views": {"blueprints.http"},
    "blueprints.schemas": {"blueprints.http"},
    "blueprints.http": set(),
    "models": {f"models.{package}" for package in MODELS},
    **{
        f"models.{one}": {*map("models.{}".format, MODELS[:place])}
        for place, one in enumerate(MODELS)
    },
    "viewer": {
        "viewer.rendering",
        "viewer.formats",
        *FAMILIES,
        "viewer.sandbox",
        "viewer.content",
        "viewer.markup",
    },
    "viewer.rendering": {
        "viewer.formats",
        *FAMILIES,
        "viewer.sandbox",
        "viewer.content",
        "viewer.markup",
    },
    "viewer.sandbox": {"viewer.content", "viewer.markup"},
    "viewer.formats": {"viewer.sandbox", "viewer.content", "viewer.markup"},
    "viewer.content": set(),
    "viewer.markup": set(),
    **{family: {*BASE, *FAMILIES[:place]} for place, family in enumerate(FAMILIES)},
}
THIRD_PARTY = {  # a library -> where it may be imported
    "PIL": {"viewer.formats"},
    "click": {"environment", "blueprints.commands", "document_service"},
    "chardet": {"viewer.content"},
    "cryptography": {"crypto"},
    "flask": {"testing", "app", "blueprints", "document_service"},
    "flask_smorest": {"blueprints"},
    "jinja2": {"viewer", "blueprints"},
    "jwt": {"crypto"},
    "mammoth": {"viewer.formats.words"},
    "markupsafe": {"viewer", "blueprints"},
    "markdown_it": {"viewer"},
    "marshmallow": {"blueprints"},
    "mdit_py_plugins": {"viewer"},
    "nh3": {"viewer"},
    "olefile": {"viewer.formats.mail", "viewer.formats.sheets"},
    "obstore": {"models.storage"},
    "passlib": {"crypto"},
    "peewee": {"models", "operations"},
    "playhouse": {"models"},
    "prometheus_client": {"blueprints.http.exposition"},
    "psycopg": {"models.storage"},
    "pybase64": {"blueprints", "viewer"},
    "pygments": {"viewer"},
    "pypdfium2": {"viewer"},
    "pyseto": {"crypto"},
    "pytest": {"document_service"},
    "segno": {"blueprints"},
    "waitress": {"server"},
    "webargs": {"blueprints"},
    "werkzeug": {"blueprints"},
}
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for layer in LAYERS
    for path in (ROOT / f"{layer}.py", *(ROOT / layer).glob("**/*.py"))
    if path.exists() and not path.is_relative_to(ROOT / "viewer" / "tests")
}
ROUTES = {one for one in MODULES if re.fullmatch(r"blueprints\.(?!hooks)\w+", one)} - set(INNER)


def is_within(module, *packages):
    return any(f"{module}.".startswith(f"{package}.") for package in packages)


def package_of(module):
    is_package = MODULES[module].name == "__init__.py"
    return module if is_package else module.rpartition(".")[0]


def tree(module):
    return tree_of(MODULES[module])


def nodes(module):
    return nodes_of(MODULES[module])


@pytest.fixture(scope="module", autouse=True)
def parsed():
    """No test takes the time to parse all."""
    for module in MODULES:
        nodes(module)


@cache
def imports(module):
    """What a module imports: pairs of a module, absolute, and a name from it or None."""
    found = set()
    for node in nodes(module):
        if isinstance(node, ast.ImportFrom):
            above = package_of(module).split(".")[: -(node.level - 1) or None] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            found |= {(source, alias.name) for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {(alias.name, None) for alias in node.names}
    return {
        (f"{source}.{name}", None) if f"{source}.{name}" in MODULES else (source, name)
        for source, name in found
    }


def own_imports(module):
    return {source for source, _ in imports(module) if source in MODULES}


def functions(module):
    return [one for one in nodes(module) if isinstance(one, ast.FunctionDef)]


def layer_of(module):
    return module.partition(".")[0]


def test_a_layer_imports_only_layers_below():
    for module in MODULES:
        imported = {layer_of(source) for source in own_imports(module)}
        assert imported <= LAYERS[layer_of(module)] | {layer_of(module)}, module


def test_a_package_imports_only_its_listed_neighbours():
    for module in MODULES:
        package, layer = package_of(module), layer_of(module)
        neighbours = {one for one in own_imports(module) if is_within(one, layer)}
        allowed = INNER.get(package, set()) | {package}
        assert {package_of(one) for one in neighbours} <= allowed, module


def test_imports_have_no_cycle():
    TopologicalSorter({module: own_imports(module) - {module} for module in MODULES}).prepare()


def test_a_route_file_imports_no_other_and_no_cryptography():
    for module in ROUTES:
        assert not own_imports(module) & ROUTES, module
        assert not any(is_within(source, "crypto") for source in own_imports(module)), module


def test_a_library_is_imported_only_where_the_table_says():
    for module in MODULES:
        imported = {layer_of(source) for source, _ in imports(module)}
        for library in imported - set(LAYERS) - sys.stdlib_module_names:
            assert is_within(module, *THIRD_PARTY[library]), (module, library)


def exported(package):
    """The names that a package's `__init__` imports from its own modules."""
    found = imports(package) if package else ()
    return {name for source, name in found if name and is_within(source, package)}


def test_callers_import_a_name_from_the_package_that_exports_it():
    deep = {
        (module, source, name)
        for module in MODULES
        for source, name in imports(module)
        if source in MODULES and not is_within(module, package_of(source))
        if name in exported(package_of(source))
        if source != package_of(source)
    }

    assert deep == set()


def test_a_benchmark_imports_only_what_there_is():
    for file in (ROOT / "benchmarks").glob("*.py"):
        for node in nodes_of(file):
            if isinstance(node, ast.ImportFrom) and layer_of(node.module) in LAYERS:
                there = vars(import_module(node.module))
                missing = {one.name for one in node.names} - there.keys()
                assert missing == set(), (file.name, node.module)


def test_a_module_has_a_docstring_and_a_name_that_says_what_it_is():
    for module, path in MODULES.items():
        assert ast.get_docstring(tree(module)), module
        assert not re.search(r"util|helper|manager|service|misc|common", path.stem), module


SQLITE = re.compile(r"\b(rowid|PRAGMA|(?<!\.)sqlite3|(?<!\.)strftime|instr|VACUUM)\b")


def test_what_is_special_to_sqlite_is_used_in_the_storage_package_only():
    for module, path in MODULES.items():
        if not is_within(module, "models.storage", "models.migrations"):
            assert not SQLITE.search(path.read_text()), module


PREPARING = (  # of queries that each request, each event, or each page for people makes
    "models.storage",
    "models.records",
    "models.accounts.member",
    "models.documents.document",
    "models.documents.search",
    "models.documents.stored_preview",
    "models.events.delivery",
    "models.links.lists",
    "models.links.requests",
)


def test_queries_are_built_with_peewee_and_few_are_prepared():
    prepares = {("models.storage", name) for name in ("Prepared", "prepared", "param")}
    for module, path in MODULES.items():
        if not is_within(module, "models.storage", "models.migrations"):
            assert "execute_sql" not in path.read_text(), module
        if not is_within(module, *PREPARING):
            assert not imports(module) & prepares, module


def all_errors(kind=errors.ServiceError):
    for one in kind.__subclasses__():
        yield one
        yield from all_errors(one)


def test_every_error_has_a_status_and_every_status_an_error():
    bugs = {"internal_error"}

    assert {one.code for one in all_errors()} | bugs == set(STATUS)


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    app = create_app({"INSTANCE_PATH": str(tmp_path_factory.mktemp("app")), "TESTING": True})
    yield app
    app.extensions["runtime"].close()


def views(app):
    for rule in app.url_map.iter_rules():
        for method in rule.methods - {"HEAD", "OPTIONS"}:
            yield method, rule.rule, app.view_functions[rule.endpoint]


def declarations(app):
    return [(method, rule, declaration_of(view)) for method, rule, view in views(app)]


def test_the_documentation_lists_every_route_its_sentence_and_its_credentials(app):
    row = re.compile(r"^\| (\w+) \| `(/\S*)` \| (.+?) \| (.+?) \|$", re.M)
    routes = {
        (method, rule, view.__doc__.splitlines()[0], credentials(declaration_of(view)))
        for method, rule, view in views(app)
    }

    assert set(row.findall(documentation())) == routes


def test_every_route_of_the_api_is_tried_without_credentials_and_with_those_of_others(app):
    paths = app.url_map.bind("localhost")
    found = [(one.method, paths.match(one.at(), one.method, return_rule=True)) for one in EVERY]
    pages = re.compile(r"/(app|login|signup)\b")
    routes = {(method, rule) for method, rule, _ in views(app) if not pages.match(rule)}

    assert {(method, rule.rule) for method, (rule, _) in found} == routes


def credentials(route):
    if set(route.accepts) >= {"anyone", "session", "api_key", "document_token"}:
        return "none needed"
    named = ", ".join(one.replace("_", " ") for one in route.accepts if one != "anyone")
    return "none needed" if route.is_public else named


def test_the_documentation_lists_the_scopes_of_every_route(app):
    routes = {
        (frozenset(route.scopes), f"{method} {rule}")
        for method, rule, route in declarations(app)
        if "api_key" in route.accepts and route.scopes
    }
    rows = re.findall(r"^\| (`\w+:\w+`.*?) \| (.+) \|$", documentation(), re.M)

    assert {
        (frozenset(re.findall(r"`(.+?)`", scopes)), call)
        for scopes, calls in rows
        for call in re.findall(r"`(.+?)`", calls)
    } == routes


def test_every_route_for_api_keys_names_its_scopes_unless_anyone_may_call_it(app):
    assert all(
        bool(route.scopes) != route.is_public
        for _, _, route in declarations(app)
        if "api_key" in route.accepts
    )


def test_every_route_declares_its_credentials(app):
    assert all(route.accepts for _, _, route in declarations(app))


ROUTE = re.compile(r"\w+\.(get|post|patch|delete)\(")


def handlers(module):
    """Functions with the decorators of an operation, and those decorators as text."""
    for one in functions(module):
        decorators = [ast.unparse(decorator) for decorator in one.decorator_list]
        if any(ROUTE.match(text) for text in decorators):
            yield one, decorators


def test_the_first_decorator_of_a_handler_is_its_route():
    """A decorator above the route would have no effect: the route registers what is below it."""
    for handler, decorators in (found for module in ROUTES for found in handlers(module)):
        assert ROUTE.match(decorators[0]), handler.name


def test_the_documentation_lists_every_setting_with_its_default():
    row = re.compile(r"^\| `([A-Z_]+)` \| `?(.*?)`? \| (.+?) \|$", re.M)
    given = {one.name.upper(): one.default for one in fields(settings.Settings)}
    shown = {name: "–" if default is None else str(default) for name, default in given.items()}

    assert {found: default for found, default, _ in row.findall(documentation())} == shown


def test_the_files_that_the_architecture_names_exist():
    text = (ROOT / "docs/architecture.md").read_text()
    named = set(re.findall(r"`([a-z_0-9]+(?:/[a-z_0-9]+)+\.py)`", text))

    assert len(named) > 50
    assert {name for name in named if not (ROOT / name).exists()} == set()


def architecture(heading):
    """The rows of the table of docs/architecture.md below this heading, each a list of cells."""
    below = (ROOT / "docs/architecture.md").read_text().partition(f"| {heading} |")[2]
    rows = below.partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("| ").split(" | ")] for row in rows]


def product_files():
    """The files of the product by their paths: code, templates and migrations."""
    folders = {*LAYERS, "templates"} & {path.name for path in ROOT.iterdir() if path.is_dir()}
    found = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    paths = {str(path.relative_to(ROOT)) for path in found if "__pycache__" not in path.parts}
    paths |= {f"{layer}.py" for layer in LAYERS if (ROOT / f"{layer}.py").exists()}
    documents = re.compile(r"viewer/tests/|.*\.(md|toml)$|.*/LICENSE$")
    return {path for path in paths if not documents.match(path)}


def capabilities():
    """The capability of each path that docs/architecture.md names, a file or a folder."""
    rows = [
        (path, name)
        for name, where, _ in architecture("Capability")
        for path in re.findall(r"`(.+?)`", where)
    ]
    assert len(dict(rows)) == len(rows), "two capabilities name the same path"
    return dict(rows)


def capability_of(path, named):
    """The capability of the path itself or of the nearest folder around it; None of the core."""
    around = [path, *(f"{folder}/" for folder in Path(path).parents)]
    return next((named[one] for one in around if one in named), None)


def test_every_file_belongs_to_one_capability_or_to_the_core():
    files, named = product_files(), capabilities()
    unknown = {one for one in named if not (ROOT / one).exists()}
    in_core = {path for path in files if capability_of(path, named) is None}
    listed = set()
    for folder, names in ((row[0].strip("`"), row[1]) for row in architecture("Folder")):
        prefix = folder.removeprefix("/")
        beside = {path for path in files if path.rpartition("/")[0] == prefix.rstrip("/")}
        listed |= (
            beside if names == "all" else {prefix + one for one in re.findall("`(.+?)`", names)}
        )

    assert unknown == set()
    assert in_core - listed == set(), "name them in docs/architecture.md: of which capability?"
    assert listed - in_core == set()


def first_twelve():
    """The modules that docs/architecture.md says to read first."""
    table = (ROOT / "docs/architecture.md").read_text().partition("All else is a capability")[0]
    paths = re.findall(r"^\| \d+ \| `(.+?)\.py` \|", table, re.M)
    return [path.replace("/", ".") for path in paths]


QUERIES = {  # what a builder of queries returns has no type of its own
    "condition",
    "due",
    "end_is_recorded",
    "is_enabled",
    "is_live",
    "live_of",
    "live_to",
    "unexpired",
    "update",
}


def test_in_the_core_a_reader_knows_the_type_of_what_a_public_function_returns():
    records = [module for module in MODULES if is_within(module, "models.records")]
    core = [*first_twelve(), "models.runtime.state", "blueprints.http.caller", *records]
    untyped = {
        one.name
        for module in core
        for one in functions(module)
        if not one.name.startswith("_") and one.returns and ast.unparse(one.returns) == "Any"
    }

    assert len(core) > 20
    assert untyped <= QUERIES


def test_what_pytest_leaves_out_runs_in_ci():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (left_out,) = re.findall(
        r"-m 'not \((.+)\)'", project["tool"]["pytest"]["ini_options"]["addopts"]
    )

    assert f'-m "{left_out}"' in (ROOT / ".ci/run").read_text()


def documentation():
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return "\n".join(page.read_text() for page in pages)
