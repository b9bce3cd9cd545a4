"""viewer/sandbox/worker.py"""

import importlib
import io
import sys
from types import SimpleNamespace

import pytest

from viewer.sandbox import worker
from viewer.sandbox.frames import read_frame, write_frame


@pytest.mark.parametrize("job", worker.JOBS)
def test_every_job_has_a_module_with_both_steps(job):
    module = importlib.import_module(f"viewer.sandbox.{worker.JOBS[job][0]}")

    assert callable(module.prepare)
    assert callable(module.frames)


def test_rights_are_given_up_after_preparing_and_before_working(monkeypatch):
    steps, out, order = [], io.BytesIO(), io.BytesIO()
    job = SimpleNamespace(
        prepare=lambda data, _: steps.append(("prepare", data)),
        frames=lambda data, _: steps.append(("work", data)) or iter([({"a": 1}, b"")]),
    )
    write_frame(order, {"job": "pdf"})
    order.write(b"the bytes")
    order.seek(0)
    monkeypatch.setattr(worker.importlib, "import_module", lambda _: job)
    monkeypatch.setattr(worker, "give_up_rights", lambda **_: steps.append("limits"))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=order))
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=out))
    worker.main()
    out.seek(0)

    assert steps == [("prepare", b"the bytes"), "limits", ("work", b"the bytes")]
    assert [read_frame(out)[0], read_frame(out)[0]] == [{"a": 1}, {"end": None}]
