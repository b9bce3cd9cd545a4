"""The client of the server of the setting SMTP_URL: by TLS, with certificate and name checked, and
with one deadline for the whole session.
"""

import smtplib
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from email.message import EmailMessage
from typing import Any, Self

from settings import SmtpServer

from ..runtime import current_runtime
from .attempt import Outcome, failure_of

CONNECT_SECONDS = 5
DEADLINE_SECONDS = 15  # less than a claim lasts
ANSWER_CHARACTERS = 1024


class _Session(smtplib.SMTP):
    """A session that waits for answers until its deadline, by the monotonic clock."""

    def __init__(self, deadline: float, host: str, port: int, **how: Any) -> None:
        self._deadline = deadline
        super().__init__(host, port, timeout=CONNECT_SECONDS, **how)

    def getreply(self) -> tuple[int, bytes]:
        left_seconds = self._deadline - time.monotonic()
        if self.sock is None or left_seconds <= 0:
            raise TimeoutError
        self.sock.settimeout(left_seconds)
        return super().getreply()


class _TlsSession(_Session, smtplib.SMTP_SSL):
    """A session by TLS from the start."""


class SmtpClient:
    def __init__(
        self,
        server: SmtpServer,
        *,
        tls: Callable[[], ssl.SSLContext] = ssl.create_default_context,
        deadline_seconds: float = DEADLINE_SECONDS,
    ) -> None:
        self._server = server
        self._tls = tls
        self._deadline_seconds = deadline_seconds

    @classmethod
    def configured(cls) -> Self | None:
        """Return the client of the setting; None if the service sends no mail."""
        server = current_runtime().settings.smtp_url
        return cls(server) if server else None

    def send(self, message: EmailMessage) -> Outcome:
        """Send a mail. A failure is an outcome with an error, not an exception.

        A mail is refused for good if the server answers it with 5xx; an answer to the connection or
        the login does not count.
        """
        started_at = time.monotonic()
        result = {}
        try:
            with self._session() as session:
                result = _hand_over(session, self._server.sender, message)
        except (OSError, ValueError) as error:
            result = result or {"error": self._sentence(error)}
        return Outcome(duration_ms=round((time.monotonic() - started_at) * 1000), **result)

    def problem(self) -> str:
        """Connect, greet, log in and send nothing; return why it fails, or ''."""
        try:
            with self._session() as session:
                session.noop()
        except (OSError, ValueError) as error:
            return self._sentence(error)
        return ""

    @contextmanager
    def _session(self) -> Iterator[smtplib.SMTP]:
        server = self._server
        deadline = time.monotonic() + self._deadline_seconds
        kind: Any = _TlsSession if server.tls == "smtps" else _Session
        how = {"context": self._tls()} if server.tls == "smtps" else {}
        domain = server.sender.rpartition("@")[2]
        session = kind(deadline, server.host, server.port, local_hostname=domain, **how)
        try:
            if server.tls == "starttls":
                session.starttls(context=self._tls())
            session.ehlo_or_helo_if_needed()
            if server.user:
                session.login(server.user, server.password or "")
            yield session
            with suppress(OSError):  # the answer counts
                session.quit()
        finally:
            session.close()

    def _sentence(self, error: Exception) -> str:
        if isinstance(error, smtplib.SMTPNotSupportedError):
            return "The server offers no STARTTLS, or no login that is known here."
        if isinstance(error, smtplib.SMTPAuthenticationError):
            return f"The server does not take this user and password ({error.smtp_code})."
        if isinstance(error, smtplib.SMTPResponseException):
            return f"The server answered {error.smtp_code} before it was given the mail."
        return failure_of(error, self._deadline_seconds)


def _hand_over(session: smtplib.SMTP, sender: str, message: EmailMessage) -> dict[str, Any]:
    """Send the message, and return the status and answer of the server."""
    code: int = 250
    text: Any = b""
    try:
        session.sendmail(sender, [str(message["To"])], message.as_bytes())
    except smtplib.SMTPRecipientsRefused as refused:
        ((code, text),) = refused.recipients.values()
    except (smtplib.SMTPSenderRefused, smtplib.SMTPDataError) as refused:
        code = refused.smtp_code
        text = refused.smtp_error
    answer = text.decode(errors="replace")[:ANSWER_CHARACTERS]
    return {"status": code, "answer": answer, "for_good": code >= 500}
