"""A service on a disk of a given size: a file system in memory that only its process sees."""

import shutil
import subprocess
import sys
from functools import cache

import pytest

from tests.service import Service

_ON_TMPFS = 'mount -t tmpfs -o size="$1",mode=700 none "$2" && shift 2 && exec "$@"'


@cache
def _namespace_command():
    """Return the command that starts a process with mounts of its own, or None."""
    for command in (["unshare", "--mount"], ["unshare", "--map-root-user", "--mount"]):
        probe = [*command, "mount", "-t", "tmpfs", "none", "/mnt"]
        if shutil.which("unshare") and not subprocess.run(probe, check=False).returncode:
            return command
    return None


class SmallDisk(Service):
    """A service whose instance folder is a disk of this size."""

    def __init__(self, folder, size_bytes, **settings):
        if sys.platform != "linux" or _namespace_command() is None:
            pytest.skip("this user may not mount file systems")
        instance = folder / "instance"
        instance.mkdir()
        shell = ("sh", "-c", _ON_TMPFS, "sh", str(size_bytes), str(instance))
        self.wrapper = (*_namespace_command(), *shell)
        super().__init__(folder, RATE_LIMITS="off", **settings)

    def inside(self, script):
        """Run a Python script on the disk of the service, and return what it prints."""
        command = ["nsenter", f"--target={self.process.pid}", "--mount", "--preserve-credentials"]
        if "--map-root-user" in _namespace_command():
            command.append("--user")
        enter = "import os, sys\nos.chdir(sys.argv[1])\nassert os.path.ismount('.')\n"
        python = [sys.executable, "-c", enter + script, str(self.instance)]
        return subprocess.check_output([*command, *python], text=True, timeout=120)
