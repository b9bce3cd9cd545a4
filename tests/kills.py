"""Lets a process end by SIGKILL at a chosen step."""

import os
import signal


def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)


def dying_after(owner, name):
    """Replace a function of `owner` by one that calls it, and then kills the process."""
    call = getattr(owner, name)

    def called(*args, **more):
        call(*args, **more)
        die()

    setattr(owner, name, called)
