"""Processes that are forked from one which has prepared the service, so that they start at once."""

import multiprocessing
import os
import signal

_FORKING = multiprocessing.get_context("forkserver")
_FORKING.set_forkserver_preload(["tests.prepared"])


class ForkedProcess:
    """Runs a program, which is Python text, with what `subprocess.Popen` has for it."""

    def __init__(self, program, folder, environment, log):
        given = (program, folder, environment, log)
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


def _run(program, folder, environment, log):
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    with open(log, "ab") as written:
        for number in (1, 2):
            os.dup2(written.fileno(), number)
    exec(program, {"__name__": "__main__"})
