"""`mail test` sends one mail, and says what the server answered."""

from dataclasses import replace

from settings import read_settings
from tests.mailbox import Mailbox
from tests.service import ROOT


def test_a_mail_is_sent_at_once_or_the_command_says_why_not(run, app):
    def send(address="ada@example.org"):
        result = run("mail", "test", address)
        return result.exit_code, result.output

    assert send() == (1, "Error: This service sends no mail: set DOCSERVICE_SMTP_URL.\n")
    with Mailbox(answers=["550 unknown here"]) as box:
        given = {"SMTP_URL": box.url(), "BASE_URL": "http://x"}
        runtime = app.extensions["runtime"]
        server = read_settings({}, given, ROOT).smtp_url
        runtime.settings = replace(runtime.settings, smtp_url=server, base_url="http://x")

        assert send("no address")[0] == 1
        assert send() == (1, "Error: 550: unknown here\n")
        assert send()[0] == 0
        assert box.mails[0].to == ["ada@example.org"]
    assert send() == (1, "Error: The connection was refused.\n")
