"""viewer/sandbox/worker.py (its order of steps is in test_process.py)"""

import importlib

import pytest

from viewer.sandbox.worker import JOBS


@pytest.mark.parametrize("job", JOBS)
def test_every_job_has_a_module_with_render(job):
    module = importlib.import_module(f"viewer.formats.{JOBS[job][0]}")

    assert callable(module.render)
