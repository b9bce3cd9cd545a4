"""A seccomp filter for a program that is not ours and needs most system calls: a deny-list.

It forbids connections, sockets but those within the machine, new processes, signals to others, and
what reaches into other processes or into the kernel's administration. A forbidden call fails with
EPERM. The filter of `seccomp`, an allow-list, is for our own code.
"""

import os
import struct
from collections.abc import Iterator
from typing import Final

from . import seccomp
from .seccomp import ALLOW, EQUAL, LOAD, REFUSE, RETURN, Step

FORBIDDEN: Final = seccomp.calls("""
    connect=42,203 sendto=44,206 sendmsg=46,211 sendmmsg=307,269
    fork=57,- vfork=58,- setsid=112,157 setpgid=109,154
    kill=62,129 tkill=200,130 tgkill=234,131 rt_sigqueueinfo=129,138 rt_tgsigqueueinfo=297,240
    pidfd_send_signal=424,424 pidfd_open=434,434 pidfd_getfd=438,438 setpriority=141,140
    ptrace=101,117 process_vm_readv=310,270 process_vm_writev=311,271 process_madvise=440,440
    shmget=29,194 semget=64,190 msgget=68,186 mq_open=240,180
    unshare=272,97 setns=308,268 mount=165,40 umount2=166,39 pivot_root=155,41 chroot=161,51
    open_tree=428,428 move_mount=429,429 fsopen=430,430 fspick=433,433 mount_setattr=442,442
    open_by_handle_at=304,265 add_key=248,217 request_key=249,218 keyctl=250,219
    bpf=321,280 perf_event_open=298,241 userfaultfd=323,282 personality=135,92
    io_uring_setup=425,425 io_uring_enter=426,426 io_uring_register=427,427
""")
# Calls permitted only with this first argument: sockets within the machine, the process itself.
SOCKET, AF_UNIX, PRLIMIT, ITSELF = (41, 198), 1, (302, 261), 0
# access(2) and faccessat(2), whether something may be written: by "no" LibreOffice learns that it
# can't have its socket in /tmp. Landlock does not filter this question.
ACCESS, MODE_AT, W_OK = (21, 48), (24, 32), 2


def program() -> bytes:
    """Return the filter's steps, 8 bytes each, for this machine; KeyError if it is unknown."""
    architecture, column = seccomp.MACHINES[os.uname().machine]
    return b"".join(struct.pack("HBBI", *step) for step in _steps(architecture, column))


def _steps(architecture: int, column: int) -> Iterator[Step]:
    yield from seccomp.known_call(architecture)
    for number in seccomp.numbers_of(FORBIDDEN, column):
        yield from ((EQUAL, 0, 1, number), (RETURN, 0, 0, REFUSE))
    for numbers, only in ((SOCKET, AF_UNIX), (PRLIMIT, ITSELF)):
        yield from ((EQUAL, 0, 4, numbers[column]), (LOAD, 0, 0, seccomp.ARGUMENT_AT))
        yield from ((EQUAL, 0, 1, only), (RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE))
    yield from ((EQUAL, 0, 4, ACCESS[column]), (LOAD, 0, 0, MODE_AT[column]))
    yield from ((EQUAL, 0, 1, W_OK), (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW))
    yield from seccomp.only_threads(column, REFUSE)
    yield RETURN, 0, 0, ALLOW
