"""A seccomp filter for the child process: the kernel permits only the calls that parsing needs.

An allow-list, installed after the last import so that it stays short: memory, time, the pipes
that are already open, exit. Calls that a library may try and can do without fail with EPERM:
every way to open or examine a file, and making memory executable. All other calls kill the
process: none of its libraries makes one, so it runs somebody else's code. Calls that are newer
than these tables fail with ENOSYS, as on an older kernel, so that a newer C library falls back.

Sources: linux/seccomp.h, linux/filter.h, linux/audit.h, asm/unistd_64.h, asm-generic/unistd.h.
"""

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Iterator
from typing import Final

Step = tuple[int, int, int, int]  # of the filter: code, jumps if true and false, operand

MACHINES: Final = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}  # AUDIT_ARCH, column
SECCOMP: Final = (317, 277)


def calls(table: str) -> dict[str, tuple[int | None, ...]]:
    """Parse `name=x86_64,aarch64`: the numbers of a call, `-` where a machine has none."""
    pairs = (entry.split("=") for entry in table.split())
    return {
        name: tuple(int(number) if number != "-" else None for number in numbers.split(","))
        for name, numbers in pairs
    }


ALLOWED: Final = calls("""
    write=1,64 brk=12,214 munmap=11,215 mremap=25,216 madvise=28,233 futex=202,98 read=0,63
    writev=20,66 lseek=8,62 fstat=5,80 close=3,57 getrandom=318,278 clock_gettime=228,113
    gettimeofday=96,169 time=201,- sched_yield=24,124 getpid=39,172 gettid=186,178
    rt_sigaction=13,134 rt_sigprocmask=14,135 rt_sigreturn=15,139 restart_syscall=219,128
    exit=60,93 exit_group=231,94
""")
ALLOWED_WITHOUT_EXECUTION: Final = calls("mmap=9,222 mprotect=10,226")
REFUSED: Final = calls("""
    open=2,- openat=257,56 openat2=437,437 stat=4,- lstat=6,- newfstatat=262,79 statx=332,291
    access=21,- faccessat=269,48 faccessat2=439,439 readlink=89,- readlinkat=267,78 getcwd=79,17
    ioctl=16,29 fcntl=72,25 uname=63,160 sysinfo=99,179 prctl=157,167 prlimit64=302,261
    getrlimit=97,163 getrusage=98,165 sched_getaffinity=204,123 sigaltstack=131,132
""")
ALLOWED_TO_THREADS: Final = calls("set_robust_list=273,99 rseq=334,293")
CLONE, CLONE3 = (56, 220), (435, 435)
NEWEST_KNOWN: Final = 469  # file_setattr, Linux 6.17; numbers above 423 are the same everywhere
X32: Final = 0x4000_0000  # the bit that selects a second table of calls on x86_64

LOAD, EQUAL, GREATER, ANY_BIT, RETURN = 0x20, 0x15, 0x25, 0x45, 0x06  # BPF instructions
# Offsets in struct seccomp_data: the last two are args[0] of clone(2) and args[2] of mmap(2).
NUMBER_AT, MACHINE_AT, ARGUMENT_AT, PROTECTION_AT = 0, 4, 16, 32
KILL, ALLOW, REFUSE, UNKNOWN = (
    *(0x8000_0000, 0x7FFF_0000),
    *(0x0005_0000 | code for code in (errno.EPERM, errno.ENOSYS)),
)
PROT_EXEC: Final = 4
CLONE_THREAD: Final = 0x10000
PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 4, 38
SET_MODE_FILTER, GET_ACTION_AVAIL, TSYNC = 1, 2, 1


def seccomp_available() -> bool:
    """Whether this kernel, machine and container let a process install the filter."""
    if sys.platform != "linux" or os.uname().machine not in MACHINES or sys.maxsize < 1 << 32:
        return False
    return _seccomp(GET_ACTION_AVAIL, 0, ctypes.byref(ctypes.c_uint32(KILL))) == 0


