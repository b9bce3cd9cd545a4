"""viewer/sandbox/process.py and viewer/sandbox/worker.py, together as they run"""

import time

import pytest

from viewer.sandbox import process
from viewer.sandbox.process import Answer, ChildFailed, result, run

PROBE = """
import os, socket, subprocess, sys
def attempt(what):
    try:
        what()
        return "done"
    except Exception as error:
        return type(error).__name__
"""


@pytest.fixture
def child(monkeypatch):
    """A child that runs what the test says instead of its job."""

    def set_up(code, limited=True):
        lock = (
            "from viewer.sandbox.limits import give_up_rights; "
            "give_up_rights(memory_mb=256, cpu_seconds=1)"
        )
        start = process.START.replace("from viewer.sandbox.worker import main; main()", "")
        frames = "from viewer.sandbox.frames import write_frame; "
        body = f"{PROBE}\n{frames}\n{lock if limited else ''}\n{code}"
        monkeypatch.setattr(process, "START", f"{start}\n{body}")
        return run("none", [b""], {}, seconds=2)

    return set_up


def said(answer):
    return answer.frames[0][0]["said"]


def tell(expression):
    return f"write_frame(sys.stdout.buffer, {{'said': {expression}}})"


@pytest.mark.parametrize(
    "deed",
    [
        "open('/etc/hostname')",
        "open('/tmp/made', 'w')",
        "socket.socket()",
        "os.listdir('/')",
        "os.pipe()",
        "subprocess.run(['true'])",
    ],
)
def test_the_child_can_open_nothing(child, deed):
    assert said(child(tell(f"attempt(lambda: {deed})"))) == "OSError"


def test_the_child_sees_no_secret_and_not_where_we_are(child, monkeypatch):
    monkeypatch.setenv("DOCSERVICE_KEYRING", "docroot_secret")

    environment, folder = said(child(tell("[dict(os.environ), os.getcwd()]"), limited=False))
    assert "docroot_secret" not in str(environment)
    assert folder == "/"


def test_memory_and_time_are_bounded(child):
    assert said(child(tell("attempt(lambda: bytes(1 << 30))"))) == "MemoryError"
    begun = time.monotonic()
    assert child("while True: pass").failure == "crashed"
    assert time.monotonic() - begun < 3


def test_a_child_that_sleeps_is_ended(child):
    begun = time.monotonic()

    assert child("import time; time.sleep(60)", limited=False).failure == "crashed"
    assert 1 < time.monotonic() - begun < 6


@pytest.mark.parametrize(
    "code", ["os.abort()", "sys.exit(0)", "sys.stdout.buffer.write(b'x' * 99)"]
)
def test_a_child_that_falls_or_babbles_costs_only_itself(child, code):
    assert child(code) == Answer([], "crashed")


def test_it_works_from_any_folder(monkeypatch, tmp_path):
    (tmp_path / "viewer.py").write_text("raise SystemExit('the wrong one')")
    monkeypatch.chdir(tmp_path)

    facts, html = result("markdown", [b"*x*"], {"charset": None}, seconds=10)
    assert (facts, html) == ({"encoding": "utf-8"}, "<p><em>x</em></p>\n")


def test_an_unknown_job_fails():
    with pytest.raises(ChildFailed, match="crashed"):
        result("nonsense", [b""], {}, seconds=5)


def test_damage_while_feeding_is_told_and_leaves_no_child(monkeypatch):
    started, start = [], process._start
    monkeypatch.setattr(process, "_start", lambda: started.append(start()) or started[0])

    def damaged():
        yield b"x"
        started[0].kill()
        raise OSError("damaged")

    with pytest.raises(OSError, match="damaged"):
        run("markdown", damaged(), {}, seconds=5)
    assert started[0].returncode is not None


def test_when_all_places_are_taken_it_says_busy(monkeypatch):
    monkeypatch.setattr(process, "SLOT_SECONDS", 0.01)
    taken = 0
    while process.SLOTS.acquire(blocking=False):
        taken += 1
    try:
        assert run("markdown", [b""], {}, seconds=5).failure == "busy"
    finally:
        process.SLOTS.release(taken)


def test_a_large_document_goes_through():
    answer = run("pdf", (bytes(1 << 20) for _ in range(32)), {}, seconds=20)

    assert answer.failure == "format"


def test_no_name_of_a_document_stands_in_the_process_list():
    assert "%" not in process.START
    assert process.START.count("sys.argv[1]") == 1
