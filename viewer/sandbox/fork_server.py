"""Main program of the process that forks child processes: it imports their modules once.

It reads no document. The service sends it three files for each child process, in one message: its
input, its output, and the end of a pipe that the service closes when the child is to end. Its
child processes, which the kernel kills with it, end with the service.
"""

import contextlib
import ctypes
import gc
import importlib
import os
import select
import signal
import socket
import sys
from typing import Final

from ..content.decoding import preload_codecs
from . import worker
from .resource_limits import be_killed_first
from .seccomp import forbid_inspection

FILES: Final = 3
PR_SET_PDEATHSIG: Final = 1


def main() -> None:
    """Fork until the service has closed its end of the socket, which is the standard input."""
    be_killed_first()
    forbid_inspection()
    preload_codecs()
    requests = socket.socket(fileno=os.dup(0))
    children: dict[int, int] = {}  # the end of its pipe, its process id
    modules = list(dict.fromkeys(module for module, _, _ in worker.JOBS.values()))
    while True:
        timeout = 0 if modules else None  # a document does not wait until all are imported
        ready = select.select([requests.fileno(), *children], (), (), timeout)[0]
        if not ready:
            _import(modules.pop(0))
        for file in ready:
            if file in children:
                _end(file, children.pop(file))
            elif not (files := socket.recv_fds(requests, 1, FILES)[1]):
                return
            else:
                children[files[-1]] = _fork(files, highest=max(*children, *files))


def _import(module: str) -> None:
    with contextlib.suppress(Exception):  # the jobs that need it fail
        importlib.import_module(f"viewer.formats.{module}")
    gc.freeze()  # a child process that collects garbage would copy all that was imported


def _fork(files: list[int], highest: int) -> int:
    """Return the id of a new child process, which gets its input and its output, and no other."""
    input_, output, _ = files
    child = os.fork()
    if not child:
        _work(input_, output, highest)
    os.close(input_)
    os.close(output)
    return child


def _work(input_: int, output: int, highest: int) -> None:
    try:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        os.dup2(input_, 0)
        os.dup2(output, 1)
        os.closerange(3, highest + 1)
        worker.main()
    finally:
        os._exit(0)


def _end(file: int, child: int) -> None:
    """Kill a child process and collect it, whose id is its own until then."""
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(file)
