"""Mail: what is stored, what the server is given, how often, and when it is given up."""

import logging
import ssl
import time
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest

from models import database
from models.background import sweep
from models.core import now
from models.events import Mail, MailLimit, SmtpClient, is_mail_address
from models.storage import SERVICE
from operations import verification
from settings import Settings, WrongSetting, read_settings
from tests.mailbox import FROM, SECRET, USER, Mailbox, certificate
from tests.waiting import until
from webhooks import Dispatcher, DispatcherLimits, SafeHttpClient

ADA = "ada.lovelace@example.org"
BASE = "https://docs.example.org"
DAY_MS = 86_400_000


def settings_of(url, **more):
    return read_settings({}, {"SMTP_URL": url, "BASE_URL": BASE} | more, Settings().instance_path)


@pytest.fixture
def send(instance, runtime):
    """Starts a dispatcher that sends to this server."""
    running = []

    def start(url, tls=ssl.create_default_context, **limits):
        server = settings_of(url).smtp_url
        runtime.settings = replace(runtime.settings, smtp_url=server, base_url=BASE)
        limits = DispatcherLimits(**{"retries_seconds": (0.01,) * 9} | limits)
        mailer = SmtpClient(server, tls=tls)
        running.append(Dispatcher(SafeHttpClient(), limits, mailer))
        return running[-1]

    yield start
    for one in running:
        one.stop()


def enqueue(
    owner, kind="invitation", address=ADA, text="Open https://docs.example.org/x?y=z", **more
):
    return Mail.enqueue(owner.id, kind, address, "Gruß an Ada", text, **more)


def waiting():
    return Mail.select().count()


def test_a_mail_arrives_as_plain_text_from_the_address_of_the_setting_and_its_row_is_deleted(
    alice, send, tmp_path
):
    tls, file = certificate(tmp_path)
    trusting = partial(ssl.create_default_context, cafile=file)
    for from_start in (False, True):
        with Mailbox(tls, from_start, login=True) as box:
            running = send(box.url("localhost"), trusting)
            enqueue(alice)
            (mail,) = box.wait_for(1)
            until(lambda: waiting() == 0)
            running.stop()

        headers = dict(mail.headers.items())
        assert (mail.sender, mail.to, box.logins, mail.tls) == (FROM, [ADA], [(USER, SECRET)], True)
        assert (headers["From"], headers["To"]) == (f"Document Service <{FROM}>", ADA)
        assert (headers["Subject"], headers["Auto-Submitted"]) == ("Gruß an Ada", "auto-generated")
        assert mail.headers.get_content_type() == "text/plain"
        assert mail.headers["Message-ID"].startswith("<mal_")
        assert mail.text == (
            f"Open https://docs.example.org/x?y=z\n\n-- \nDocument Service, {BASE}\n"
        )


def test_nothing_is_sent_to_a_server_that_does_not_prove_who_it_is(alice, send, tmp_path, caplog):
    trusted, other = certificate(tmp_path), certificate(tmp_path, "mail.example.net")
    old, why = certificate(tmp_path, days=-1), "The certificate is not good"
    cases = [
        (Mailbox(trusted[0], login=True), None, why),
        (Mailbox(trusted[0], from_start=True, login=True), None, why),
        (Mailbox(other[0], login=True), other[1], why),
        (Mailbox(old[0], login=True), old[1], why),
        (Mailbox(), trusted[1], "The server offers no STARTTLS"),
    ]

    def logged(sentence):
        return sentence in caplog.text

    for box, file, sentence in cases:
        with box, caplog.at_level(logging.ERROR):
            caplog.clear()
            url = box.url("localhost").removesuffix("&tls=off")
            running = send(url, partial(ssl.create_default_context, cafile=file))
            enqueue(alice)
            until(partial(logged, sentence))
            running.stop()
        assert (box.mails, box.logins, box.recipients, waiting()) == ([], [], [], 1)
        database.execute_sql("DELETE FROM mail")


def test_what_is_refused_for_now_is_sent_again_as_the_same_message(alice, send):
    for at in ("RCPT", "DATA"):
        with Mailbox(answers=["451 later", "421 busy"], at=at) as box:
            running = send(box.url())
            enqueue(alice)
            until(lambda: waiting() == 0)
            running.stop()
        assert len(box.recipients) == 3
        assert len({mail.raw for mail in box.mails}) == 1


