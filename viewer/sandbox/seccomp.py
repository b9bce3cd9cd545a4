"""Two seccomp filters: the kernel permits a process only the calls that its work needs.

That of a parser is an allow-list, installed after the last import so that it stays short: memory,
time, the pipes that are already open, exit. Calls that a library may try and can do without fail
with EPERM: every way to open or examine a file, and making memory executable. All other calls kill
the process: none of its libraries makes one, so it runs somebody else's code.

That of a program that is not ours, an office suite, permits what works on the process itself and on
files it has opened, and what Landlock holds where it names files by path. All else fails with
EPERM: what changes or watches files without opening them (mode, owner, times, attributes), which
Landlock does not hold; connections, new processes, other processes' signals, memory, priority and
shared memory; administration of the kernel.

Calls that are newer than these tables fail with ENOSYS, as on an older kernel, so that a newer C
library falls back.

Sources: linux/seccomp.h, linux/filter.h, linux/audit.h, asm/unistd_64.h, asm-generic/unistd.h.
"""

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from .confinement import forbid_new_privileges

Calls = dict[str, tuple[int | None, ...]]  # name -> its number, on each of MACHINES
Step = tuple[int, int, int, int]  # of the filter: code, jumps if true and false, operand

MACHINES: Final = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}  # AUDIT_ARCH, column
SECCOMP: Final = (317, 277)


def _calls(table: str) -> Calls:
    """Parse `name=x86_64,aarch64`: the numbers of a call, `-` where a machine has none."""
    pairs = (entry.split("=") for entry in table.split())
    return {
        name: tuple(int(number) if number != "-" else None for number in numbers.split(","))
        for name, numbers in pairs
    }


