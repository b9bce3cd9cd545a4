"""Invitations are swept after their end, and none comes back with a backup."""

from dataclasses import replace

import pytest

from models import Event, User, connected, current_runtime, setup
from models.accounts import Invitation, register
from models.background import sweep
from models.core import Invalid, now
from operations import backup, restore_backup

PASSWORD = "correct horse battery"


def test_an_expired_invitation_is_swept_and_no_other(instance):
    expired, live = (Invitation.issue(f"{name}@example.org") for name in ("expired", "live"))
    expired.row.change(expires_at=now() - 1)
    sweep()
    assert [one.id for one in Invitation.select()] == [live.id]


def test_a_restored_backup_has_no_invitation(instance, alice):
    issued = Invitation.issue("bob@example.org")
    backup.create_backup(instance / "copy")
    register("bob@example.org", PASSWORD, None, issued.secret)
    current_runtime().close_database()
    restore_backup(instance / "copy", instance / "documents.sqlite", force=True)
    setup.open_runtime()
    with connected(), pytest.raises(Invalid, match="was used"):
        register("bob@example.org", PASSWORD, None, issued.secret)


def test_a_use_that_fails_at_the_end_leaves_everything_as_it_was(instance, alice, monkeypatch):
    issued, runtime = Invitation.issue("bob@example.org"), current_runtime()
    monkeypatch.setattr(runtime, "settings", replace(runtime.settings, registration="closed"))
    taken = Invitation.find(issued.id)
    register("bob@example.org", PASSWORD, "first", issued.secret)

    with pytest.raises(Invalid):
        taken.accept("bob@example.org", "another password", "second", "")

    user, _ = register(
        "bob@example.org", PASSWORD, None, Invitation.issue("bob@example.org").secret
    )
    assert user.name == "first"


def test_a_change_of_password_that_fails_ends_no_link(instance, alice, monkeypatch):
    issued = Invitation.issue(alice.email)

    def fail(*_):
        raise OSError("disk full")

    for change in (
        lambda: alice.set_password("another password"),
        lambda: alice.change_password("another password", kept_session_id=""),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(Event, "record", fail)
            with pytest.raises(OSError, match="full"):
                change()
        assert [one.id for one in Invitation.select()] == [issued.id]
        assert User.find(alice.id).password_digest == alice.password_digest
