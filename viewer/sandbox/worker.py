"""Main programs of the child process, and of the fork server, which makes child processes.

The fork server imports the modules of each job that was done, and reads no document. The service
sends it three files for each child process, in one message: its input, its output, and the end of a
pipe that the service closes when the child is to end. Its child processes, which the kernel kills
with it, end with the service.
"""

import contextlib
import gc
import importlib
import os
import select
import signal
import socket
import sys
from types import ModuleType
from typing import Any, Final

from ..content.decoding import CHARSETS, preload_codecs
from .confinement import (
    apply_resource_limits,
    be_killed_first,
    end_with_parent,
    forbid_inspection,
    forbid_new_files,
)
from .messages import read_message, write_message
from .seccomp import restrict_system_calls, seccomp_available

FILES: Final = 3
MODULE_BYTES: Final = 200  # of a name, at most


def main() -> None:
    """Import the `Job` of the first message, limit resources, render, and say how it went."""
    forbid_inspection()
    task, _ = read_message(sys.stdin.buffer)
    limits = task["job"]
    options = task["options"]
    job = importlib.import_module(limits["module"])
    apply_resource_limits(memory_mb=limits["memory_mb"], cpu_seconds=limits["cpu_seconds"])
    data = sys.stdin.buffer.read()
    preload_codecs(options.get("charset"))
    detection = _charset_detection()
    if prepare := getattr(job, "prepare", None):
        prepare(data, options)
    forbid_new_files(threads=limits["threads"] and seccomp_available())
    restrict_system_calls(threads=limits["threads"])
    write_message(sys.stdout.buffer, {"end": _render(job, detection, data, options)})


def _charset_detection() -> ModuleType:
    """Import the detection of charsets, whose models take 26 MiB, and load all that it opens."""
    from ..content import charset_detection  # noqa: PLC0415

    charset_detection.prepare()
    return charset_detection


def _render(job: Any, detection: ModuleType, data: bytes, options: dict[str, Any]) -> str | None:
    try:
        if "charset" in options:
            options["charset"] = detection.detect(data, options["charset"])
        for facts, block in job.render(data, options):
            write_message(sys.stdout.buffer, facts, block)
    except Exception as error:  # noqa: BLE001
        return str(getattr(error, "reason", "")) or type(error).__name__
    return None


def fork_workers() -> None:
    """Fork until the service has closed its end of the socket, which is the standard input.

    Each message names the module of a job. It is imported for the jobs that follow, together with
    what every job needs: until the first one, this process takes little memory.
    """
    be_killed_first()
    forbid_inspection()
    requests = socket.socket(fileno=os.dup(0))
    children: dict[int, int] = {}  # the end of its pipe, its process id
    modules: list[str] = []  # still to be prepared for
    known: set[str] = set()  # these and the others; one may have been imported by another one
    while True:
        timeout = 0 if modules else None  # a document that is there does not wait for an import
        ready = select.select([requests.fileno(), *children], (), (), timeout)[0]
        if not ready:
            _prepare_for(modules.pop(0))
        for file in ready:
            if file in children:
                _end(file, children.pop(file))
                continue
            module, files, *_ = socket.recv_fds(requests, MODULE_BYTES, FILES)
            if not files:
                return
            children[files[-1]] = _fork(files, highest=max(*children, *files))
            if (name := module.decode()) not in known:
                known.add(name)
                modules.append(name)


def _prepare_for(module: str) -> None:
    """Import the module of a job, and what every job needs, for the child processes that follow."""
    with contextlib.suppress(Exception):  # the jobs that need it fail
        job = importlib.import_module(module)
        if preload := getattr(job, "preload", None):
            preload()
    preload_codecs(*CHARSETS.split())
    _charset_detection()
    gc.freeze()  # a child process that collects garbage would copy all that was imported


def _fork(files: list[int], highest: int) -> int:
    """Return the id of a new child process, which gets its input and its output, and no other."""
    input_, output, _ = files
    if child := os.fork():
        os.close(input_)
        os.close(output)
        return child
    try:
        end_with_parent()
        os.dup2(input_, 0)
        os.dup2(output, 1)
        os.closerange(3, highest + 1)
        main()
    finally:
        os._exit(0)


def _end(file: int, child: int) -> None:
    """Kill a child process and collect it, whose id is its own until then."""
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(file)
