"""The modules of the service in a process that is not its own, if no others have their names."""

import importlib
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from . import HOME

NAMES = (
    "app",
    "blueprints",
    "crypto",
    "environment",
    "models",
    "operations",
    "server",
    "settings",
    "testing",
    "viewer",
    "webhooks",
)


def imported_testing() -> ModuleType:
    """Return the service's module `testing`; the service's folder is then the last on the path.

    Raises `ImportError` if the project has a module with the name of one of the service.
    """
    if str(HOME) not in sys.path:
        sys.path.append(str(HOME))
    for name in NAMES:
        spec = find_spec(name)
        found = Path(spec.origin).resolve() if spec and spec.origin else None
        if found is None or not found.is_relative_to(HOME):
            sys.path.remove(str(HOME))
            raise ImportError(
                f"The Document Service can't run in this process: {found or name} has the name of "
                f"its module {name!r}. The fixture document_service runs it in one of its own."
            )
    return importlib.import_module("testing")
