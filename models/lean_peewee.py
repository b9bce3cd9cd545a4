"""The import of peewee without the drivers that it looks for, used or not: psycopg takes 90 ms of
CPU time and 16 MiB, more than all of peewee. `storage/postgres.py` hands it over.
"""

import sys
from importlib import import_module
from typing import Any

_modules: dict[str, Any] = sys.modules
_drivers = {"psycopg", "psycopg2", "psycopg2cffi", "pymysql", "MySQLdb"} - _modules.keys()

_modules.update(dict.fromkeys(_drivers))  # None: not to be imported
for _name in ("peewee", "playhouse.migrations"):
    import_module(_name)
for _name in _drivers:
    del _modules[_name]
