"""The service for the tests of another project: in their process, or in one that they control."""

import json
import os
import secrets
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from os import PathLike
from typing import Any

from flask import Flask
from flask.testing import FlaskClient

from app import main, running_app
from models import SCOPES, ApiKey, Event, User, connected, current_runtime
from models.background import delete_accounts, sweep
from models.core import set_clock_ahead
from models.events import SmtpClient
from webhooks import SafeHttpClient, send_due


class Controls:
    """The clock, the accounts and the background work of the instance that this process has open.

    Its clock stands at the machine's time until `move_clock`. Limits by time, as that of uploads
    an hour, do not follow it: switch them off by `RATE_LIMITS="off"`.
    """

    _ahead = timedelta()

    def add_account(
        self, email: str, password: str | None = None, scopes: tuple[str, ...] = SCOPES
    ) -> str:
        """Make an account, whatever REGISTRATION says, and return an API key of it.

        Without a `password` nobody can log in to it. Raises `EmailTaken`, and `Invalid` for a
        password that is too short.
        """
        with connected():
            user = User.register(email, password or secrets.token_hex(16), None, mode="open")
            return ApiKey.issue(user, "tests", " ".join(scopes), None).secret

    def move_clock(self, ahead: timedelta) -> None:
        """Let the service's time be so much later. What has ended by then has ended at once for
        callers, and is deleted by `run_background_work`. Raises `ValueError` for a step back.
        """
        if ahead < timedelta():
            raise ValueError("The clock of a service moves ahead only.")
        self._ahead += ahead
        set_clock_ahead(self._ahead // timedelta(milliseconds=1))

    def reset_clock(self) -> None:
        """Let the service's time be the machine's."""
        self._ahead = timedelta()
        set_clock_ahead(0)

    def run_background_work(self) -> int:
        """Do once what a served process does all the time, and return when it is done.

        It records what was read, deletes what has expired and the rows of deleted accounts, and
        attempts each delivery to a webhook that is due and each mail, if SMTP_URL is set; returns
        the number of these attempts. An attempt that fails is not an error: it is due again later,
        by the clock. A webhook on this machine needs `WEBHOOK_ALLOW`. Raises what the work
        raises, as `ExceptionGroup`.
        """
        Event.record_merged_readings(all=True)
        sweep()
        delete_accounts()
        allowed = current_runtime().settings.webhook_allow or ()
        return send_due(SafeHttpClient(allowed), SmtpClient.configured())


class ServiceInProcess(Controls):
    """An instance of the service, its WSGI application `app`, and a `client` for requests to it."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.client: FlaskClient = app.test_client()


@contextmanager
def service_in_process(
    instance_path: str | PathLike[str], **settings: str
) -> Iterator[ServiceInProcess]:
    """Open the instance in a folder, a new one if it is empty, for a `with` block.

    `settings` have the names of docs/operating.md, without prefix. One process runs one instance
    at a time: raises `OperatorError` for a second one, and as `app.running_app`.
    """
    with running_app({"INSTANCE_PATH": str(instance_path), **settings}) as app:
        try:
            yield ServiceInProcess(app)
        finally:
            set_clock_ahead(0)


def serve_controlled() -> None:
    """Serve as `app.main` does, and call `Controls` as the standard input says, until it ends.

    A line of the input is JSON: `method` and `arguments`. Each is answered on the standard output
    by a line with the `result` or the `error`; the first line there says where the service listens.
    """

    def begin(address: str) -> None:
        threading.Thread(target=_follow_input, args=(address,), daemon=True).start()

    main(when_ready=begin)


def _follow_input(address: str) -> None:
    controls = Controls()
    methods: dict[str, Callable[..., Any]] = {
        "add_account": controls.add_account,
        "move_clock": lambda seconds: controls.move_clock(timedelta(seconds=seconds)),
        "reset_clock": controls.reset_clock,
        "run_background_work": controls.run_background_work,
    }
    _answer(listens_on=address)
    for line in sys.stdin:
        call = json.loads(line)
        try:
            result = methods[call["method"]](**call["arguments"])
        except Exception as error:  # noqa: BLE001
            _answer(error=f"{type(error).__name__}: {error}")
        else:
            _answer(result=result)
    os.kill(os.getpid(), signal.SIGTERM)  # the tests have ended


def _answer(**facts: object) -> None:
    print(json.dumps(facts), flush=True)  # noqa: T201
