"""Spaces and their members: bounds, invitations, altered rows, deletion."""

import threading
from dataclasses import replace
from functools import partial

import pytest

from models import Document, Event, Session, User, connected, current_runtime, database, transaction
from models.account_deletion import delete_account, delete_space, finish_deletions
from models.accounts import (
    MOST_MEMBERSHIPS,
    Assertion,
    Identity,
    Invitation,
    Member,
    add_member,
    change_member,
    enter_space,
    let_in,
    make_space,
    remove_member,
    space,
    spaces_of,
    unbind,
)
from models.core import (
    Busy,
    LastManager,
    NotFound,
    QuotaExceeded,
    RegistrationClosed,
    ScopeMissing,
    SessionExpired,
    now,
)
from models.documents import uploads
from models.documents.uploads import STEP_PIECES
from models.links import delete_document
from models.storage import RightLost, current_right
from models.storage.payloads import PIECE_BYTES
from operations import rotate_root_keys, verify_log
from operations.verification import check_contents, check_rows
from tests.uploads import Sent, upload
from tests.waiting import join_threads, run_in_threads, start_threads, until

ISSUER = "https://login.example.org"
WAITING = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'"""


@pytest.fixture
def team(alice, bob):
    """The id of a space that Alice manages and in which Bob writes."""
    made = make_space(alice, "Accounting")
    add_member(made.id, alice.id, bob.email, "write")
    enter_space(made.id, bob.id)
    return made.id


def acting(space_id, user):
    """The token of a session by which the user acts as the space."""
    own = Session.begin(user, 60).row
    return Session.begin_in_space(space_id, user, own).token


def test_a_space_has_so_many_members_at_most(alice, bob, monkeypatch):
    monkeypatch.setattr(space, "MOST_MEMBERS", 1)
    made = make_space(alice, "Accounting")
    with pytest.raises(QuotaExceeded):
        add_member(made.id, alice.id, bob.email, "read")


def test_a_person_is_in_so_many_spaces_at_most(alice, bob, team, monkeypatch):
    other = make_space(alice, "Office")
    monkeypatch.setattr(space, "MOST_MEMBERSHIPS", 1)
    add_member(other.id, alice.id, bob.email, "read")
    with pytest.raises(QuotaExceeded):
        enter_space(other.id, bob.id)
    with pytest.raises(QuotaExceeded):
        make_space(bob, "Mine")
    remove_member(team, bob.id, bob.id)
    assert enter_space(other.id, bob.id).role == "read"


def test_a_person_enters_no_more_spaces_at_once_than_the_limit(configure_on_server):
    """Each transaction locks another space, so the person has to be locked as well."""
    configure_on_server(reserve_bytes=0)
    entered, refused = [], []

    def enter(space_id):
        with connected():
            try:
                entered.append(enter_space(space_id, ana.id))
            except (Busy, QuotaExceeded) as error:
                refused.append(error)

    with connected():
        ana = User.register("ana@example.org", "correct horse battery", "Ana", "open")
        invited = [space_id for n in range(11) for space_id in invitations(n, ana, 10)]
        few, last = invited[: MOST_MEMBERSHIPS - 2], invited[MOST_MEMBERSHIPS - 2 :]
        for space_id in few:
            enter_space(space_id, ana.id)
    run_in_threads(*(partial(enter, space_id) for space_id in last))
    assert (len(entered), len(refused)) == (2, len(last) - 2)


def invitations(number, person, count):
    """The ids of spaces that the person may enter, all of one manager."""
    manager = User.register(f"{number}@example.org", "correct horse battery", None, "open")
    made = [make_space(manager, "Accounting").id for _ in range(count)]
    for space_id in made:
        add_member(space_id, manager.id, person.email, "read")
    return made


def test_one_member_has_so_many_sessions_of_a_space_and_ends_none_of_another_s(
    alice, bob, team, monkeypatch
):
    settings = replace(current_runtime().settings, quota_sessions=2)
    monkeypatch.setattr(current_runtime(), "settings", settings)
    first, of_bob = acting(team, alice), acting(team, bob)
    acting(team, alice)
    acting(team, alice)
    with pytest.raises(SessionExpired):
        Session.of_token(first)
    assert Session.of_token(of_bob).member.user_id == bob.id


