"""One server on one database, until its process ends."""

import os
import signal
import subprocess
import sys
import time

import pytest

from models.core import OperatorError
from models.storage import instance_lock
from tests.service import ROOT

HOLD = """
import sys, time
from models.storage.instance_lock import acquire_instance_lock
acquire_instance_lock(sys.argv[1], 0)
print("mine", flush=True)
time.sleep(60)
"""


@pytest.fixture
def path(tmp_path):
    yield str(tmp_path / "instance" / "documents.sqlite")
    instance_lock.release_instance_lock()


@pytest.fixture
def other(path):
    """A server of the same database, in a process of its own."""
    command = [sys.executable, "-c", HOLD, path]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"mine\n"
        yield process
        process.kill()


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGKILL])
def test_who_is_killed_holds_nothing(path, other, signal_number):
    other.send_signal(signal_number)
    instance_lock.acquire_instance_lock(path, 60)


def test_the_end_of_the_other_is_waited_for_but_no_longer_and_a_refused_one_may_try_again(
    path, other
):
    begun = time.monotonic()
    with pytest.raises(OperatorError, match=path):
        instance_lock.acquire_instance_lock(path, 0.3)
    assert time.monotonic() - begun >= 0.3
    other.kill()
    instance_lock.acquire_instance_lock(path, 60)


def test_its_file_is_private_and_no_child_inherits_it(path):
    instance_lock.acquire_instance_lock(path, 0)
    (held,) = instance_lock._held
    assert os.fstat(held).st_mode & 0o777 == 0o600
    assert not os.get_inheritable(held)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_what_root_claims_belongs_to_who_runs_the_service(path, tmp_path):
    folder = tmp_path / "instance"
    folder.mkdir()
    os.chown(folder, 65534, 65534)
    instance_lock.acquire_instance_lock(path, 0)
    assert (folder / "documents.sqlite.lock").stat().st_uid == 65534
