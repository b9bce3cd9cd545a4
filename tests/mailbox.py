"""A real SMTP server on this machine, which keeps the mails it gets, and certificates for it."""

import asyncio
import ssl
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from types import SimpleNamespace

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.service import free_port
from tests.waiting import until

USER, SECRET = "docs@example.org", "p@ss/w?rd#1%"
LOGIN = "docs%40example.org:p%40ss%2Fw%3Frd%231%25"
FROM, BASE = "docs@example.org", "https://docs.example.org"


def until_sent(service):
    """Wait until a service has no mail left to send."""
    until(lambda: service.sql("SELECT count(*) FROM mail") == [(0,)])


class Mailbox:
    """`answers` are the first answers to a recipient or (`at="DATA"`) to a whole mail; those after
    them are 250. With `tls` (a context) it takes STARTTLS, or TLS alone if `from_start`; with
    `login` only who knows the password. While it `holds`, it has a mail and does not answer.
    """

    def __init__(self, tls=None, from_start=False, login=False, answers=(), at="RCPT"):
        self.port, self.mails, self.logins, self.recipients = free_port(), [], [], []
        self.answers, self.at, self.holds = list(answers), at, False
        self._scheme = "smtps" if from_start else "smtp"
        self._how = {"ssl_context": tls} if from_start else {"tls_context": tls}
        self._how |= {"require_starttls": tls is not None and not from_start}
        self._how |= {"auth_required": login and not from_start, "auth_require_tls": not from_start}
        self._login = f"{LOGIN}@" if login else ""
        self._off = "" if tls else "&tls=off"

    def url(self, host="127.0.0.1"):
        return f"{self._scheme}://{self._login}{host}:{self.port}?from={FROM}{self._off}"

    def __enter__(self):
        self._controller = Controller(
            self, "127.0.0.1", self.port, authenticator=self._authenticated, **self._how
        )
        self._controller.start()
        return self

    def __exit__(self, *_):
        self.holds = False
        self._controller.stop()

    def wait_for(self, count, to=""):
        """Wait for so many mails, to this address if one is given, and return all of them."""
        until(lambda: len(self.mails_to(to)) >= count)
        return self.mails_to(to)

    def mails_to(self, address):
        return [mail for mail in self.mails if address in mail.to or not address]

    def _authenticated(self, _server, _session, _envelope, _mechanism, data):
        self.logins.append((data.login.decode(), data.password.decode()))
        return AuthResult(success=self.logins[-1] == (USER, SECRET), handled=False)

    def _answer(self, at):
        return self.answers.pop(0) if at == self.at and self.answers else None

    async def handle_RCPT(self, _server, _session, envelope, address, _options):
        self.recipients.append(address)
        if answer := self._answer("RCPT"):
            return answer
        envelope.rcpt_tos.append(address)
        return "250 fine"

    async def handle_DATA(self, _server, session, envelope):
        answer = self._answer("DATA")
        message = message_from_bytes(envelope.content, policy=policy.default)
        given = {"sender": envelope.mail_from, "to": envelope.rcpt_tos, "raw": envelope.content}
        text = message.get_body().get_content().replace("\r\n", "\n")
        mail = SimpleNamespace(
            **given,
            headers=message,
            text=text,
            tls=session.ssl is not None or "ssl_context" in self._how,
        )
        self.mails.append(mail)
        while self.holds:
            await asyncio.sleep(0.01)
        return answer or "250 taken"


def certificate(folder, name="localhost", days=30):
    """A server's context with a certificate for this name, signed by itself, and its file."""
    key, who = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(who, who, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=60))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=True)
        .sign(key, hashes.SHA256())
    )
    form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    file = folder / f"{name}.{days}.pem"
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, *form)
        + made.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context, file
