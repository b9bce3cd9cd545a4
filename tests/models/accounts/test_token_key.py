"""Keys of session tokens: they go when no session that still lives began under them."""

import pytest

from crypto import KeyringError
from models import Session, current_runtime, setup
from models.accounts import PendingSignIn, TokenKey
from models.core import now

DAY_MS = 24 * 60 * 60 * 1000


def drawn_ago(days):
    TokenKey.draw()
    (key, *_) = TokenKey.select().order_by(TokenKey.id.desc())
    key.change(created_at=int(now() - days * DAY_MS))
    return key


def kept():
    return TokenKey.select().count()


@pytest.fixture
def former(alice):
    """The service's first key; another one came eleven days ago."""
    TokenKey.all_newest_first()[0].change(created_at=now() - 12 * DAY_MS)
    drawn_ago(11)


def test_a_key_goes_when_none_of_its_sessions_lives(former):
    TokenKey.forget_old()
    assert kept() == 1


def test_a_key_stays_while_a_session_that_began_under_it_lives(former, alice):
    session = Session.begin(alice, 60).row
    session.change(created_at=now() - 11 * DAY_MS - 1000)
    TokenKey.forget_old()
    assert kept() == 2


def test_a_key_stays_as_long_as_the_ticket_of_an_upload(alice):
    TokenKey.all_newest_first()[0].change(created_at=now() - 12 * DAY_MS)
    drawn_ago(8.1)
    TokenKey.forget_old()
    assert kept() == 2


def test_a_damaged_key_is_as_none_and_the_next_start_draws_another(alice):
    before = TokenKey.newest_first()
    TokenKey.update(sealed_key=bytes(104)).execute()
    assert TokenKey.newest_first() == []
    setup.use_keyring(current_runtime().keyring)
    assert len(TokenKey.newest_first()) == 1
    assert TokenKey.newest_first() != before


def test_without_a_key_that_opens_no_session_and_no_sign_in_begins(alice):
    TokenKey.update(sealed_key=bytes(104)).execute()
    for begin in (lambda: Session.begin(alice, 60), lambda: PendingSignIn.begin("an issuer", "")):
        with pytest.raises(KeyringError, match="No key of tokens opens"):
            begin()
    assert not Session.select().exists()