def forbid_inspection() -> None:
    """No other process of this user may read or trace this one; it leaves no core dump."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def restrict_system_calls(*, threads: bool = False) -> None:
    """Install the filter in all threads, for good; where there is no seccomp, do nothing.

    With `threads`, for a library that decodes in a thread of its own, new threads are allowed;
    they have the same filter. Raises OSError if the kernel offers seccomp, but not the filter.
    """
    if seccomp_available():
        install(_program(os.uname().machine, threads=threads))


def forbid_new_privileges() -> None:
    """No program that this process executes gets more rights than it has; for good."""
    ctypes.CDLL(None).prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def install(code: bytes) -> None:
    """Install a filter of these steps, 8 bytes each; raise OSError if the kernel refuses it."""
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HP", len(code) // 8, ctypes.addressof(buffer))  # struct sock_fprog
    forbid_new_privileges()
    if _seccomp(SET_MODE_FILTER, TSYNC, header):
        raise OSError(ctypes.get_errno(), "the system call filter could not be installed")


def _seccomp(operation: int, flags: int, argument: object) -> int:
    number = SECCOMP[MACHINES[os.uname().machine][1]]
    numbers = map(ctypes.c_long, (number, operation, flags))
    result: int = ctypes.CDLL(None, use_errno=True).syscall(*numbers, argument)
    return result


def _program(machine: str, *, threads: bool = False) -> bytes:
    """Return the filter's steps, 8 bytes each."""
    architecture, column = MACHINES[machine]
    return b"".join(struct.pack("HBBI", *step) for step in _steps(architecture, column, threads))


def numbers_of(table: dict[str, tuple[int | None, ...]], column: int) -> Iterator[int]:
    return (number for numbers in table.values() if (number := numbers[column]) is not None)


def known_call(architecture: int) -> Iterator[Step]:
    """Load the call's number; kill on another table of calls, answer ENOSYS to newer calls."""
    yield LOAD, 0, 0, MACHINE_AT
    yield from ((EQUAL, 1, 0, architecture), (RETURN, 0, 0, KILL))
    yield LOAD, 0, 0, NUMBER_AT
    yield from ((GREATER, 0, 1, X32 - 1), (RETURN, 0, 0, KILL))
    yield from ((GREATER, 0, 1, NEWEST_KNOWN), (RETURN, 0, 0, UNKNOWN))


def _steps(architecture: int, column: int, threads: bool) -> Iterator[Step]:
    yield from known_call(architecture)
    for table, action in ((ALLOWED, ALLOW), (REFUSED, REFUSE)):
        for number in numbers_of(table, column):
            yield from ((EQUAL, 0, 1, number), (RETURN, 0, 0, action))
    for number in numbers_of(ALLOWED_WITHOUT_EXECUTION, column):
        yield from ((EQUAL, 0, 4, number), (LOAD, 0, 0, PROTECTION_AT))
        yield from ((ANY_BIT, 0, 1, PROT_EXEC), (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW))
    if threads:
        for number in numbers_of(ALLOWED_TO_THREADS, column):
            yield from ((EQUAL, 0, 1, number), (RETURN, 0, 0, ALLOW))
        yield from only_threads(column, KILL)
    yield RETURN, 0, 0, KILL


def only_threads(column: int, otherwise: int) -> Iterator[Step]:
    """Allow clone(2) of a thread; clone3(2), whose flags lie in memory, seems not to exist.

    `otherwise` is the answer to clone(2) of a process.
    """
    yield from ((EQUAL, 0, 1, CLONE3[column]), (RETURN, 0, 0, UNKNOWN))
    yield from ((EQUAL, 0, 4, CLONE[column]), (LOAD, 0, 0, ARGUMENT_AT))
    yield from ((ANY_BIT, 0, 1, CLONE_THREAD), (RETURN, 0, 0, ALLOW), (RETURN, 0, 0, otherwise))