def test_what_is_refused_for_good_is_given_up_at_once_and_the_log_names_no_address(
    alice, send, caplog
):
    for at in ("RCPT", "DATA"):
        with Mailbox(answers=[f"550 no {ADA} here"], at=at) as box:
            running = send(box.url())
            enqueue(alice)
            until(lambda: waiting() == 0)
            running.stop()
        assert box.recipients == [ADA]
    assert caplog.text.count("the server answered 550") == 2
    assert ADA not in caplog.text


def test_a_login_that_is_refused_loses_no_mail(alice, send, tmp_path, caplog):
    tls, file = certificate(tmp_path)
    with Mailbox(tls, login=True) as box:
        url = box.url("localhost").replace("%40ss", "%41ss")
        running = send(url, partial(ssl.create_default_context, cafile=file))
        enqueue(alice)
        until(lambda: Mail.get().attempts > 10)
        running.stop()
    assert "The server does not take this user and password (535)." in caplog.text
    assert (waiting(), box.mails) == (1, [])


def test_a_server_that_is_away_gets_the_mail_when_it_is_back(alice, send):
    box = Mailbox()
    send(box.url())
    enqueue(alice)
    until(lambda: Mail.get().attempts > 10)
    with box:
        box.wait_for(1)
        until(lambda: waiting() == 0)


def test_a_mail_whose_life_is_over_goes_unsent(alice, bob, send, clock):
    with Mailbox() as box:
        lives = {"code": 15, "reset": 60, "notice": 3 * 1440, "invitation": 7 * 1440}
        for kind, minutes in lives.items():
            enqueue(alice, kind)
            assert Mail.get().expires_at - now() == pytest.approx(minutes * 60_000, abs=2000)
            clock(minutes * 60_000 + 10)
            running = send(box.url())
            enqueue(bob, text=kind)
            until(lambda: waiting() == 1)
            running.stop()
            sweep()
            assert waiting() == 0
            clock(0)
        assert [mail.text.split()[0] for mail in box.mails] == list(lives)


UNMADE = "=?utf-8?q?x?=@example.org"


def enqueue_unmade(owner, monkeypatch):
    """A mail that an older version took, which cannot be made."""
    with monkeypatch.context() as patch:
        patch.setattr("models.events.mail.is_mail_address", lambda _: True)
        assert enqueue(owner, address=UNMADE)


def test_a_mail_that_cannot_be_made_is_tried_later_and_given_up_and_holds_no_other_back(
    alice, runtime, send, monkeypatch, caplog
):
    enqueue_unmade(alice, monkeypatch)
    with Mailbox() as box:
        running = send(box.url(), backoff_seconds=3600)
        until(lambda: Mail.get().attempts == 1)
        enqueue(alice)
        box.wait_for(1)
        until(lambda: waiting() == 1)
        assert Mail.get().due_at > now() + 3_000_000
        running.stop()
        Mail.update(due_at=now()).execute()
        send(box.url(), backoff_seconds=0)
        until(lambda: waiting() == 0)
        until(lambda: runtime.failures.given_up().get("mail"))  # it is deleted before
    assert runtime.failures.failed()["mail"] == 10
    assert runtime.failures.given_up()["mail"] == 1
    assert "(mail) is given up" in caplog.text
    assert UNMADE not in caplog.text


def test_the_log_of_a_mail_that_cannot_be_made_says_where_and_names_no_address(
    alice, send, monkeypatch, caplog
):
    def fail(_mail, address, *_):
        raise ValueError(f"{address} is wrong")

    monkeypatch.setattr("models.events.mail.compose", fail)
    enqueue(alice)
    with Mailbox() as box:
        send(box.url(), backoff_seconds=3600)
        until(lambda: Mail.get().attempts == 1)
    assert "Traceback (most recent call last)" in caplog.text
    assert "ValueError" in caplog.text
    assert ADA not in caplog.text


def test_mails_that_cannot_be_made_hold_no_thread_of_others(alice, send, monkeypatch):
    for number in range(40):
        enqueue_unmade(SimpleNamespace(id=f"usr_00{number}"), monkeypatch)
    with Mailbox() as box:
        send(box.url(), backoff_seconds=3600)
        enqueue(alice)
        box.wait_for(1)
        until(lambda: Mail.select().where(Mail.attempts == 1).count() == 40)


def test_no_mail_outlives_its_end_by_a_further_attempt(alice, send):
    with Mailbox(answers=["451 later"]) as box:
        send(box.url(), retries_seconds=(3600,))
        enqueue(alice, "code")
        until(lambda: waiting() == 0)
    assert box.mails == []


LIMITS = [  # kind, how many, in how many minutes
    ("code", 5, 60),
    ("reset", 3, 60),
    ("notice", 1, 1),
    ("confirmation", 3, 60),
]


