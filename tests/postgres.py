"""A PostgreSQL server of the tests' own: on a Unix socket, in a temporary folder, gone afterwards.

The server refuses to run as root: then it runs as `postgres` or `nobody`.
"""

import atexit
import os
import pwd
import re
import shutil
import subprocess
import tempfile
from functools import cache
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

OPTIONS = {
    "listen_addresses": "''",
    "fsync": "off",
    "full_page_writes": "off",
    "max_connections": "300",
    "shared_buffers": "64MB",
    "max_prepared_transactions": "0",
}


class NoPostgres(Exception):
    """Why there is no server here; for the person who reads why tests were skipped."""


@cache
def server():
    """The server of this process. Raises `NoPostgres`."""
    running = PostgresServer()
    atexit.register(running.remove)
    return running


class PostgresServer:
    def __init__(self):
        self._programs, self._user = _programs(), _user()
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))  # a socket's path has at most 107 bytes
        if self._user:
            os.chown(self.folder, self._user.pw_uid, self._user.pw_gid)
        listed = subprocess.run(["locale", "-a"], check=False, capture_output=True, text=True)
        locale = "en_US.UTF-8" if "en_US.utf8" in listed.stdout else "C.UTF-8"
        self._run(
            "initdb", "-D", "data", "-A", "trust", "-U", "postgres", "-N", f"--locale={locale}"
        )
        self._names = count(1)
        self.start()

    def start(self):
        options = " ".join(f"-c {name}={value}" for name, value in OPTIONS.items())
        self._run(
            "pg_ctl", "-D", "data", "-o", f"-k {self.folder} {options}", "-l", "log", "-w", "start"
        )

    def stop(self, mode="fast"):
        self._run("pg_ctl", "-D", "data", "-m", mode, "-w", "stop")

    def restart(self):
        self.stop()
        self.start()

    def remove(self):
        words = "pg_ctl", "-D", "data", "-m", "immediate", "stop"
        subprocess.run(check=False, **self._command(*words))
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database="postgres"):
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def new_database(self):
        """The URL of an empty database."""
        # nobody connects to template0, not even autovacuum, which a copy would have to wait for
        return self._copy_of("template0")

    def copy_of(self, url):
        """The URL of a copy of a database, to which nobody may be connected."""
        return self._copy_of(urlsplit(url).path.removeprefix("/"))

    def _copy_of(self, template):
        name = f"test_{next(self._names)}"
        execute(self.url(), f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.url(name)

    def files(self):
        """Every byte of its files, log included."""
        return (path.read_bytes() for path in self.folder.rglob("*") if path.is_file())

    def _run(self, *words):
        """Run a program, whose output goes to a file: a server that it starts keeps it open."""
        with (self.folder / "output").open("w+b") as output:
            to_file = {"stdout": output, "stderr": subprocess.STDOUT}
            done = subprocess.run(check=False, **self._command(*words) | to_file)
            output.seek(0)
            assert done.returncode == 0, f"{words}: {output.read().decode()}{self._end_of_log()}"

    def _end_of_log(self):
        log = self.folder / "log"
        return "\n" + log.read_text(errors="replace")[-3000:] if log.exists() else ""

    def _command(self, program, *words):
        return {"args": [self._programs / program, *words]} | self.as_its_user()

    def as_its_user(self):
        """Keywords that let `subprocess` run a program in its folder, quietly."""
        who = self._user and {"user": self._user.pw_uid, "group": self._user.pw_gid}
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "PGCTLTIMEOUT": "180"}
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return {"cwd": self.folder, "env": environment} | (who or {}) | quiet


def execute(url, statement, values=None):
    """Rows that a statement returns, else the number of those that it has changed.

    Values stand as `:name` in it.
    """
    import psycopg  # noqa: PLC0415  an extra

    if values:
        statement = re.sub(rf":({'|'.join(values)})\b", r"%(\1)s", statement)
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement, values or None)
        return cursor.fetchall() if cursor.description else cursor.rowcount


def folder_of(url):
    """The folder of a database's files, into which everything was written."""
    execute(url, "CHECKPOINT")
    query = "SELECT current_setting('data_directory'), oid FROM pg_database WHERE datname = "
    ((folder, id),) = execute(url, query + "current_database()")
    return Path(folder, "base", str(id))


def _programs():
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parts[-2]))
    if debian:
        return debian[-1]
    if found := shutil.which("initdb"):
        return Path(found).parent
    raise NoPostgres("no PostgreSQL here: apt-get install postgresql")


def _user():
    if os.geteuid():
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise NoPostgres("PostgreSQL does not run as root, and there is no user postgres or nobody")
