"""viewer/sandbox/seccomp.py: what a hostile document could do if it took over its parser."""

import errno
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from viewer.rendering.registry import MARKDOWN
from viewer.sandbox import seccomp
from viewer.sandbox.process import BOOTSTRAP, PACKAGE
from viewer.tests.sandbox import filter_steps

needs_seccomp = pytest.mark.skipif(
    not seccomp.seccomp_available(), reason="there is no seccomp on this machine"
)
PREPARE = """
import ctypes, mmap, os, signal, socket, sys
from viewer.sandbox import confinement, seccomp
libc, parent = ctypes.CDLL(None, use_errno=True), os.getppid()
machine = os.uname().machine
def call(x86_64, aarch64, *rest):
    number = x86_64 if machine == "x86_64" else aarch64
    return libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, rest))
def attempt(what):
    try:
        return what()
    except OSError as error:
        return type(error).__name__
"""
DEEDS = {  # what is tried, as in asm/unistd_64.h and asm-generic/unistd.h
    "ptrace of the parent": "call(101, 117, 16, parent, 0, 0)",
    "process_vm_readv of the parent": "call(310, 270, parent, 0, 0, 0, 0, 0)",
    "process_vm_writev of the parent": "call(311, 271, parent, 0, 0, 0, 0, 0)",
    "pidfd_open of the parent": "call(434, 434, parent, 0)",
    "pidfd_getfd": "call(438, 438, 0, 0, 0)",
    "kcmp": "call(312, 272, parent, parent, 0, 0, 0)",
    "a signal to the parent": "os.kill(parent, 0)",
    "a signal to itself": "os.kill(os.getpid(), 0)",
    "a socket": "socket.socket()",
    "a socket pair": "socket.socketpair()",
    "a pipe": "os.pipe()",
    "another program": "os.execv('/bin/true', ['true'])",
    "a fork": "os.fork()",
    "a thread": "__import__('_thread').start_new_thread(print, ())",
    "clone3": "call(435, 435, 0, 0)",
    "unshare": "call(272, 97, 0x10000000)",
    "mount": "call(165, 40, 0, 0, 0, 0, 0)",
    "bpf": "call(321, 280, 0, 0, 0)",
    "io_uring": "call(425, 425, 1, 0)",
    "keyctl": "call(250, 219, 0, 0, 0, 0, 0)",
    "userfaultfd": "call(323, 282, 0)",
    "perf_event_open": "call(298, 241, 0, 0, 0, 0, 0)",
    "memfd_create": "call(319, 279, 0, 0)",
    "a second filter": "call(317, 277, 1, 0, 0)",
    "a higher limit": "call(160, 164, 7, 0)",
    "unlink": "os.unlink('/tmp/absent')",
    "a change of user": "os.setuid(os.getuid())",
    "shared memory": "call(29, 194, 0, 4096, 0o1600)",
}
REFUSED = {
    "reading a file": "open('/etc/passwd')",
    "writing a file": "open('/tmp/made-by-a-document', 'w')",
    "listing a folder": "os.listdir('/')",
    "looking at a file": "os.stat('/etc/passwd')",
    "memory of the parent as a file": "open(f'/proc/{parent}/mem', 'rb')",
    "executable memory": "mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC)",
}


def child(deed, confine="seccomp.restrict_system_calls()"):
    """What a process does with this after it has been confined as a parser is, or not."""
    steps = (BOOTSTRAP, PREPARE, confine, f"print(attempt(lambda: {deed}))")
    command = [sys.executable, "-I", "-c", "\n".join(steps), str(PACKAGE)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@needs_seccomp
@pytest.mark.parametrize("deed", DEEDS.values(), ids=DEEDS)
def test_a_dangerous_call_ends_the_child(deed):
    done = child(deed)

    assert done.returncode == -signal.SIGSYS, done
    assert not done.stdout


THREADS = "seccomp.restrict_system_calls(threads=True)"
LOCK = "__import__('_thread').allocate_lock()"  # held until a new thread releases it
START = "__import__('_thread').start_new_thread(lock.release, ())"
THREAD = f"(lambda lock: [lock.acquire(), {START}, lock.acquire(timeout=60)][2])({LOCK})"


@needs_seccomp
def test_a_job_with_threads_may_start_them():
    assert child(THREAD, THREADS).stdout == "True\n"


@needs_seccomp
@pytest.mark.parametrize("deed", sorted(set(DEEDS) - {"a thread", "clone3"}))
def test_a_job_with_threads_may_do_nothing_else_that_is_dangerous(deed):
    assert child(DEEDS[deed], THREADS).returncode == -signal.SIGSYS


@needs_seccomp
def test_clone3_whose_flags_cannot_be_examined_does_not_exist_with_threads():
    said = child(f"({DEEDS['clone3']}, ctypes.get_errno())", THREADS).stdout

    assert said == f"(-1, {errno.ENOSYS})\n"


@needs_seccomp
@pytest.mark.parametrize("deed", REFUSED.values(), ids=REFUSED)
def test_opening_and_examining_files_is_refused(deed):
    assert child(deed).stdout == "PermissionError\n"


@needs_seccomp
def test_memory_cannot_be_made_executable_later():
    page = "ctypes.c_long(ctypes.addressof(ctypes.c_char.from_buffer(mmap.mmap(-1, 4096))))"
    said = child(f"(libc.mprotect({page}, ctypes.c_long(4096), 5), ctypes.get_errno())").stdout

    assert said == f"(-1, {errno.EPERM})\n"


@needs_seccomp
def test_a_call_newer_than_the_list_does_not_exist():
    said = child("(call(9999, 9999), ctypes.get_errno())").stdout

    assert said == f"(-1, {errno.ENOSYS})\n"


@needs_seccomp
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="x32 is a part of x86_64")
def test_the_x32_table_of_calls_ends_the_child():
    assert child("libc.syscall(0x40000000 | 39)").returncode == -signal.SIGSYS


