"""The fixtures of the contract's tests, with services that store in PostgreSQL.

A fixture is imported so that it is another one here, which uses the services of this folder.
`pytest --engine=postgres tests/contract` runs all of the contract there, on one process each.
"""

import pytest

from tests.conftest import (  # noqa: F401
    alice,
    anonymous,
    bob,
    document,
    new_user,
    temporary_document,
    webhook,
)
from tests.contract.conftest import big, caller, webhook_owner, webhook_service  # noqa: F401
from tests.pair import Pair


@pytest.fixture(scope="module")
def start_service(start_service, postgres_server):
    """The same function; what it starts stores in a new database of the server."""
    return lambda **settings: start_service(DATABASE=postgres_server.new_database(), **settings)


@pytest.fixture(scope="session")
def service(tmp_path_factory, postgres_server):
    """Two processes, so that a request reaches another one than the request before."""
    service = Pair(tmp_path_factory.mktemp("service"), RATE_LIMITS="off")
    yield service
    service.close()
