"""Imports pyseto without the C parser of cffi, which Cryptodome would start with us.

Where cffi is not installed Cryptodome calls its libraries by ctypes, and so it does here: a
twentieth of the service's start is saved.
"""

import sys
from typing import Any, cast

_modules = cast(dict[str, Any], sys.modules)
_is_imported = "cffi" in _modules
if not _is_imported:
    _modules["cffi"] = None  # as if it was not installed
import pyseto as pyseto  # noqa: E402, PLC0414  for those who import it from here

if not _is_imported:
    del _modules["cffi"]