@pytest.fixture
def still(monkeypatch):
    """Time passes only where the test moves the clock."""
    moment = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: moment)


@pytest.mark.parametrize(("kind", "count", "minutes"), LIMITS)
def test_one_address_gets_so_many_mails(still, alice, bob, clock, kind, count, minutes):
    def sent():
        several = [(owner, one) for owner in (alice, bob) for one in (ADA, ADA.upper())] * 3
        return [enqueue(owner, kind, address) for owner, address in several].count(True)

    assert sent() == count
    assert enqueue(alice, kind, "charles@example.org")
    clock(minutes * 60_000 - 1)
    assert sent() == 0
    clock(minutes * 60_000 + 1)
    assert sent() == count


@pytest.mark.slow
def test_one_address_gets_five_codes_in_any_hour_and_twenty_in_any_day(alice, clock):
    sent = []  # minutes
    for minute in range(0, 50 * 60, 7):
        clock(minute * 60_000)
        sent += [minute] * enqueue(alice, "code")
    for minutes, most in ((60, 5), (24 * 60, 20)):
        assert max(sum(at <= one < at + minutes for one in sent) for at in sent) == most


@pytest.mark.slow
def test_a_link_sends_200_codes_a_day_and_an_owner_1000_mails(alice, bob, clock):
    clock(8 * DAY_MS)  # the accounts are no longer new

    def codes(owner, count, link_id):
        return [enqueue(owner, "code", f"{n}@{link_id}", link_id=link_id) for n in range(count)]

    with database.atomic():
        assert codes(alice, 203, "tok-0").count(True) == 200
        assert [codes(alice, 200, f"tok-{n}").count(True) for n in (1, 2, 3)] == [200] * 3
        assert enqueue(alice, address="further@example.org")
        assert codes(alice, 200, "tok-4").count(True) == 199
        assert codes(bob, 1, "tok-5") == [True]


def receipts(owner, count, name="reader"):
    """How many of so many mails, each to another address, are taken."""
    taken = [enqueue(owner, "receipt", f"{owner.id}-{name}-{n}@example.org") for n in range(count)]
    return taken.count(True)


def counted():
    return MailLimit.select().count()


def test_a_new_account_sends_50_mails_a_day_and_more_after_a_week(alice, clock):
    with database.atomic():
        assert receipts(alice, 55) == 50
        clock(6 * DAY_MS)
        assert receipts(alice, 55) == 50
        clock(7 * DAY_MS + 1000)
        assert receipts(alice, 55, "further") == 55


def test_all_accounts_together_send_no_more_than_the_setting_and_new_ones_a_fifth_of_it(
    alice, bob, runtime
):
    runtime.settings = replace(runtime.settings, mails_per_day=10)
    established = [SimpleNamespace(id=f"usr_00{number}") for number in range(3)]
    assert (receipts(alice, 2), receipts(bob, 1)) == (2, 0)
    assert [receipts(owner, 4) for owner in established] == [4, 4, 0]
    assert Mail.enqueue(SERVICE, "invitation", ADA, "An invitation", "of the operator")


def test_a_mail_that_one_limit_refuses_is_counted_by_no_other(alice, bob):
    assert [enqueue(alice, "code", link_id="tok_1") for _ in range(5)] == [True] * 5
    before = counted()
    for link_id in ("tok_1", "tok_2"):
        assert not enqueue(bob, "code", link_id=link_id)
    assert counted() == before


def test_sub_addresses_of_a_mailbox_share_its_limits(alice, bob):
    several = [f"ana+{number}@Example.org" for number in range(20)]
    assert [enqueue(alice, "code", one) for one in several].count(True) == 5
    assert not enqueue(bob, "code", "ana@example.org")
    assert enqueue(bob, "code", "+ana@example.org")


def test_new_accounts_of_sub_addresses_take_no_new_password_from_an_established_one(alice):
    victim = "victim@example.org"
    sent = [MailLimit.wait_ms(alice.id, "reset", f"victim+{n}@example.org") for n in range(4)]
    assert [wait == 0 for wait in sent] == [True] * 3 + [False]
    assert [MailLimit.wait_ms("usr_0", "reset", victim) == 0 for _ in range(4)] == [
        *([True] * 3),
        False,
    ]


def test_what_is_asked_for_and_not_sent_spends_nothing_and_a_thousand_wait_at_most(
    instance, monkeypatch
):
    monkeypatch.setattr("models.events.mail.MOST_WAITING_REQUESTS", 10)
    for number in range(12):
        Mail.enqueue_request(SERVICE, "reset", f"{number}@example.org")
        Mail.enqueue_request("usr_0", "code", f"{number}@example.org", "tok_1")
    assert (counted(), waiting()) == (0, 20)


