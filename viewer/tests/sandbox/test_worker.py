"""viewer/sandbox/worker.py (its order of steps is in test_process.py)"""

import ast
import re
import subprocess
import sys

from viewer.sandbox.process import BOOTSTRAP, PACKAGE

JOB = re.compile(r'\bJob\(\s*"([\w.]+)"')


def renders(path):
    """Whether a file has the function `render(data, options)`, which a job calls."""
    functions = [
        one for one in ast.parse(path.read_text()).body if isinstance(one, ast.FunctionDef)
    ]
    arguments = [one.args.args for one in functions if one.name == "render"]
    return any(len(given) == 2 and given[0].arg == "data" for given in arguments)


def test_every_job_has_a_module_with_render_and_every_such_module_a_job():
    sources = [path for path in PACKAGE.glob("**/*.py") if "tests" not in path.parts]
    jobs = {name for path in sources for name in JOB.findall(path.read_text())}
    names = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        for path in (PACKAGE / "formats").glob("**/*.py")
        if renders(path)
    }
    assert names == jobs


def test_the_fork_server_imports_no_parser_before_the_first_document():
    program = f"{BOOTSTRAP}; import viewer.sandbox.worker; print(*sys.modules)"
    command = [sys.executable, "-I", "-c", program, str(PACKAGE)]
    imported = set(subprocess.check_output(command, text=True).split())

    assert "viewer.sandbox.worker" in imported
    assert not {"chardet", "PIL", "pypdfium2", "pygments", "markdown_it", "nh3"} & imported
    assert not any(name.startswith("viewer.formats") for name in imported)


def test_the_fork_server_preloads_a_job_whose_module_another_one_has_imported():
    program = f"""{BOOTSTRAP}
import os, socket
from viewer.sandbox import worker
job = sys.modules["viewer.formats.probe"] = types.ModuleType("viewer.formats.probe")
service, requests = socket.socketpair()
os.dup2(requests.fileno(), 0)
def preload():
    print("preloaded")
    service.close()
job.preload = preload
worker._fork = lambda files, highest: os.fork() or os._exit(0)
socket.send_fds(service, [b"viewer.formats.probe"], [1, 1, 1])
worker.fork_workers()
"""
    command = [sys.executable, "-I", "-c", program, str(PACKAGE)]
    assert subprocess.check_output(command, text=True, timeout=60) == "preloaded\n"
