"""A running service: a process with settings, a port and an instance folder of its own."""

import contextlib
import http.client
import os
import re
import secrets
import signal
import socket
import sqlite3
import subprocess
import sys
from functools import cached_property
from pathlib import Path
from unittest.mock import patch

from app import create_app
from crypto import Keyring
from tests import openapi, postgres
from tests.forking import ForkedProcess
from tests.people import PASSWORD, Person
from tests.waiting import until

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 60


def app_of_commands(**config):
    """The application without routes: to add them takes longer than most commands."""
    with patch("app.BLUEPRINTS", ()), patch("app.CONSOLE", ()):
        return create_app(config)


class StartError(Exception):
    """The service ended before it answered; the text is what it wrote."""

    def __init__(self, exit_code, output):
        super().__init__(output)
        self.exit_code = exit_code


_PORTS = 2_500  # of each of the processes that run the tests
_given_ports = set()


def free_port():
    """Return a free port below those that the system gives to clients, which nobody else gets.

    So it is still free when the service starts, and when it starts again.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    first = 10_100 + worker % 8 * _PORTS  # Chromium refuses 10080
    while True:
        port = first + secrets.randbelow(_PORTS)
        with socket.socket() as probe, contextlib.suppress(OSError):
            if port not in _given_ports:
                probe.bind(("127.0.0.1", port))
                _given_ports.add(port)
                return port


class Service:
    """A running service with settings of its own."""

    wrapper = ()  # a command that starts the interpreter
    program = "import app\napp.main()"
    is_forked = True  # unless it has a wrapper
    running = set()  # the services whose logs `check_log` still has to read
    expected_errors = frozenset()  # full names of exceptions that the present test provokes

    engine = "sqlite"  # or "postgres": where services store that are not told

    def __init__(self, folder, **settings):
        if Service.engine == "postgres" and "DATABASE" not in settings:
            settings["DATABASE"] = postgres.server().new_database()
        self.instance, self.temporary = folder / "instance", folder / "tmp"
        self.server_url = settings["DATABASE"] if "://" in settings.get("DATABASE", "") else None
        if self.server_url and not any("KEYRING" in one for one in settings):
            self.instance.mkdir(mode=0o700)
            Keyring.create(self.instance / "keyring")  # no start on a server makes one
        self.temporary.mkdir()
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.settings, self.process = settings, None
        self._log, self._log_checked = folder / "stderr.log", 0
        self.start()

    def environment(self):
        """The variables that a process of this service gets.

        Processes may write bytecode: so a second start need not compile the modules again. A name
        server that is away delays no delivery, and so no stop, by more than a second.
        """
        dropped = ("DOCSERVICE_", "PYTHONDONTWRITEBYTECODE")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
        own = {"INSTANCE_PATH": self.instance, "LISTEN": f"127.0.0.1:{self.port}"}
        own |= {"CONVERTER": "off"} | self.settings  # the same pages with and without LibreOffice
        own = {f"DOCSERVICE_{name}": str(value) for name, value in own.items()}
        more = {"TMPDIR": str(self.temporary), "RES_OPTIONS": "timeout:1 attempts:1"}
        return kept | own | more

    def start(self):
        """Start the process, and wait until it answers."""
        self.process = self._process()
        Service.running.add(self)
        self.wait_until_it_answers()

    def _process(self):
        if self.is_forked and not self.wrapper:
            return ForkedProcess(self.program, ROOT, self.environment(), self._log)
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [*self.wrapper, sys.executable, "-c", self.program],
                cwd=ROOT,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def wait_until_it_answers(self):
        until(self._answers, START_SECONDS)

    def _answers(self):
        if self.process.poll() is not None:
            raise StartError(self.process.returncode, self.stderr())
        with contextlib.suppress(OSError, http.client.HTTPException):
            return Person(self).exchange("GET", "/healthz").status == 200
        return False

    @cached_property
    def description(self):
        """Its OpenAPI description."""
        return openapi.parsed(Person(self).exchange("GET", "/openapi.json").body)

    def check_log(self):
        """Assert that what was logged since the last check has no traceback but expected ones.

        The start of a line tells where a traceback ends: only the line that names the exception is
        not indented.
        """
        with self._log.open("rb") as log:
            log.seek(self._log_checked)
            logged = log.read()
        self._log_checked += len(logged)
        lines = logged.decode(errors="replace")
        raised = re.findall(r"^Traceback .*\n(?: .*\n|\n)*([\w.]*)", lines, re.M)
        assert not set(raised) - self.expected_errors, lines

    def stop(self):
        """Send SIGTERM, and return the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def kill(self):
        """Send SIGKILL, and wait for the end of the process."""
        self.process.kill()
        self.process.wait(60)

    def restart(self):
        self.stop()
        self.start()

    def close(self):
        """Stop the process if it runs, and check the rest of its log."""
        Service.running.discard(self)
        if self.process.poll() is None:
            try:
                self.stop()
            finally:
                self.kill()
        self.check_log()

    def run_command(self, *words, code=0, **options):
        """Run a command in this process, which is not the service's, and return what it printed."""
        with patch.dict(os.environ, self.environment(), clear=True):
            app = app_of_commands()
            try:
                done = app.test_cli_runner().invoke(args=[*map(str, words)], **options)
            finally:
                app.extensions["runtime"].close()
        assert isinstance(done.exception, SystemExit | None), done.exc_info
        assert done.exit_code == code, done.output
        return done.output

    def stderr(self):
        return self._log.read_text(errors="replace")

    def sql(self, statement, **values):
        """Execute a statement on its database, beside it.

        Return the rows, or the number of those that were changed. Values stand as `:name` in it.
        """
        if self.server_url:
            return postgres.execute(self.server_url, statement, values)
        file = self.instance / "documents.sqlite"
        with contextlib.closing(sqlite3.connect(file, timeout=60)) as database, database:
            cursor = database.execute(statement, values)
            return cursor.fetchall() if cursor.description else cursor.rowcount

    def columns(self, table):
        """The names of a table's columns."""
        on_server = "column_name FROM information_schema.columns WHERE table_name = :table"
        names = on_server if self.server_url else "name FROM pragma_table_info(:table)"
        return [name for (name,) in self.sql(f"SELECT {names}", table=table)]

    def files(self):
        """Return path -> content of every file of the instance, and of its database on a server."""
        folders = [self.instance]
        if self.server_url:
            folders.append(postgres.folder_of(self.server_url))
        paths = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
        return {path: path.read_bytes() for path in paths}

    def register(self, email=None, password=PASSWORD, **fields):
        """Register an account, and log in: two Argon2id hashes."""
        email = email or f"{secrets.token_hex(6)}@example.org"
        registered = Person(self).register(email, password, **fields)
        assert registered.status == 201, registered
        return self.log_in(email, password)

    def log_in(self, email, password=PASSWORD):
        """Return a person with a new session; `record` is the user."""
        answer = Person(self).log_in(email, password)
        assert answer.status == 200, answer
        person = Person(self).with_token(answer.json["accessToken"])
        person.record, person.password = answer.json["user"], password
        return person


class SyncingService(Service):
    """Hashes passwords with the least that Argon2id takes, and prepares nothing for a first view.

    The passwords of saved files take one round. It waits for the disk, as in operation.
    """

    program = """
from crypto import password_file, passwords
from unittest.mock import patch
import app
password_file.ROUNDS = 1
quick = passwords._argon2id().using(memory_cost=8, rounds=1)
passwords._argon2id = lambda: quick
with patch.object(app, "warm_up", lambda: None):  # fails if there is no such function
    app.main()
"""


class QuickService(SyncingService):
    """It does not wait for the disk."""

    program = f"""
from tests import quick_disk
quick_disk.use()
{SyncingService.program}"""


class ServiceWithViewer(QuickService):
    """Its own process forks the child processes of the viewer, as in operation."""

    program = f"""
from viewer.sandbox import process
process._fork_server._running = None
{QuickService.program}"""