def test_what_was_counted_under_a_wrong_clock_holds_no_mail_back(alice, clock):
    clock(400 * DAY_MS)
    assert enqueue(alice, "notice")
    clock(0)
    assert enqueue(alice, "notice")


def test_neither_address_nor_text_is_in_the_database(alice, instance):
    enqueue(alice, text="the secret of the code 12345678")
    assert not enqueue(alice, address="not@@an address")
    stored = b"".join(file.read_bytes() for file in instance.glob("documents.sqlite*"))
    for text in (ADA, ADA.upper(), "Gruß", "secret of the code"):
        assert text.encode() not in stored, text


def test_a_mail_that_was_altered_in_the_database_is_not_sent(alice, bob, send):
    with Mailbox() as box:
        for change in ("kind = 'code'", f"owner_id = '{bob.id}'", "expires_at = expires_at + 1"):
            enqueue(alice)
            database.execute_sql(f"UPDATE mail SET {change}")
            assert len(verification.check_keys()) == 1
            running = send(box.url())
            until(lambda: waiting() == 0)
            running.stop()
    assert box.mails == []


def test_an_address_cannot_add_a_header_or_a_recipient():
    good = ("ada@example.org", "a.b+c@xn--bcher-kva.example", "o'neil@localhost")
    bad = ("a@b\nBcc: c@d", "a@b,c@d", "a b@c", "<a@b>", "a@b>", '"a"@b', "a@", "@b", "ü@b.example")
    assert all(map(is_mail_address, good))
    assert not any(map(is_mail_address, (*bad, "a@" + "b" * 254)))


UNREADABLE = (  # atoms by RFC 5322, which a header reads as encoded words
    "=?utf-8?q?x?=@a.b",
    "=?foo?q?a?=@a.b",
    "=?utf-8?b?=41=?=@a.b",
    "=?utf-8?q?=0aBcc?=@a.b",
)


def test_an_address_that_no_header_can_hold_as_it_is_is_none():
    for address in UNREADABLE:
        assert not is_mail_address(address), address


WRONG = {
    "http://mail.example.org?from=a@b": "it takes smtp://user:password@host:587?from=",
    "smtp://mail.example.org": "it takes smtp://user:password@host:587?from=",
    "smtp://mail.example.org?from=a": "it takes smtp://user:password@host:587?from=",
    "smtp://mail.example.org?from=a@b%0AX": "it takes smtp://user:password@host:587?from=",
    "smtp://mail.example.org?from=%3D%3Futf-8%3Fq%3Fx%3F%3D@b": "it takes smtp://user:password@",
    "smtp://mail.example.org?from=a@b&tls=maybe": "it takes smtp://user:password@host:587?from=",
    "smtp://mail.example.org:99999?from=a@b": "it takes smtp://user:password@host:587?from=",
    "smtps://mail.example.org?from=a@b&tls=off": "it takes smtp://user:password@host:587?from=",
    "smtp://u:hush@mail.example.org:465?from=a@b": "smtps://…@mail.example.org:465?from=a@b",
    "smtps://u:hush@mail.example.org:587?from=a@b": "smtp://…@mail.example.org:587?from=a@b",
    "smtp://u@x:hush@mail.example.org?from=a@b&tls=off": "leave out &tls=off",
    "smtp://u@x:hu/sh@mail.example.org?from=a@b": "%2F for /",
}


def test_a_setting_that_cannot_be_used_stops_the_start_and_shows_no_password():
    for url, sentence in WRONG.items():
        with pytest.raises(WrongSetting) as refused:
            settings_of(url)
        assert sentence in refused.value.message, url
        assert "hu" not in refused.value.message.replace("https", ""), url
    with pytest.raises(WrongSetting, match="SMTP_URL needs DOCSERVICE_BASE_URL"):
        settings_of("smtp://mail.example.org?from=a@b", BASE_URL="")


def test_a_setting_says_where_and_how():
    server = settings_of("smtp://docs%40example.org:p%2Fw@mail.example.org?from=a@b").smtp_url
    assert (server.host, server.port, server.tls) == ("mail.example.org", 587, "starttls")
    assert (server.user, server.password, server.sender) == ("docs@example.org", "p/w", "a@b")
    assert settings_of("smtps://mail.example.org?from=a@b").smtp_url.port == 465
    assert settings_of("smtp://u:p@[::1]:25?from=a@b&tls=off").smtp_url.tls == "off"
    assert "p/w" not in repr(server)