@pytest.mark.parametrize(
    "alteration",
    [
        "UPDATE member SET role = 'manage'",
        "UPDATE member SET sealed = (SELECT sealed FROM member WHERE role = 'manage')",
        "UPDATE session SET acting_user_id = (SELECT user_id FROM member WHERE role = 'manage')",
        "UPDATE user_account SET login_generation = 7 WHERE id LIKE 'spc_%'",
    ],
)
def test_a_session_of_a_space_whose_rows_were_altered_is_refused(bob, team, alteration):
    token = acting(team, bob)
    assert Session.of_token(token).member.role == "write"
    database.execute_sql(alteration)
    with pytest.raises(SessionExpired):
        Session.of_token(token)
    assert check_rows()


def test_a_membership_that_was_moved_to_another_space_counts_in_neither(alice, bob, team):
    other = make_space(alice, "Office").id
    moved = "UPDATE member SET owner_id = :other WHERE user_id = :user_id"
    database.execute_sql(moved, {"other": other, "user_id": bob.id})
    for id in (team, other):
        assert [one.user_id for one in Member.of_space(id)] == [alice.id]
        with pytest.raises(NotFound):
            Member.of(id, bob.id)
    assert spaces_of(bob.id) == []


def test_a_manager_who_is_disabled_is_no_other_manager(alice, bob, team):
    change_member(team, alice.id, bob.id, "manage")
    bob.disable()
    with pytest.raises(LastManager):
        remove_member(team, alice.id, alice.id)


def test_the_sessions_that_an_identity_began_end_in_spaces_too(alice, team):
    identity = Identity.link(alice.id, ISSUER, "ana")
    own = Session.begin(alice, 60, None, identity).row
    token = Session.begin_in_space(team, alice, own).token
    unbind(identity)
    with pytest.raises(SessionExpired):
        Session.of_token(token)


def test_to_end_all_other_sessions_ends_those_of_spaces(alice, team):
    token = acting(team, alice)
    kept = Session.begin(alice, 60).row
    alice.end_other_sessions(kept.id)
    with pytest.raises(SessionExpired):
        Session.of_token(token)


# Invitations


def test_an_invitation_to_a_space_lets_a_provider_make_the_account_and_the_member(alice, team):
    issued = Invitation.issue_for_space(team, alice, "ina@example.org", "read")
    user, _ = let_in(Assertion(ISSUER, "ina", "ina@example.org"), issued.secret, "here")
    assert [(one.id, one.role) for one in spaces_of(user.id)] == [(team, "read")]


def test_an_invitation_to_a_space_binds_no_login_to_an_account_that_exists(alice, team):
    issued = Invitation.issue_for_space(team, alice, "ina@example.org", "read")
    ina = User.register("ina@example.org", "correct horse battery", None, "open")
    with pytest.raises(RegistrationClosed):
        let_in(Assertion(ISSUER, "ina", "ina@example.org"), issued.secret, "here")
    assert Identity.of_owner(ina.id) == []


def test_an_invitation_whose_space_or_role_was_altered_is_refused(alice, team):
    issued = Invitation.issue_for_space(team, alice, "ina@example.org", "read")
    database.execute_sql("UPDATE invitation SET role = 'manage'")
    with pytest.raises(RegistrationClosed):
        let_in(Assertion(ISSUER, "ina", "ina@example.org"), issued.secret, "here")


def test_who_does_not_manage_invites_nobody(bob, team):
    with pytest.raises(ScopeMissing):
        Invitation.issue_for_space(team, bob, "ina@example.org", "read")


# Deletion, backup, rotation


def test_an_account_that_leaves_by_its_deletion_is_in_the_log_of_the_space(alice, bob, team):
    delete_account(bob)
    finish_deletions()
    assert [one.user_id for one in Member.of_space(team)] == [alice.id]
    assert Event.feed(team, 99, None)[0][-1].type == "member.removed"


