"""A command prefix that makes file permissions apply to root too."""

import os
import shutil

import pytest

# the two capabilities by which root may write and read anywhere
_DROPPED = ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--")
DROP_PRIVILEGES = () if os.name == "posix" and os.geteuid() else _DROPPED

needs_permissions = pytest.mark.skipif(
    os.name != "posix" or bool(DROP_PRIVILEGES and not shutil.which("setpriv")),
    reason="file permissions do not apply to the user who runs the tests",
)
