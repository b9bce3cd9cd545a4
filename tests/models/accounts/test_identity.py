"""Identities, and logins that wait for a provider: their bounds, their end, and altered rows."""

from dataclasses import replace

import pytest

from models import Session, User, current_runtime, database
from models.accounts import Assertion, Identity, PendingSignIn, let_in, pending_sign_in
from models.core import QuotaExceeded, RegistrationClosed, TooManyRequests, WrongCredentials
from models.operations import delete_account, rotate_root_keys, sweep
from models.operations.verification import check_rows

MINUTE = 60_000
ISSUER = "https://login.example.org"


def begin(network="192.0.2.1", **more):
    return PendingSignIn.begin(network, "/app/documents", **more)


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


def test_a_deleted_account_leaves_no_identity_and_no_login_that_waits(alice):
    Identity.link(alice.id, ISSUER, "ana")
    begin(owner_id=alice.id, session_id="ses_1")
    delete_account(alice)
    assert (Identity.select().count(), PendingSignIn.select().count()) == (0, 0)
    assert User.select().count() == 0


def test_a_login_waits_ten_minutes_and_is_swept_then(instance, clock):
    issued, _facts = begin()
    clock(10 * MINUTE - 1000)
    assert PendingSignIn.of_secret(issued.secret)
    clock(10 * MINUTE + 1000)
    assert PendingSignIn.of_secret(issued.secret) is None
    sweep()
    assert PendingSignIn.select().count() == 0


def test_what_a_login_waits_for_is_sealed_and_bound_to_its_row(instance):
    issued, facts = begin()
    assert PendingSignIn.of_secret(issued.secret).facts == facts
    assert facts.verifier.encode() not in issued.row.sealed
    database.execute_sql("UPDATE pending_sign_in SET kind = 'linking'")
    assert PendingSignIn.of_secret(issued.secret) is None


def test_a_login_that_waits_goes_on_after_a_rotation(instance):
    issued, facts = begin()
    rotate_root_keys()
    assert PendingSignIn.of_secret(issued.secret).facts == facts


def test_a_login_is_used_up_once(instance):
    issued, _facts = begin()
    pending = PendingSignIn.of_secret(issued.secret)
    assert [pending.use_up(), pending.use_up()] == [True, False]


def test_a_hundred_logins_of_a_network_wait_and_the_oldest_of_all_go(instance, monkeypatch, clock):
    monkeypatch.setattr(pending_sign_in, "MOST_OF_NETWORK", 3)
    monkeypatch.setattr(pending_sign_in, "MOST_PENDING", 4)
    first, *_rest = [begin("one") for _ in range(3)]
    with pytest.raises(TooManyRequests):
        begin("one")
    begin("two")
    begin("three")
    assert PendingSignIn.select().count() == 4
    assert PendingSignIn.of_secret(first[0].secret) is None
    clock(11 * MINUTE)
    begin("one")
    assert PendingSignIn.select().count() == 1


def test_a_network_is_stored_as_a_digest_alone(instance):
    begin("192.0.2.77")
    (row,) = PendingSignIn.select()
    assert "192.0.2.77" not in row.network
    assert current_runtime().service_key.hex() not in row.network
