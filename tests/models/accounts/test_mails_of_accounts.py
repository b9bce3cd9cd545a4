"""How many mails accounts and spaces may send: by who has let them in, and who has made them."""

from dataclasses import replace

import pytest

from models import User, database
from models.account_deletion import delete_account, delete_space, finish_deletions
from models.accounts import Assertion, Invitation, add_member, enter_space, let_in, make_space
from models.accounts import register as register_account
from models.events import MailLimit, mail_limit, payers_of
from models.storage import SERVICE

PASSWORD = "correct horse battery"
DAY_MS = 86_400_000
ISSUER = "https://login.example.org"
KINDS = ["receipt", "notice", "confirmation", "code"]


@pytest.fixture(autouse=True)
def limits(runtime, monkeypatch):
    """An account sends 100 mails, the limit of all is out of the way; only the invited register."""
    monkeypatch.setattr(mail_limit, "OF_OWNER", replace(mail_limit.OF_OWNER, count=100))
    runtime.settings = replace(runtime.settings, mails_per_day=100_000, registration="first")


def sent(owner_id, tries, kind="receipt", name="reader"):
    """How many of so many mails, each to another address, are taken."""
    with database.atomic():
        taken = [
            MailLimit.wait_ms(owner_id, kind, f"{owner_id}-{kind}-{name}-{n}@example.org")
            for n in range(tries)
        ]
    return taken.count(0)


def asserted(email):
    return Assertion(ISSUER, email, email)


def invited_by(manager, email):
    """An account that a person has invited, by the space that they manage."""
    space = make_space(manager, "Accounting")
    issued = Invitation.issue_for_space(space.id, manager, email, "write")
    return register_account(email, PASSWORD, None, issued.secret)[0]


def by_an_invitation_of_the_operator(email):
    return register_account(email, PASSWORD, None, Invitation.issue(email).secret)[0]


def by_a_command(email):
    return User.register(email, PASSWORD, None, "open", let_in_by=SERVICE)


def by_a_provider(email, runtime):
    runtime.settings = replace(runtime.settings, sign_in_allow=("@example.org",))
    return let_in(asserted(email), "", "127.0.0.1")[0]


def by_the_proxy(email, runtime):
    runtime.settings = replace(runtime.settings, sign_in_allow=("@example.org",))
    return let_in(Assertion.of_proxy(email), "", "127.0.0.1")[0]


def test_a_space_takes_its_mails_from_those_of_its_maker_also_when_it_is_gone(alice):
    assert sent(alice.id, 10) == 10
    for number in range(6):
        space = make_space(alice, f"Space {number}")
        assert sent(space.id, 30) == (30 if number == 0 else 10 if number == 1 else 0)
        delete_space(space.id, alice.id)
    assert sent(alice.id, 1, name="further") == 0


@pytest.mark.parametrize("kind", KINDS)
def test_each_limit_of_an_account_counts_what_its_spaces_send(alice, clock, kind):
    """Established accounts: the limits of each kind of mail are those of the maker."""
    clock(8 * DAY_MS)
    spaces = [make_space(alice, f"Space {number}").id for number in range(3)]
    most = {"receipt": 100, "notice": 50, "confirmation": 20, "code": 100}[kind]
    taken = sum(sent(space, most // 2 + 1, kind) for space in spaces)
    assert taken == most
    assert sent(alice.id, 1, kind) == 0


@pytest.mark.parametrize(
    ("make", "needs_runtime"),
    [
        (by_an_invitation_of_the_operator, False),
        (by_a_command, False),
        (by_a_provider, True),
        (by_the_proxy, True),
    ],
)
def test_whom_the_operator_or_a_login_elsewhere_lets_in_is_not_young(
    instance, runtime, make, needs_runtime
):
    user = make("ana@example.org", *([runtime] if needs_runtime else []))
    assert sent(user.id, 60) == 60
    assert sent(make_space(user, "Accounting").id, 30) == 30
    assert payers_of(user.id) == [mail_limit.MailPayer(user.id, is_young=False)]


def test_who_registers_is_young_and_so_are_their_spaces(alice):
    space = make_space(alice, "Accounting").id
    assert payers_of(space) == [
        mail_limit.MailPayer(space, is_young=True),
        mail_limit.MailPayer(alice.id, is_young=True),
    ]
    assert sent(space, 60) == 50


def test_whom_a_person_has_invited_is_not_young_while_nobody_else_can_register(instance, runtime):
    mia = by_a_command("mia@example.org")
    will = invited_by(mia, "will@example.org")
    assert sent(will.id, 60) == 60
    runtime.settings = replace(runtime.settings, registration="open")
    assert sent(will.id, 60, name="further") == 0


def test_in_their_first_week_mails_of_the_invited_count_for_who_invited_them(instance, clock):
    mia = by_a_command("mia@example.org")
    will = invited_by(mia, "will@example.org")
    rob = invited_by(will, "rob@example.org")
    space = make_space(rob, "Further").id
    assert [one.id for one in payers_of(space)] == [space, rob.id, will.id, mia.id]
    assert sent(space, 40) == 40
    assert sent(rob.id, 40) == 40
    assert sent(will.id, 40) == 20
    assert sent(mia.id, 1) == 0
    clock(8 * DAY_MS)
    assert [one.id for one in payers_of(rob.id)] == [rob.id]
    assert sent(rob.id, 110, name="later") == 100
    assert sent(mia.id, 10) == 10


def test_who_is_invited_by_a_young_person_sends_no_more_than_that_person(alice):
    will = invited_by(alice, "will@example.org")
    assert sent(will.id, 60) == 50
    assert sent(alice.id, 1) == 0


def test_an_account_at_the_end_of_a_long_chain_of_invitations_is_young(instance, monkeypatch):
    monkeypatch.setattr(mail_limit, "MOST_PAYERS", 3)
    person = by_a_command("p0@example.org")
    for number in range(1, 5):
        person = invited_by(person, f"p{number}@example.org")
    assert sent(person.id, 60) == 50


def test_mails_of_a_space_count_for_a_maker_who_is_gone(alice, bob):
    made = make_space(alice, "Accounting")
    add_member(made.id, alice.id, bob.email, "manage")
    enter_space(made.id, bob.id)
    delete_account(alice)
    finish_deletions()
    assert [one.id for one in payers_of(made.id)] == [made.id, alice.id]
    assert sent(made.id, 60) == 50


def test_a_mail_that_is_refused_for_the_maker_counts_for_nobody(alice):
    space = make_space(alice, "Accounting").id
    assert sent(alice.id, 50) == 50
    before = MailLimit.select().count()
    assert sent(space, 1) == 0
    assert MailLimit.select().count() == before
