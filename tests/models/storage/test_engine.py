"""What every engine promises of transactions, and how the engine is chosen."""

import sys

import pytest

from models import database, setup, transaction
from models.core import OperatorError
from models.storage import close_database, engine, separate_transaction
from settings import WrongSetting, read_settings


def test_a_transaction_of_one_owner_takes_no_lock_of_another(instance):
    for other in ("usr_2", "service"):
        with (
            pytest.raises(RuntimeError, match="holds the lock of usr_1"),
            transaction("usr_1"),
            transaction(other),
        ):
            pass


def test_a_transaction_of_the_service_may_contain_those_of_owners(instance):
    with transaction(), transaction("usr_1"), transaction("usr_2"), separate_transaction("usr_3"):
        pass
    with transaction("usr_1"), transaction("usr_1"):
        pass
    with engine().snapshot(), transaction("usr_2"):
        pass


def test_a_transaction_of_nobody_takes_the_lock_of_the_first_that_is_nested(instance):
    with transaction(None), separate_transaction(None), transaction("usr_1"), transaction("usr_1"):
        pass
    with pytest.raises(RuntimeError, match="of usr_1"), transaction(None):  # noqa: PT012
        with transaction("usr_1"):
            pass
        with transaction("usr_2"):
            pass


def test_a_transaction_takes_its_lock_when_it_is_entered(instance):
    later = transaction("usr_2")
    with transaction("usr_1"):
        also_later = transaction("usr_1")
    for one in (later, also_later):
        assert not database.in_transaction()
        with one:
            assert database.in_transaction()


def test_a_server_without_its_driver_is_refused_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "models.storage.postgres_engine", None)
    monkeypatch.delattr("models.storage.postgres_engine", raising=False)
    with pytest.raises(OperatorError, match=r"pip install 'psycopg\[binary\]"):
        setup.open_database("postgresql://docs@localhost/docs")
    close_database()


def test_the_password_of_a_server_is_not_shown(tmp_path):
    with pytest.raises(WrongSetting, match="DOCSERVICE_DATABASE cannot be used") as raised:
        read_settings({}, {"DATABASE": "mysql://docs:secret-word@db/docs"}, tmp_path)
    assert "secret-word" not in str(raised.value)
