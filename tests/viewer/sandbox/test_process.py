"""viewer/sandbox/process.py and viewer/sandbox/worker.py, with real child processes"""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.service import ROOT
from tests.waiting import until
from viewer.sandbox import process
from viewer.sandbox.process import (
    BOOTSTRAP,
    WORKER,
    JobResult,
    job_name,
    run,
)

PROBE = f"""{BOOTSTRAP}
import os, socket, subprocess
from viewer.sandbox.messages import write_message
from viewer.sandbox.resource_limits import apply_resource_limits, forbid_new_files
def attempt(action):
    try:
        action()
        return "done"
    except Exception as error:
        return type(error).__name__
def report(value):
    write_message(sys.stdout.buffer, {{"value": value}})
"""
LIMITED = f"{PROBE}apply_resource_limits(memory_mb=256, cpu_seconds=1); forbid_new_files()\n"


def run_code(code, program=LIMITED):
    """Run this code in the child process instead of a job."""
    return run("none", [b""], {}, seconds=2, program=program + code)


def reported(result):
    return result.messages[0][0]["value"]


@pytest.mark.parametrize(
    "action",
    [
        "open('/etc/hostname')",
        "open('/tmp/made', 'w')",
        "socket.socket()",
        "os.listdir('/')",
        "os.pipe()",
        "subprocess.run(['true'])",
    ],
)
def test_the_child_process_cannot_open_files_sockets_or_processes(action):
    assert reported(run_code(f"report(attempt(lambda: {action}))")) == "OSError"


def test_the_child_process_inherits_no_environment_and_no_working_directory(monkeypatch):
    monkeypatch.setenv("DOCSERVICE_KEYRING", "docroot_secret")

    environment, folder = reported(run_code("report([dict(os.environ), os.getcwd()])", PROBE))
    assert "docroot_secret" not in str(environment)
    assert folder == "/"


def test_memory_is_limited():
    assert reported(run_code("report(attempt(lambda: bytes(1 << 30)))")) == "MemoryError"


def test_cpu_time_is_limited():
    result = run("none", [b""], {}, seconds=60, program=LIMITED + "while True: pass")

    assert result.failure == "crashed"


def test_a_sleeping_child_process_is_killed_after_its_time():
    begun = time.monotonic()

    assert run_code("import time; time.sleep(600)", PROBE).failure == "crashed"
    assert time.monotonic() - begun > 1


@pytest.mark.parametrize(
    "code", ["os.abort()", "sys.exit(0)", "sys.stdout.buffer.write(b'x' * 99)"]
)
def test_a_crash_or_malformed_output_is_only_a_failed_result(code):
    assert run_code(code) == JobResult([], "crashed")


def test_memory_and_time_are_limited_before_prepare_and_files_before_render():
    job = """
import resource
from viewer.sandbox import worker
def prepare(_data, options):
    limits = (resource.getrlimit(one)[0] for one in (resource.RLIMIT_AS, resource.RLIMIT_CPU))
    options["prepared"] = [*limits, attempt(lambda: open("/etc/passwd"))]
def render(data, options):
    opened = attempt(lambda: open("/etc/passwd")) != "done"
    yield {"value": [data.decode(), *options["prepared"], opened]}, b""
job = types.ModuleType("viewer.sandbox.probe")
job.prepare, job.render = prepare, render
sys.modules["viewer.sandbox.probe"] = job
worker.JOBS["probe"] = ("probe", 256, 2)
worker.main()
"""
    result = run("probe", [b"the ", b"bytes"], {}, seconds=10, program=PROBE + job)

    assert reported(result) == ["the bytes", 256 << 20, 2, "done", True]
    assert result.failure is None


def test_a_module_named_viewer_in_the_working_directory_is_not_imported(monkeypatch, tmp_path):
    (tmp_path / "viewer.py").write_text("raise SystemExit('the wrong one')")
    monkeypatch.chdir(tmp_path)

    ((facts, html),) = run("markdown", [b"*x*"], {"charset": None}, seconds=10).messages
    assert (facts, html) == ({"encoding": "utf-8", "cut": False}, b"<p><em>x</em></p>\n")


def test_an_unknown_job_fails():
    assert run("nonsense", [b""], {}, seconds=5).failure == "crashed"


def test_a_result_can_be_stored_and_read_again():
    result = run("markdown", [b"*x*"], {"charset": None}, seconds=10)

    assert JobResult.of_bytes(result.to_bytes()) == result
    assert JobResult.of_bytes(JobResult([], "crashed").to_bytes()) == JobResult([], "crashed")


def test_the_name_of_a_job_differs_by_options_and_version(monkeypatch):
    name = job_name("markdown", {"charset": None})

    assert job_name("markdown", {"charset": "utf-8"}) != name
    monkeypatch.setattr("viewer.sandbox.process.sandbox_version", lambda: "a later one")
    assert job_name("markdown", {"charset": None}) != name


def test_an_error_while_sending_the_input_is_raised_and_ends_the_child_process(tmp_path):
    pid_file = tmp_path / "pid"
    code = f"open({str(pid_file)!r}, 'w').write(str(os.getpid()) + '.'); sys.stdin.buffer.read()"

    def damaged():
        yield b"x"
        while not (pid_file.exists() and pid_file.read_text().endswith(".")):
            time.sleep(0.01)
        raise OSError("damaged")

    with pytest.raises(OSError, match="damaged"):
        run("none", damaged(), {}, seconds=30, program=PROBE + code)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()[:-1]), 0)


def test_a_document_of_32_mib_is_passed_on():
    assert run("pdf", (bytes(1 << 20) for _ in range(32)), {}, seconds=20).failure == "format"


def test_the_command_line_holds_nothing_of_the_document():
    assert "%" not in WORKER
    assert WORKER.count("sys.argv[1]") == 1


def test_a_job_is_done_by_the_worker_that_waits_for_it():
    run("markdown", [b""], {"charset": None}, seconds=10)
    (waiting,) = process._waiting
    run("markdown", [b""], {"charset": None}, seconds=10)

    assert waiting.returncode is not None
    assert process._waiting != [waiting]


def test_a_job_is_done_even_if_the_worker_that_waited_has_died():
    run("markdown", [b""], {"charset": None}, seconds=10)
    process._waiting[0].kill()
    process._waiting[0].wait()

    assert run("markdown", [b"*x*"], {"charset": None}, seconds=10).failure is None


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_the_waiting_worker_ends_with_a_service_that_is_killed():
    start = "from viewer.sandbox import process; process._start_next()"
    tell = "print(process._waiting[0].pid, flush=True); input()"
    command = [sys.executable, "-c", f"{start}; {tell}"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as parent:
        pid = int(parent.stdout.readline())
        parent.kill()

    until(lambda: not alive(pid))


def alive(pid):
    """True until the process has ended, whether or not anybody has asked for its exit code."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"
