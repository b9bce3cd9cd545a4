"""A service for the tests of other projects: a process that the tests control.

It has a free port, a folder of its own, and a clock that a test moves. It ends when the process of
the tests ends, even if that is killed. Any test framework can use it; `pytest_plugin` has fixtures.
"""

import json
import os
import secrets
import subprocess
import sys
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from .client import Client

PREFIX = "DOCSERVICE_"
DEFAULTS = {"RATE_LIMITS": "off", "WEBHOOK_ALLOW": "127.0.0.0/8,::1/128", "CONVERTER": "off"}
_PROGRAM = (
    "from document_service.__main__ import enter_service; enter_service(); "
    "from testing import serve_controlled; serve_controlled()"
)


@dataclass(frozen=True)
class Account:
    """An account, and an API key of it."""

    email: str
    password: str
    key: str


class DocumentService:
    """A service at `url`, which runs from `start` to `stop`, or for a `with` block.

    `settings` have the names of docs/operating.md, without prefix. `key`, `email` and `password`
    belong to an account that is made when a test first asks for one of them.
    """

    def __init__(self, folder: Path, **settings: str) -> None:
        if sys.platform == "win32":
            raise NotImplementedError("The Document Service runs on Linux and macOS.")
        self.folder = folder
        self._log = folder / "log"
        own = {"INSTANCE_PATH": str(folder / "instance"), "LISTEN": "127.0.0.1:0"}
        self._settings = own | DEFAULTS | settings
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    def start(self) -> None:
        """Start it, and return when it answers. After `kill` it has the address that it had.

        Raises `RuntimeError` with what it has written if it does not start.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        others = {name: one for name, one in os.environ.items() if not name.startswith(PREFIX)}
        own = {PREFIX + name: value for name, value in self._settings.items()}
        with self._log.open("a") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM],
                env=others | own,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        address = self._answer()["listens_on"]
        self._settings["LISTEN"] = address
        self.url = f"http://{address}"

    def stop(self) -> None:
        """Let requests that run end, then end the process."""
        if self._process is not None:
            self._process.terminate()
            self._ended()

    def kill(self) -> None:
        """End it at once, as `kill -9` does."""
        if self._process is not None:
            self._process.kill()
            self._ended()

    def _ended(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.communicate()

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def __enter__(self) -> "DocumentService":
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def add_account(self, email: str | None = None, password: str | None = None) -> Account:
        """Make an account with an API key, whatever REGISTRATION says."""
        email = email or f"{secrets.token_hex(6)}@example.org"
        password = password or secrets.token_urlsafe(16)
        key = self._control("add_account", email=email, password=password)
        return Account(email, password, key)

    def move_clock(self, ahead: timedelta) -> None:
        """Let the service's time be so much later. Raises `RuntimeError` for a step back."""
        self._control("move_clock", seconds=ahead.total_seconds())

    def run_background_work(self) -> int:
        """Delete what has expired, and attempt each delivery and mail that is due; return how many.

        The process does so by itself all the time; a test need not wait for it.
        """
        return int(self._control("run_background_work"))

    def reset(self) -> None:
        """Forget the account, set the clock right, and start the service if it does not run."""
        self.__dict__.pop("account", None)
        if self.is_running:
            self._control("reset_clock")
        else:
            self.start()

    @cached_property
    def account(self) -> Account:
        return self.add_account()

    @property
    def key(self) -> str:
        return self.account.key

    @property
    def email(self) -> str:
        return self.account.email

    @property
    def password(self) -> str:
        return self.account.password

    @property
    def client(self) -> Client:
        return Client(self.url, self.key)

    @property
    def log(self) -> str:
        """What it has written so far."""
        return self._log.read_text(errors="replace")

    def _control(self, method: str, **arguments: Any) -> Any:
        calls, _ = self._pipes()
        calls.write(json.dumps({"method": method, "arguments": arguments}) + "\n")
        calls.flush()
        return self._answer()["result"]

    def _answer(self) -> dict[str, Any]:
        """Read a line. Raises `RuntimeError` with its error, or the log if it has ended."""
        _, answers = self._pipes()
        line = answers.readline()
        if not line:
            self._ended()
            raise RuntimeError(f"The Document Service has ended.\n{self.log[-4000:]}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def _pipes(self) -> tuple[IO[str], IO[str]]:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise RuntimeError("The Document Service does not run.")
        return process.stdin, process.stdout
