"""viewer/sandbox/version.py"""

import ast
import csv
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

from viewer.sandbox.version import LIBRARIES, sandbox_version

VIEWER = Path(__file__).parents[3] / "viewer"
CODE = set(VIEWER.glob("**/*.py")) - set(VIEWER.glob("tests/**/*.py"))
PARENTS = {"jinja2", "markupsafe", "pybase64"}  # what the parent alone imports


def imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.partition(".")[0]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "importlib.import_module":
            yield from (one.value for one in node.args if isinstance(one, ast.Constant))


def test_the_version_covers_every_library_that_the_child_process_imports():
    names = {name for path in CODE for name in imported(path)}
    libraries = names - sys.stdlib_module_names - {"viewer"} - PARENTS
    csv.field_size_limit(1 << 17)  # reads CSV; a job in this process may have lowered the limit
    distributions = packages_distributions()

    found = {one for name in libraries for one in distributions[name]}
    assert {one.replace("_", "-") for one in found} == set(LIBRARIES)


def test_another_version_of_a_library_is_another_version(monkeypatch):
    present = sandbox_version()
    monkeypatch.setattr("viewer.sandbox.version.version", "{} 0.0.1".format)

    assert sandbox_version.__wrapped__() != present
