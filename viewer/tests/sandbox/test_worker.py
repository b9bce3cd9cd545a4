"""viewer/sandbox/worker.py (its order of steps is in test_process.py)"""

import importlib

import viewer
from viewer.sandbox import process


def test_every_job_has_a_module_with_render():
    assert viewer.ShownDocument
    for name in process._modules:
        if name != "viewer.formats.probe":  # of tests
            assert callable(importlib.import_module(name).render), name
