"""Identities, and logins that wait for a provider: their bounds, their end, and altered rows."""

import base64
from dataclasses import replace

import pytest

from models import Session, User, current_runtime, database
from models.account_deletion import delete_account, finish_deletions
from models.accounts import (
    Assertion,
    Identity,
    PendingSignIn,
    TokenKey,
    UsedSignIn,
    let_in,
)
from models.background import sweep
from models.core import QuotaExceeded, RegistrationClosed, WrongCredentials
from operations import rotate_root_keys
from operations.verification import check_rows

MINUTE = 60_000
ISSUER = "https://login.example.org"


def begin(next="/app/documents", **more):
    return PendingSignIn.begin(ISSUER, next, **more)


def test_an_account_has_twenty_other_logins_at_most(alice):
    for number in range(20):
        Identity.link(alice.id, ISSUER, str(number))
    Identity.link(alice.id, ISSUER, "7")
    with pytest.raises(QuotaExceeded):
        Identity.link(alice.id, ISSUER, "one more")


def test_an_identity_that_was_altered_opens_no_account_and_is_named(alice, bob):
    identity = Identity.link(alice.id, ISSUER, "ana")
    database.execute_sql("UPDATE identity SET owner_id = ?", (bob.id,))
    assert Identity.of(ISSUER, "ana") is None
    assert check_rows() == [f"{identity.id} was altered outside of the service, and is refused."]
    with pytest.raises(RegistrationClosed):
        let_in(Assertion(ISSUER, "ana", None), "", "here")


def test_an_identity_of_version_1_0_0_is_judged_where_sign_in_allow_names_anybody(alice):
    identity = Identity.link(alice.id, ISSUER, "ana")
    identity.change(bound_by=None)
    runtime = current_runtime()
    for allowed, is_judged in ((None, False), (("group:staff",), True)):
        runtime.settings = replace(runtime.settings, sign_in_allow=allowed)
        assert Identity.of(ISSUER, "ana").is_judged is is_judged


def test_a_session_with_another_identity_is_refused(alice):
    identity = Identity.link(alice.id, ISSUER, "ana")
    session = Session.begin(alice, 60, None, identity)
    database.execute_sql("UPDATE session SET identity_id = NULL")
    assert Session.find(session.id) is None


def test_no_session_begins_by_an_identity_that_was_removed_meanwhile(alice):
    identity = Identity.link(alice.id, ISSUER, "ana")
    Identity.delete().execute()
    with pytest.raises(WrongCredentials):
        Session.begin(alice, 60, None, identity)


def test_a_session_is_young_for_ten_minutes(alice, clock):
    session = Session.begin(alice, 3600).row
    clock(10 * MINUTE - 1000)
    assert session.is_young
    clock(10 * MINUTE + 1000)
    assert not session.is_young


def test_a_deleted_account_leaves_no_identity(alice):
    Identity.link(alice.id, ISSUER, "ana")
    delete_account(alice)
    finish_deletions()
    assert Identity.select().count() == 0
    assert User.select().count() == 0


def test_a_login_waits_ten_minutes(instance, clock):
    pending, sealed = begin()
    clock(10 * MINUTE - 1000)
    assert PendingSignIn.of_cookie(sealed) == pending
    clock(10 * MINUTE + 1000)
    assert PendingSignIn.of_cookie(sealed) is None


def test_to_begin_a_login_stores_nothing(instance):
    before = database.execute_sql("SELECT total_changes()").fetchone()
    for _ in range(3):
        begin()
    assert database.execute_sql("SELECT total_changes()").fetchone() == before


def test_nobody_but_the_service_reads_or_makes_what_a_login_waits_for(instance):
    pending, sealed = begin()
    data = base64.urlsafe_b64decode(sealed + "==")
    assert pending.verifier.encode() not in data
    for place in (0, 20, len(data) - 1):
        altered = bytearray(data)
        altered[place] ^= 1
        assert PendingSignIn.of_cookie(base64.urlsafe_b64encode(altered).decode()) is None
    for other in ("", "x", "=", "é", sealed[:-4], sealed * 9):
        assert PendingSignIn.of_cookie(other) is None


def test_the_cookie_of_a_login_has_at_most_two_kibibytes(instance):
    invite = "i" * 100
    for page in ("/" + "p" * 999, "/" + "é" * 499, "/" + '"' * 300):
        pending, sealed = begin(page, invite=invite, session_id="ses_" + "0" * 26)
        assert pending.next == page
        assert len(sealed) <= 2048
        assert PendingSignIn.of_cookie(sealed) == pending
    assert begin("/" + "p" * 1000)[0].next == ""


@pytest.mark.parametrize("rotate", [rotate_root_keys, TokenKey.draw])
def test_a_login_that_waits_goes_on_after_a_rotation(instance, rotate):
    pending, sealed = begin()
    rotate()
    assert PendingSignIn.of_cookie(sealed) == pending


def test_a_rotation_that_ends_all_sessions_ends_logins_that_wait(instance):
    _pending, sealed = begin()
    rotate_root_keys(end_sessions=True)
    assert PendingSignIn.of_cookie(sealed) is None


def test_a_login_is_used_up_once_and_forgotten_when_it_would_have_ended(instance, clock):
    pending, sealed = begin()
    again = PendingSignIn.of_cookie(sealed)
    assert [pending.use_up(), again.use_up()] == [True, False]
    assert begin()[0].use_up()
    sweep()
    assert UsedSignIn.select().count() == 2
    clock(11 * MINUTE)
    sweep()
    assert UsedSignIn.select().count() == 0