def test_an_account_is_kept_whose_space_would_have_no_manager(alice, bob, team):
    with pytest.raises(LastManager):
        delete_account(alice)
    assert User.find(alice.id).is_whole
    remove_member(team, alice.id, bob.id)
    upload(User.find(team))
    with pytest.raises(LastManager):
        delete_account(alice)
    delete_document(Document.of_id(Document.select().get().id))
    delete_account(alice)
    finish_deletions()
    assert User.find(team) is None
    assert Member.select().count() == 0


def test_a_deletion_of_a_space_that_was_cut_off_goes_on(alice, team, monkeypatch):
    monkeypatch.setattr("models.account_deletion._finish", lambda _: None)
    delete_space(team, alice.id)
    monkeypatch.undo()
    assert spaces_of(alice.id) == []
    assert User.find(team) is not None
    finish_deletions()
    assert User.find(team) is None
    assert verify_log().breaks == []


def test_a_rotation_keeps_what_a_space_has_sealed(alice, team):
    document = upload(User.find(team))
    rotate_root_keys()
    assert check_contents() == []
    assert User.find(team).name == "Accounting"
    assert Document.of_id(document.id).sha256


def test_a_space_is_no_account_that_is_found_by_an_address(alice, team):
    row = User.find(team)
    assert User.find_by_email(row.email) is None
    assert row.is_space
    assert current_runtime().settings.quota_spaces == 10


@pytest.mark.parametrize("act", ["removed", "demoted"])
def test_an_upload_is_not_stored_if_its_member_may_not_any_more_when_it_ends(alice, bob, team, act):
    own = Session.begin(bob, 60).row
    session = Session.begin_in_space(team, bob, own).row

    def end_right():
        with connected():
            if act == "removed":
                remove_member(team, alice.id, bob.id)
            else:
                change_member(team, alice.id, bob.id, "read")

    def content():
        for _ in range(3 * STEP_PIECES):
            yield bytes(PIECE_BYTES)
        run_in_threads(end_right)

    right = Session.right(session.id, team, now(), ("documents:write",))
    before = current_right.set(right)
    sent = uploads.upload(
        team, Sent(content(), 3 * STEP_PIECES * PIECE_BYTES), content_type="text/plain"
    )
    with pytest.raises(RightLost), sent:
        pass
    current_right.reset(before)
    assert Document.select().count() == 0
    assert database.execute_sql("SELECT COUNT(*) FROM piece").fetchone() == (0,)


def test_a_session_does_not_end_between_the_judgement_and_the_commit(configure_on_server):
    """The person's own session ends under another lock than that of the space."""
    configure_on_server(reserve_bytes=0)
    judged, may_go_on, order = threading.Event(), threading.Event(), []
    with connected():
        ana = User.register("ana@example.org", "correct horse battery", "Ana", "open")
        team = make_space(ana, "Accounting").id
        own = Session.begin(ana, 60).row
        session = Session.begin_in_space(team, ana, own).row

    def change():
        current_right.set(Session.right(session.id, team, now(), ("documents:write",)))
        with connected(), transaction(team):
            judged.set()
            assert may_go_on.wait(60)
            order.append("changed")

    def end():
        with connected():
            own.end()
        order.append("ended")

    threads = start_threads(change)
    assert judged.wait(60)
    threads += start_threads(end)
    with connected():
        until(lambda: database.execute_sql(WAITING).fetchone() == (1,))
    may_go_on.set()
    join_threads(threads)
    assert order == ["changed", "ended"]


def test_a_membership_of_before_people_were_asked_goes_on(alice, bob):
    made = make_space(alice, "Accounting")
    Member.fresh(owner_id=made.id, user_id=bob.id, role="write").store()
    assert Member.of(made.id, bob.id).entered_at
    assert [one.id for one in spaces_of(bob.id)] == [made.id]


def test_who_writes_to_the_file_lets_nobody_into_a_space_that_waits(alice, bob):
    made = make_space(alice, "Accounting")
    add_member(made.id, alice.id, bob.email, "write")
    database.execute_sql("UPDATE member SET inviter_id = NULL WHERE accepted_at IS NULL")
    assert spaces_of(bob.id) == []
    with pytest.raises(NotFound):
        Member.of(made.id, bob.id)
