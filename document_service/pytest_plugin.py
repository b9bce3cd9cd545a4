"""Fixtures for pytest: `document_service`, and those on which it is built.

pytest imports this module at each start: a fixture imports the rest when a test asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from .testing import DocumentService


@pytest.fixture(scope="session")
def document_service_settings() -> dict[str, str]:
    """The settings of `document_service`, without prefix; a project overrides this fixture."""
    return {}


@pytest.fixture(scope="session")
def document_service_proc(
    tmp_path_factory: pytest.TempPathFactory, document_service_settings: dict[str, str]
) -> Iterator[DocumentService]:
    """The process that the tests share; each worker of pytest-xdist has one."""
    from .testing import DocumentService

    folder = tmp_path_factory.mktemp("document-service")
    with DocumentService(folder, **document_service_settings) as service:
        yield service


@pytest.fixture
def document_service(document_service_proc: DocumentService) -> Iterator[DocumentService]:
    """A running service with an account for this test alone; its clock is reset at the end."""
    yield document_service_proc
    document_service_proc.reset()


@pytest.fixture
def document_service_factory(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[..., DocumentService]]:
    """Starts another service with settings of its own, which ends with the test."""
    from .testing import DocumentService

    with ExitStack() as services:

        def start(**settings: str) -> DocumentService:
            service = DocumentService(tmp_path_factory.mktemp("document-service"), **settings)
            return services.enter_context(service)

        yield start


@pytest.fixture
def document_service_in_process(
    tmp_path: Path, document_service_settings: dict[str, str]
) -> Iterator[Any]:
    """A service without a server, in the process of the tests: `client` is Flask's test client.

    It fails in a project that has a module with the name of one of the service, as `models`.
    """
    from .in_process import imported_testing

    settings = {"RATE_LIMITS": "off", "WEBHOOK_ALLOW": "127.0.0.0/8"} | document_service_settings
    with imported_testing().service_in_process(tmp_path / "instance", **settings) as service:
        yield service
