"""The package that is installed. Its command `document-service` runs the service.

The service itself is not part of the package's modules. `HOME` is the folder with `app.py`: in a
wheel `service/` beside this file, else the checkout. It is on the path of a process that serves or
runs a command, and of no other: nobody else finds `models` or `crypto` there.
"""

from pathlib import Path

_HERE = Path(__file__).resolve().parent
_IN_WHEEL = _HERE / "service"
IS_CHECKOUT = not _IN_WHEEL.is_dir()
HOME = _HERE.parent if IS_CHECKOUT else _IN_WHEEL
