"""Processes that are forked from one which has prepared the service, so that they start at once."""

import multiprocessing
import os
import signal
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

_FORKING = multiprocessing.get_context("forkserver")
_FORKING.set_forkserver_preload(["tests.prepared"])


class ForkedProcess:
    """Runs a program, which is Python text, with what `subprocess.Popen` has for it.

    It writes to the file `log`, or where this process does.
    """

    def __init__(self, program, folder, environment, log=None, arguments=()):
        given = (program, folder, environment, log, arguments)
        self._process = _FORKING.Process(target=_run, args=given, daemon=True)
        self._process.start()
        self.pid = self._process.pid

    def poll(self):
        return self._process.exitcode

    returncode = property(poll)

    def wait(self, seconds):
        self._process.join(seconds)
        assert self.poll() is not None, "The process does not end."
        return self.poll()

    def send_signal(self, number):
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self):
        self.send_signal(signal.SIGTERM)

    def kill(self):
        self.send_signal(signal.SIGKILL)


def run_program(program, *arguments, seconds=120):
    """Return the exit code of a program with these arguments: below 0 if a signal ended it."""
    given = ["-c", *map(str, arguments)]
    process = ForkedProcess(program, ROOT, dict(os.environ), arguments=given)
    return process.wait(seconds)


def _run(program, folder, environment, log, arguments):
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[:] = arguments
    if log:
        with open(log, "ab") as written:
            for number in (1, 2):
                os.dup2(written.fileno(), number)
    exec(program, {"__name__": "__main__"})
