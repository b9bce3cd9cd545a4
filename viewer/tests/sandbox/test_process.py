"""viewer/sandbox/process.py and viewer/sandbox/worker.py, with real child processes"""

import os
import subprocess
import sys
import time

import pytest

from tests.processes import children, state_and_further
from tests.service import ROOT
from tests.waiting import until
from viewer.formats.pdf.pages import JOB as PDF
from viewer.rendering.registry import MARKDOWN as MARKDOWN_FORMAT
from viewer.sandbox import process
from viewer.sandbox.process import (
    BOOTSTRAP,
    WORKER,
    ForkServer,
    Job,
    JobResult,
    job_name,
    start_fork_server,
)

MARKDOWN = MARKDOWN_FORMAT.job
PROBE = f"""{BOOTSTRAP}
import os, socket, subprocess
from viewer.sandbox.messages import write_message
from viewer.sandbox.confinement import apply_resource_limits, forbid_new_files
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


def job(seconds=60):
    return Job("viewer.formats.probe", memory_mb=256, cpu_seconds=2, seconds=seconds)


def run_code(code, program=LIMITED, seconds=60):
    """Run this code in the child process instead of a job."""
    return job(seconds).run([b""], {}, program=program + code)


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


@pytest.mark.slow
def test_cpu_time_is_limited():
    assert run_code("while True: pass").failure == "crashed"


@pytest.mark.slow
def test_a_sleeping_child_process_is_killed_after_its_time():
    begun = time.monotonic()

    assert run_code("import time; time.sleep(600)", PROBE, seconds=2).failure == "crashed"
    assert time.monotonic() - begun > 1


@pytest.mark.parametrize(
    "code", ["os.abort()", "sys.exit(0)", "sys.stdout.buffer.write(b'x' * 99)"]
)
def test_a_crash_or_malformed_output_is_only_a_failed_result(code):
    assert run_code(code) == JobResult([], "crashed")


def test_memory_and_time_are_limited_before_prepare_and_files_before_render():
    code = """
import resource
from viewer.sandbox import worker
def prepare(_data, options):
    limits = (resource.getrlimit(one)[0] for one in (resource.RLIMIT_AS, resource.RLIMIT_CPU))
    options["prepared"] = [*limits, attempt(lambda: open("/etc/passwd"))]
def render(data, options):
    opened = attempt(lambda: open("/etc/passwd")) != "done"
    yield {"value": [data.decode(), *options["prepared"], opened]}, b""
job = types.ModuleType("viewer.formats.probe")
job.prepare, job.render = prepare, render
sys.modules["viewer.formats.probe"] = job
worker.main()
"""
    result = job().run([b"the ", b"bytes"], {}, program=PROBE + code)

    assert reported(result) == ["the bytes", 256 << 20, 2, "done", True]
    assert result.failure is None


def test_a_module_named_viewer_in_the_working_directory_is_not_imported(monkeypatch, tmp_path):
    (tmp_path / "viewer.py").write_text("raise SystemExit('the wrong one')")
    monkeypatch.chdir(tmp_path)

    assert markdown(b"*x*") == b"<p><em>x</em></p>\n"


def test_a_job_whose_module_is_missing_fails():
    assert job().run([b""], {}).failure == "crashed"


def test_a_result_can_be_stored_and_read_again():
    result = MARKDOWN.run([b"*x*"], {"charset": None})

    assert JobResult.of_bytes(result.to_bytes()) == result
    assert JobResult.of_bytes(JobResult([], "crashed").to_bytes()) == JobResult([], "crashed")


def test_the_name_of_a_job_differs_by_options_and_version(monkeypatch):
    name = job_name(MARKDOWN, {"charset": None})

    assert job_name(MARKDOWN, {"charset": "utf-8"}) != name
    monkeypatch.setattr("viewer.sandbox.process.sandbox_version", lambda: "a later one")
    assert job_name(MARKDOWN, {"charset": None}) != name


def test_an_error_while_sending_the_input_is_raised_and_ends_the_child_process(tmp_path):
    pid_file = tmp_path / "pid"
    code = f"open({str(pid_file)!r}, 'w').write(str(os.getpid()) + '.'); sys.stdin.buffer.read()"

    def damaged():
        yield b"x"
        while not (pid_file.exists() and pid_file.read_text().endswith(".")):
            time.sleep(0.01)
        raise OSError("damaged")

    with pytest.raises(OSError, match="damaged"):
        job().run(damaged(), {}, program=PROBE + code)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()[:-1]), 0)


def test_a_document_of_32_mib_is_passed_on():
    assert PDF.run((bytes(1 << 20) for _ in range(32)), {}).failure == "format"


def test_the_command_line_holds_nothing_of_the_document():
    assert "%" not in WORKER
    assert WORKER.count("sys.argv[1]") == 1


forks = pytest.mark.skipif(sys.platform != "linux", reason="others start a process for each job")


def fork_server():
    """The process that forks the others, started if there is none."""
    start_fork_server()
    return process._fork_server._running[1]


def markdown(text):
    ((_, html),) = MARKDOWN.run([text], {"charset": None}).messages
    return html.removeprefix(b'<article class="prose">').removesuffix(b"</article>")


@forks
def test_a_job_starts_no_program_but_the_first(monkeypatch):
    server = fork_server()
    monkeypatch.setattr(sys, "executable", "/bin/false")

    assert [markdown(b"one"), markdown(b"two")] == [b"<p>one</p>\n", b"<p>two</p>\n"]
    assert fork_server() is server


@pytest.mark.slow
@forks
def test_a_job_is_done_even_if_what_forks_has_died():
    server = fork_server()
    server.kill()
    server.wait()

    assert markdown(b"one") == b"<p>one</p>\n"
    assert fork_server() is not server


@forks
def test_every_forked_process_ends_with_its_job_or_at_its_time():
    server = fork_server()
    markdown(b"one")
    with process._fork_server.child("json") as idle:
        until(lambda: len(children(server.pid)) == 1)
        idle.kill()
        assert idle.stdout.read() == b""

    until(lambda: not children(server.pid))


@forks
def test_a_forked_process_has_its_input_and_output_and_no_other_file(monkeypatch):
    listing = "print(*sorted(os.listdir('/proc/self/fd')), flush=True)"
    program = f"{BOOTSTRAP}; import os; from viewer.sandbox import worker"
    program += f"; worker.main = lambda: {listing}; worker.fork_workers()"
    monkeypatch.setattr(process, "FORK_SERVER", program)
    server = ForkServer()
    with server.child("json") as first, server.child("json") as second:
        listed = [one.stdout.readline() for one in (first, second)]
    server.stop()

    assert listed == [b"0 1 2 3\n"] * 2  # 3 is the folder that is being listed


@forks
def test_forked_processes_and_what_forks_end_with_a_service_that_is_killed():
    start = "from viewer.sandbox import process; process.start_fork_server(); server"
    start += ' = process._fork_server; child = server.child("json"); child.__enter__()'
    tell = "print(server._running[1].pid, flush=True); input()"
    command = [sys.executable, "-c", f"{start}; {tell}"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as parent:
        server = int(parent.stdout.readline())
        until(lambda: children(server))
        (forked,) = children(server)
        parent.kill()

    until(lambda: not alive(server))
    until(lambda: not alive(forked))


def alive(pid):
    """True until the process has ended, whether or not anybody has asked for its exit code."""
    return state_and_further(pid)[:1] not in ([], ["Z"])
