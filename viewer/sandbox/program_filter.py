"""A seccomp filter for a program that is not ours, an office suite: an allow-list.

Permitted is what works on the process itself and on files it has opened, and what Landlock holds
where it names files by path. All else fails with EPERM: what changes or watches files without
opening them (mode, owner, times, attributes), which Landlock does not hold; connections, new
processes, other processes' signals, memory, priority and shared memory; administration of the
kernel. The filter of `seccomp`, for our own code, is shorter and kills.
"""

import os
import struct
from collections.abc import Iterator, Sequence
from typing import Final

from . import seccomp
from .seccomp import ALLOW, EQUAL, LOAD, REFUSE, RETURN, Step

PERMITTED: Final = seccomp.calls("""
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
SOCKET, AF_UNIX, PRLIMIT, ITSELF = (41, 198), 1, (302, 261), 0
# Commands, the second argument, that have the kernel send signals to another process or watch a
# folder: F_SETOWN, F_SETSIG, F_SETOWN_EX, F_NOTIFY; FIOSETOWN, SIOCSPGRP.
FCNTL, IOCTL, COMMAND_AT = (72, 25), (16, 29), 24
SIGNALS: Final = ((FCNTL, (8, 10, 15, 1026)), (IOCTL, (0x8901, 0x8902)))
# access(2) and faccessat(2), whether something may be written: by "no" LibreOffice learns that it
# can't have its socket in /tmp. Landlock does not filter this question.
ACCESS, MODE_AT, W_OK = (21, 48), (24, 32), 2


def program() -> bytes:
    """Return the filter's steps, 8 bytes each, for this machine; KeyError if it is unknown."""
    architecture, column = seccomp.MACHINES[os.uname().machine]
    return b"".join(struct.pack("HBBI", *step) for step in _steps(architecture, column))


def _steps(architecture: int, column: int) -> Iterator[Step]:
    yield from seccomp.known_call(architecture)
    for number in seccomp.numbers_of(PERMITTED, column):
        yield from ((EQUAL, 0, 1, number), (RETURN, 0, 0, ALLOW))
    for numbers, only in ((SOCKET, AF_UNIX), (PRLIMIT, ITSELF)):
        yield from ((EQUAL, 0, 4, numbers[column]), (LOAD, 0, 0, seccomp.ARGUMENT_AT))
        yield from ((EQUAL, 0, 1, only), (RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE))
    for numbers, commands in SIGNALS:
        yield from _without(numbers[column], COMMAND_AT, commands)
    yield from _without(ACCESS[column], MODE_AT[column], (W_OK,))
    yield from seccomp.only_threads(column, REFUSE)
    yield RETURN, 0, 0, REFUSE


def _without(number: int, at: int, refused: Sequence[int]) -> Iterator[Step]:
    """Allow a call, unless its argument there is one of these."""
    yield from ((EQUAL, 0, len(refused) + 3, number), (LOAD, 0, 0, at))
    for distance, value in zip(range(len(refused), 0, -1), refused, strict=True):
        yield EQUAL, distance, 0, value
    yield from ((RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE))
