"""A process whom permissions bind, also if root starts it."""

import os
import shutil

import pytest

# root may write anywhere by these two rights; without them it is a user like others
_DROPPED = ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--")
BOUND = () if os.name == "posix" and os.geteuid() else _DROPPED

needs_permissions = pytest.mark.skipif(
    os.name != "posix" or bool(BOUND and not shutil.which("setpriv")),
    reason="permissions do not bind whom runs this",
)
