"""The models over a fresh SQLite file, with two people in it."""

import pytest

from crypto import Keyring
from models import User, connected, setup


@pytest.fixture
def instance(tmp_path):
    setup.open_database(str(tmp_path / "documents.sqlite"))
    setup.use(Keyring.create(tmp_path / "keyring"))
    with connected():
        yield tmp_path
    setup.close_all()


@pytest.fixture
def alice(instance):
    return User.register("alice@example.com", "correct horse battery", "Alice", "open")


@pytest.fixture
def bob(instance):
    return User.register("bob@example.com", "correct horse battery", None, "open")