ALLOWED: Final = _calls("""
    write=1,64 brk=12,214 munmap=11,215 mremap=25,216 madvise=28,233 futex=202,98 read=0,63
    writev=20,66 lseek=8,62 fstat=5,80 close=3,57 getrandom=318,278 clock_gettime=228,113
    gettimeofday=96,169 time=201,- sched_yield=24,124 getpid=39,172 gettid=186,178
    rt_sigaction=13,134 rt_sigprocmask=14,135 rt_sigreturn=15,139 restart_syscall=219,128
    exit=60,93 exit_group=231,94
""")
ALLOWED_WITHOUT_EXECUTION: Final = _calls("mmap=9,222 mprotect=10,226")
REFUSED: Final = _calls("""
    open=2,- openat=257,56 openat2=437,437 stat=4,- lstat=6,- newfstatat=262,79 statx=332,291
    access=21,- faccessat=269,48 faccessat2=439,439 readlink=89,- readlinkat=267,78 getcwd=79,17
    ioctl=16,29 fcntl=72,25 uname=63,160 sysinfo=99,179 prctl=157,167 prlimit64=302,261
    getrlimit=97,163 getrusage=98,165 sched_getaffinity=204,123 sigaltstack=131,132
""")
ALLOWED_TO_THREADS: Final = _calls("set_robust_list=273,99 rseq=334,293")
PERMITTED: Final = _calls("""
    read=0,63 write=1,64 readv=19,65 writev=20,66 pread64=17,67 pwrite64=18,68 preadv=295,69
    pwritev=296,70 preadv2=327,286 pwritev2=328,287 lseek=8,62 close=3,57 close_range=436,436
    open=2,- openat=257,56 openat2=437,437 creat=85,- stat=4,- lstat=6,- fstat=5,80
    newfstatat=262,79 statx=332,291 statfs=137,43 fstatfs=138,44 faccessat2=439,439 readlink=89,-
    readlinkat=267,78 getcwd=79,17 chdir=80,49 fchdir=81,50 getdents=78,- getdents64=217,61
    mkdir=83,- mkdirat=258,34 rmdir=84,- rename=82,- renameat=264,38 renameat2=316,276 link=86,-
    linkat=265,37 unlink=87,- unlinkat=263,35 symlink=88,- symlinkat=266,36 ftruncate=77,46
    fallocate=285,47 fsync=74,82 fdatasync=75,83 sync_file_range=277,84 flock=73,32 umask=95,166
    dup=32,23 dup2=33,- dup3=292,24 pipe=22,- pipe2=293,59 sendfile=40,71 splice=275,76 tee=276,77
    copy_file_range=326,285 readahead=187,213 fadvise64=221,223
    poll=7,- ppoll=271,73 select=23,- pselect6=270,72 epoll_create=213,- epoll_create1=291,20
    epoll_ctl=233,21 epoll_wait=232,- epoll_pwait=281,22 epoll_pwait2=441,441 eventfd=284,-
    eventfd2=290,19 signalfd=282,- signalfd4=289,74 timerfd_create=283,85 timerfd_settime=286,86
    timerfd_gettime=287,87
    mmap=9,222 mprotect=10,226 munmap=11,215 mremap=25,216 madvise=28,233 msync=26,227
    mincore=27,232 brk=12,214 mlock=149,228 munlock=150,229 mlock2=325,284 get_mempolicy=239,236
    membarrier=324,283 pkey_mprotect=329,288 pkey_alloc=330,289 pkey_free=331,290
    map_shadow_stack=453,453 mseal=462,462
    socketpair=53,199 bind=49,200 listen=50,201 accept=43,202 accept4=288,242 getsockname=51,204
    getpeername=52,205 setsockopt=54,208 getsockopt=55,209 shutdown=48,210 recvfrom=45,207
    recvmsg=47,212 recvmmsg=299,243
    futex=202,98 futex_waitv=449,449 futex_wake=454,454 futex_wait=455,455 futex_requeue=456,456
    set_robust_list=273,99 set_tid_address=218,96 rseq=334,293 sched_yield=24,124
    sched_getaffinity=204,123 sched_getparam=143,121 sched_getscheduler=145,120
    sched_get_priority_max=146,125 sched_get_priority_min=147,126 sched_rr_get_interval=148,127
    getcpu=309,168 getpriority=140,141
    execve=59,221 exit=60,93 exit_group=231,94 wait4=61,260 waitid=247,95 getpid=39,172
    getppid=110,173 gettid=186,178 getpgid=121,155 getpgrp=111,- getsid=124,156 getuid=102,174
    geteuid=107,175 getgid=104,176 getegid=108,177 getgroups=115,158 getresuid=118,148
    getresgid=120,150 capget=125,90 getrlimit=97,163 setrlimit=160,164 getrusage=98,165
    times=100,153 uname=63,160 sysinfo=99,179 prctl=157,167 arch_prctl=158,- getrandom=318,278
    rt_sigaction=13,134 rt_sigprocmask=14,135 rt_sigreturn=15,139 rt_sigpending=127,136
    rt_sigtimedwait=128,137 rt_sigsuspend=130,133 sigaltstack=131,132 restart_syscall=219,128
    pause=34,- alarm=37,- getitimer=36,102 setitimer=38,103 timer_create=222,107
    timer_settime=223,110 timer_gettime=224,108 timer_getoverrun=225,109 timer_delete=226,111
    clock_gettime=228,113 clock_getres=229,114 clock_nanosleep=230,115 nanosleep=35,101
    gettimeofday=96,169 time=201,-
""")
# Calls permitted only with this first argument: sockets within the machine, the process itself.
SOCKET: Final = (41, 198)
AF_UNIX: Final = 1
PRLIMIT: Final = (302, 261)
ITSELF: Final = 0
# Commands, the second argument, that have the kernel send signals to another process or watch a
# folder: F_SETOWN, F_SETSIG, F_SETOWN_EX, F_NOTIFY; FIOSETOWN, SIOCSPGRP.
FCNTL: Final = (72, 25)
IOCTL: Final = (16, 29)
COMMAND_AT: Final = 24
SIGNALS: Final = ((FCNTL, (8, 10, 15, 1026)), (IOCTL, (0x8901, 0x8902)))
# access(2) and faccessat(2), whether something may be written: by "no" LibreOffice learns that it
# can't have its socket in /tmp. Landlock does not filter this question.
ACCESS: Final = (21, 48)
MODE_AT: Final = (24, 32)
W_OK: Final = 2
CLONE: Final = (56, 220)
CLONE3: Final = (435, 435)
NEWEST_KNOWN: Final = 469  # file_setattr, Linux 6.17; numbers above 423 are the same everywhere
X32: Final = 0x4000_0000  # the bit that selects a second table of calls on x86_64

# BPF instructions.
LOAD: Final = 0x20
EQUAL: Final = 0x15
GREATER: Final = 0x25
ANY_BIT: Final = 0x45
RETURN: Final = 0x06
# Offsets in struct seccomp_data.
NUMBER_AT: Final = 0
MACHINE_AT: Final = 4
ARGUMENT_AT: Final = 16  # args[0], as of clone(2)
PROTECTION_AT: Final = 32  # args[2], as of mmap(2)
# Answers to a call.
KILL: Final = 0x8000_0000
ALLOW: Final = 0x7FFF_0000
REFUSE: Final = 0x0005_0000 | errno.EPERM
UNKNOWN: Final = 0x0005_0000 | errno.ENOSYS
PROT_EXEC: Final = 4
CLONE_THREAD: Final = 0x10000
# Operations of seccomp(2), and a flag.
SET_MODE_FILTER: Final = 1
GET_ACTION_AVAIL: Final = 2
TSYNC: Final = 1