@needs_seccomp
def test_the_filter_is_active_in_the_worker_when_a_document_is_parsed():
    ask = (  # PR_GET_SECCOMP: 0 without a filter; ours refuses the question
        "import ctypes; from viewer.sandbox import worker; "
        "worker._render = lambda *_: str(ctypes.CDLL(None).prctl(21)); worker.main()"
    )
    program = f"{BOOTSTRAP}; {ask}"

    assert MARKDOWN.job.run([b""], {}, program=program).failure == "-1"


def test_without_seccomp_the_child_goes_on():
    confine = "seccomp.seccomp_available = lambda: False; seccomp.restrict_system_calls()"

    assert child("open('/dev/null').name", confine).stdout == "/dev/null\n"


def test_other_systems_and_machines_have_no_filter(monkeypatch):
    monkeypatch.setattr(seccomp.sys, "platform", "darwin")

    assert not seccomp.seccomp_available()


@pytest.mark.skipif(sys.platform != "linux", reason="needs prctl(2)")
def test_no_process_of_the_same_user_may_inspect_the_child():
    assert child("libc.prctl(3)", "confinement.forbid_inspection()").stdout == "0\n"


def verdict(machine, architecture, number, protection=0, flags=0, threads=False):
    steps = seccomp.parser_filter(machine, threads=threads)
    return filter_steps.verdict(steps, architecture, number, flags, 0, protection)


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_the_program_answers_by_its_lists_on_each_machine(machine):
    own, column = seccomp.MACHINES[machine]
    allowed, refused, memory = (
        {numbers[column] for numbers in calls.values()} - {None}
        for calls in (seccomp.ALLOWED, seccomp.REFUSED, seccomp.ALLOWED_WITHOUT_EXECUTION)
    )
    expected = {number: seccomp.KILL for number in range(seccomp.NEWEST_KNOWN + 1)}
    expected |= dict.fromkeys(allowed | memory, seccomp.ALLOW)
    expected |= dict.fromkeys(refused, seccomp.REFUSE)
    expected[seccomp.NEWEST_KNOWN + 1] = seccomp.UNKNOWN
    for number, answer in expected.items():
        assert verdict(machine, own, number) == answer, number
    for number in memory:
        assert verdict(machine, own, number, 3) == seccomp.ALLOW
        assert verdict(machine, own, number, 5) == seccomp.REFUSE


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_with_threads_the_program_allows_clone_of_a_thread_only(machine):
    own, column = seccomp.MACHINES[machine]
    clone = seccomp.CLONE[column]
    clone3 = seccomp.CLONE3[column]
    process_flags = 0x1200011
    thread_flags = 0x3D0F00  # as the C library calls it

    assert verdict(machine, own, clone, flags=thread_flags, threads=True) == seccomp.ALLOW
    assert verdict(machine, own, clone, flags=process_flags, threads=True) == seccomp.KILL
    assert verdict(machine, own, clone3, threads=True) == seccomp.UNKNOWN
    assert verdict(machine, own, clone, flags=thread_flags) == seccomp.KILL


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_calls_of_another_architecture_end_the_child(machine):
    own, column = seccomp.MACHINES[machine]
    others = {numbers[0] for numbers in seccomp.MACHINES.values()} - {own} | {0x40000003}
    write = seccomp.ALLOWED["write"][column]

    assert {verdict(machine, other, write) for other in others} == {seccomp.KILL}
    assert verdict(machine, own, seccomp.X32 | write) == seccomp.KILL


@pytest.mark.parametrize(
    ("column", "header"),
    [(0, "x86_64-linux-gnu/asm/unistd_64.h"), (1, "asm-generic/unistd.h")],
)
def test_the_numbers_are_those_of_the_kernels_headers(column, header):
    file = Path("/usr/include") / header
    if not file.exists():
        pytest.skip(f"there is no {file}")
    found = re.findall(r"^#define __NR(?:3264)?_(\w+) (\d+)$", file.read_text(), re.M)
    known = {name: int(number) for name, number in found}
    known["newfstatat"] = known.get("newfstatat", known.get("fstatat"))
    for name, numbers in (
        seccomp.ALLOWED
        | seccomp.REFUSED
        | seccomp.ALLOWED_WITHOUT_EXECUTION
        | seccomp.ALLOWED_TO_THREADS
        | {
            "clone": seccomp.CLONE,
            "clone3": seccomp.CLONE3,
            "fcntl": seccomp.FCNTL,
            "ioctl": seccomp.IOCTL,
            "socket": seccomp.SOCKET,
            "prlimit64": seccomp.PRLIMIT,
        }
        | seccomp.PERMITTED
    ).items():
        is_newer = (numbers[column] or 0) > max(known.values())
        assert is_newer or numbers[column] in (known.get(name), None), name
