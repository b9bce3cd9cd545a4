"""The service in the process of another project's tests; docs/testing.md has the fixtures."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from os import PathLike

from flask import Flask
from flask.testing import FlaskClient

from app import running_app
from models import SCOPES, ApiKey, Event, User, connected, current_runtime
from models.background import sweep
from models.core import set_clock_ahead
from models.events import SmtpClient
from webhooks import SafeHttpClient, send_due


class ServiceInProcess:
    """An instance of the service, its WSGI application `app`, and a `client` for requests to it.

    Its clock stands at the machine's time until `move_clock`. Limits by time, as that of uploads
    an hour, do not follow it: switch them off by `RATE_LIMITS="off"`.
    """

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.client: FlaskClient = app.test_client()
        self._ahead = timedelta()

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

    def run_background_work(self) -> int:
        """Do once what a served process does all the time, and return when it is done.

        It records what was read, deletes what has expired, and attempts each delivery to a webhook
        that is due and each mail, if SMTP_URL is set; returns the number of these attempts. An
        attempt that fails is not an error: it is due again later, by the clock. A webhook on this
        machine needs `WEBHOOK_ALLOW`. Raises what the work raises, as `ExceptionGroup`.
        """
        Event.record_merged_readings(all=True)
        sweep()
        allowed = current_runtime().settings.webhook_allow or ()
        return send_due(SafeHttpClient(allowed), SmtpClient.configured())


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