def seccomp_available() -> bool:
    """Whether this kernel, machine and container let a process install the filter."""
    if sys.platform != "linux" or os.uname().machine not in MACHINES or sys.maxsize < 1 << 32:
        return False
    return _seccomp(GET_ACTION_AVAIL, 0, ctypes.byref(ctypes.c_uint32(KILL))) == 0


def restrict_system_calls(*, threads: bool = False) -> None:
    """Install the filter in all threads, for good; where there is no seccomp, do nothing.

    With `threads`, for a library that decodes in a thread of its own, new threads are allowed;
    they have the same filter. Raises OSError if the kernel offers seccomp, but not the filter.
    """
    if seccomp_available():
        install(parser_filter(os.uname().machine, threads=threads))


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


def parser_filter(machine: str, *, threads: bool = False) -> bytes:
    """Return the steps of the filter for our own code."""
    architecture, column = MACHINES[machine]
    return _packed(architecture, _parser_steps(column, threads))


def program_filter(machine: str) -> bytes:
    """Return the steps of the filter for a program; KeyError if the machine is unknown."""
    architecture, column = MACHINES[machine]
    return _packed(architecture, _program_steps(column))


def _packed(architecture: int, steps: Iterator[Step]) -> bytes:
    """Load the call's number; kill on another table of calls, answer ENOSYS to newer calls."""
    start = (
        (LOAD, 0, 0, MACHINE_AT),
        (EQUAL, 1, 0, architecture),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER_AT),
        (GREATER, 0, 1, X32 - 1),
        (RETURN, 0, 0, KILL),
        (GREATER, 0, 1, NEWEST_KNOWN),
        (RETURN, 0, 0, UNKNOWN),
    )
    return b"".join(struct.pack("HBBI", *step) for step in (*start, *steps))


def _parser_steps(column: int, threads: bool) -> Iterator[Step]:
    yield from _answers(ALLOWED, column, ALLOW)
    yield from _answers(REFUSED, column, REFUSE)
    for number in _numbers(ALLOWED_WITHOUT_EXECUTION, column):
        yield EQUAL, 0, 4, number
        yield LOAD, 0, 0, PROTECTION_AT
        yield ANY_BIT, 0, 1, PROT_EXEC
        yield RETURN, 0, 0, REFUSE
        yield RETURN, 0, 0, ALLOW
    if threads:
        yield from _answers(ALLOWED_TO_THREADS, column, ALLOW)
        yield from _only_threads(column, KILL)
    yield RETURN, 0, 0, KILL


def _program_steps(column: int) -> Iterator[Step]:
    yield from _answers(PERMITTED, column, ALLOW)
    for numbers, only in ((SOCKET, AF_UNIX), (PRLIMIT, ITSELF)):
        yield EQUAL, 0, 4, numbers[column]
        yield LOAD, 0, 0, ARGUMENT_AT
        yield EQUAL, 0, 1, only
        yield RETURN, 0, 0, ALLOW
        yield RETURN, 0, 0, REFUSE
    for numbers, commands in SIGNALS:
        yield from _without(numbers[column], COMMAND_AT, commands)
    yield from _without(ACCESS[column], MODE_AT[column], (W_OK,))
    yield from _only_threads(column, REFUSE)
    yield RETURN, 0, 0, REFUSE


def _numbers(table: Calls, column: int) -> Iterator[int]:
    return (number for numbers in table.values() if (number := numbers[column]) is not None)


def _answers(table: Calls, column: int, answer: int) -> Iterator[Step]:
    for number in _numbers(table, column):
        yield EQUAL, 0, 1, number
        yield RETURN, 0, 0, answer


def _without(number: int, at: int, refused: Sequence[int]) -> Iterator[Step]:
    """Allow a call, unless its argument there is one of these."""
    yield EQUAL, 0, len(refused) + 3, number
    yield LOAD, 0, 0, at
    for distance, value in zip(range(len(refused), 0, -1), refused, strict=True):
        yield EQUAL, distance, 0, value
    yield RETURN, 0, 0, ALLOW
    yield RETURN, 0, 0, REFUSE


def _only_threads(column: int, otherwise: int) -> Iterator[Step]:
    """Allow clone(2) of a thread; clone3(2), whose flags lie in memory, seems not to exist.

    `otherwise` is the answer to clone(2) of a process.
    """
    yield EQUAL, 0, 1, CLONE3[column]
    yield RETURN, 0, 0, UNKNOWN
    yield EQUAL, 0, 4, CLONE[column]
    yield LOAD, 0, 0, ARGUMENT_AT
    yield ANY_BIT, 0, 1, CLONE_THREAD
    yield RETURN, 0, 0, ALLOW
    yield RETURN, 0, 0, otherwise
