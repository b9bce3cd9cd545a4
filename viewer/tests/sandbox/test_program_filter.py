"""viewer/sandbox/seccomp.py: what LibreOffice could do if a document took it over."""

import json
import os
import subprocess
import sys

import pytest

from viewer.sandbox import seccomp
from viewer.sandbox.confinement import landlock_version
from viewer.sandbox.process import BOOTSTRAP, PACKAGE
from viewer.tests.sandbox.filter_steps import verdict

CONFINE = """
import ctypes, json, os, sys
from pathlib import Path
from viewer.sandbox import seccomp
from viewer.sandbox.confinement import forbid_new_privileges, restrict_files
from viewer.sandbox.converter_process import READABLE
libc, parent, column = ctypes.CDLL(None, use_errno=True), os.getppid(), int(sys.argv[4])
secret, own = os.fsencode(sys.argv[2]), os.fsencode(sys.argv[3])
opened = os.open(secret, os.O_PATH)
buffer = ctypes.create_string_buffer(b"user.x" + bytes(500))
forbid_new_privileges()
restrict_files(READABLE, (Path(sys.argv[3]),))
seccomp.install(seccomp.program_filter(os.uname().machine))
def call(numbers, *arguments):
    if numbers[column] is None:
        return "EPERM"
    words = (ctypes.c_long(one) if isinstance(one, int) else one for one in arguments)
    done = libc.syscall(ctypes.c_long(numbers[column]), *words)
    return done if done >= 0 else {1: "EPERM", 13: "EACCES"}.get(ctypes.get_errno(), "other")
HERE, EMPTY_PATH = -100, 0x1000
"""
# What is tried on a file of the service, `secret`, or on its process, `parent`, with the numbers in
# asm/unistd_64.h and asm-generic/unistd.h.
DEEDS = {
    "chmod": "call((90, None), secret, 0)",
    "fchmod": "call((91, 52), opened, 0)",
    "fchmodat": "call((268, 53), HERE, secret, 0)",
    "fchmodat2": "call((452, 452), opened, b'', 0, EMPTY_PATH)",
    "chown": "call((92, None), secret, -1, -1)",
    "lchown": "call((94, None), secret, -1, -1)",
    "fchown": "call((93, 55), opened, -1, -1)",
    "fchownat": "call((260, 54), opened, b'', -1, -1, EMPTY_PATH)",
    "utime": "call((132, None), secret, 0)",
    "utimes": "call((235, None), secret, 0)",
    "futimesat": "call((261, None), HERE, secret, 0)",
    "utimensat": "call((280, 88), HERE, secret, 0, 0)",
    "setxattr": "call((188, 5), secret, buffer, buffer, 1, 0)",
    "lsetxattr": "call((189, 6), secret, buffer, buffer, 1, 0)",
    "fsetxattr": "call((190, 7), opened, buffer, buffer, 1, 0)",
    "getxattr": "call((191, 8), secret, buffer, 0, 0)",
    "listxattr": "call((194, 11), secret, 0, 0)",
    "removexattr": "call((197, 14), secret, buffer)",
    "setxattrat": "call((463, 463), HERE, secret, 0, buffer, buffer, 16)",
    "file_setattr": "call((469, 469), HERE, secret, buffer, 24, 0)",
    "truncate": "call((76, 45), secret, 0)",
    "inotify_init1": "call((294, 26), 0)",
    "inotify_add_watch": "call((254, 27), 0, secret, 2)",
    "fanotify_init": "call((300, 262), 0, 0)",
    "quotactl": "call((179, 60), 0, 0, 0, 0)",
    "name_to_handle_at": "call((303, 264), HERE, secret, buffer, buffer, 0)",
    "fcntl F_SETOWN": "call((72, 25), 0, 8, parent)",
    "ioctl FIOSETOWN": "call((16, 29), 0, 0x8901, buffer)",
    "sched_setaffinity": "call((203, 122), parent, 8, buffer)",
    "sched_setscheduler": "call((144, 119), parent, 5, buffer)",
    "sched_setparam": "call((142, 118), parent, buffer)",
    "sched_setattr": "call((314, 274), parent, buffer, 0)",
    "setpriority": "call((141, 140), 0, parent, 19)",
    "ioprio_set": "call((251, 30), 1, parent, 3 << 13)",
    "prlimit64": "call((302, 261), parent, 7, 0, buffer)",
    "migrate_pages": "call((256, 238), parent, 64, buffer, buffer)",
    "move_pages": "call((279, 239), parent, 0, 0, 0, 0, 0)",
    "kill": "call((62, 129), parent, 0)",
    "process_mrelease": "call((448, 448), 0, 0)",
    "shmat": "call((30, 196), 0, 0, 0)",
    "mq_unlink": "call((241, 181), b'x')",
    "memfd_create": "call((319, 279), b'x', 0)",
    "sync": "call((162, 81))",
}
needs_landlock = pytest.mark.skipif(
    not seccomp.seccomp_available() or landlock_version() < 1, reason="there is no Landlock here"
)


@needs_landlock
def test_a_program_changes_nothing_of_the_services_files_and_process(tmp_path):
    secret = tmp_path / "keyring"
    folder = tmp_path / "own"
    secret.write_text("secret")
    folder.mkdir()
    before = secret.stat()
    tried = ", ".join(f"{name!r}: {deed}" for name, deed in DEEDS.items())
    steps = (BOOTSTRAP, CONFINE, "os.mkdir(own + b'/made')", f"print(json.dumps({{{tried}}}))")
    column = str(seccomp.MACHINES[os.uname().machine][1])
    command = [sys.executable, "-I", "-c", "\n".join(steps), str(PACKAGE), secret, folder, column]
    said = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)

    assert said == dict.fromkeys(DEEDS, "EPERM")
    assert secret.stat() == before
    assert (folder / "made").is_dir()


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_a_call_that_is_not_listed_is_refused_on_each_machine(machine):
    own, column = seccomp.MACHINES[machine]
    steps = seccomp.program_filter(machine)
    permitted = {numbers[column] for numbers in seccomp.PERMITTED.values()} - {None}
    by_argument = {number[column] for number, _ in seccomp.SIGNALS}
    by_argument.add(seccomp.ACCESS[column])
    clone = seccomp.CLONE[column]
    clone3 = seccomp.CLONE3[column]
    expected = dict.fromkeys(range(seccomp.NEWEST_KNOWN + 1), seccomp.REFUSE)
    expected |= dict.fromkeys(permitted | by_argument, seccomp.ALLOW)
    expected |= {clone3: seccomp.UNKNOWN, seccomp.NEWEST_KNOWN + 1: seccomp.UNKNOWN}
    expected[seccomp.PRLIMIT[column]] = seccomp.ALLOW  # of itself

    for number, answer in expected.items():
        assert verdict(steps, own, number) == answer, number
    for number, commands in seccomp.SIGNALS:
        for command in commands:
            assert verdict(steps, own, number[column], 0, command) == seccomp.REFUSE, command
    assert verdict(steps, own, seccomp.SOCKET[column], 1) == seccomp.ALLOW
    assert verdict(steps, own, clone, seccomp.CLONE_THREAD) == seccomp.ALLOW
