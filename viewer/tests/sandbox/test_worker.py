"""viewer/sandbox/worker.py (its order of steps is in test_process.py)"""

import ast
import importlib

from viewer.rendering.registry import JOBS
from viewer.sandbox.process import PACKAGE


def renders(path):
    """Whether a file has the function `render(data, options)`, which a job calls."""
    functions = [
        one for one in ast.parse(path.read_text()).body if isinstance(one, ast.FunctionDef)
    ]
    arguments = [one.args.args for one in functions if one.name == "render"]
    return any(len(given) == 2 and given[0].arg == "data" for given in arguments)


def test_every_job_has_a_module_with_render():
    for job in JOBS:
        assert callable(importlib.import_module(job.module).render), job.module


def test_the_modules_of_all_jobs_are_imported_before_the_first_document():
    files = [path for path in (PACKAGE / "formats").glob("**/*.py") if path.stem != "probe"]
    names = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        for path in files
        if renders(path)
    }
    assert names == {job.module for job in JOBS}
