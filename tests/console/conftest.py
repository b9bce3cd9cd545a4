"""Visitors of the pages for people."""

import secrets

import pytest

from tests.console.visitor import Visitor


@pytest.fixture
def visitor(service):
    """Somebody who is not logged in."""
    return Visitor(service)


@pytest.fixture
def member(service):
    """Somebody with a new account, logged in; `email` is its address."""
    member = Visitor(service)
    member.email = f"{secrets.token_hex(6)}@example.org"
    return member.sign_up(member.email)
