"""The models over a fresh SQLite file, with two people in it."""

import pytest

from crypto import Keyring
from models import User, connected, house


@pytest.fixture
def instance(tmp_path):
    house.open_database(str(tmp_path / "documents.sqlite"))
    house.use(Keyring.create(tmp_path / "keyring"))
    with connected():
        yield tmp_path
    house.close_all()


@pytest.fixture
def alice(instance):
    return User.register("alice@example.com", "correct horse battery", "Alice", "open")


@pytest.fixture
def bob(instance):
    return User.register("bob@example.com", "correct horse battery", None, "open")
