"""Disks of a given size for a service: file systems in memory that only its process sees."""

import shutil
import subprocess
import sys
from functools import cache

import pytest

from tests.service import Service

_ON_TMPFS = 'mount -t tmpfs -o size="$1",mode=700 none "$2" && shift 2 && exec "$@"'


@cache
def _namespace():
    """The command that gives a process mounts of its own; None where it may have none."""
    for command in (["unshare", "--mount"], ["unshare", "--map-root-user", "--mount"]):
        probe = [*command, "mount", "-t", "tmpfs", "none", "/mnt"]
        if shutil.which("unshare") and not subprocess.run(probe, check=False).returncode:
            return command
    return None


class SmallDisk(Service):
    """A service whose instance folder is a disk of this size."""

    def __init__(self, folder, size_bytes, **settings):
        if sys.platform != "linux" or _namespace() is None:
            pytest.skip("a process may have no mounts of its own here")
        instance = folder / "instance"
        instance.mkdir()
        shell = ("sh", "-c", _ON_TMPFS, "sh", str(size_bytes), str(instance))
        self.wrapper = (*_namespace(), *shell)
        super().__init__(folder, RATE_LIMITS="off", **settings)

    def inside(self, script):
        """What a Python script prints that runs on the service's disk."""
        command = ["nsenter", f"--target={self.process.pid}", "--mount", "--preserve-credentials"]
        if "--map-root-user" in _namespace():
            command.append("--user")
        there = "import os, sys\nos.chdir(sys.argv[1])\nassert os.path.ismount('.')\n"
        python = [sys.executable, "-c", there + script, str(self.instance)]
        return subprocess.check_output([*command, *python], text=True, timeout=30)
