"""Logins by a provider at two processes that serve one database, in turn and at once."""

import secrets
import threading

import pytest

from tests.console.visitor import Visitor
from tests.pair import Pair
from tests.provider import Provider

AT_ONCE = 6


@pytest.fixture(scope="module")
def provider():
    provider = Provider()
    yield provider
    provider.close()


@pytest.fixture(scope="module")
def pair(tmp_path_factory, postgres_server, provider):
    settings = provider.settings(SIGN_IN_ALLOW="@example.org", RATE_LIMITS="off")
    pair = Pair(tmp_path_factory.mktemp("pair"), **settings)
    yield pair
    pair.close()


@pytest.fixture(autouse=True)
def newcomer(provider):
    name = secrets.token_hex(6)
    provider.person = {"sub": name, "email": f"{name}@example.org", "email_verified": True}


def answered(visitor, provider):
    """Begin a login, and return the path at which the provider's answer comes back."""
    begun = visitor.get("/app/oidc")
    assert begun.status == 303, begun
    return f"/app/oidc/callback?{provider.log_in_at(begun.headers['Location'])}"


def at_once(takes):
    found = []
    threads = [threading.Thread(target=lambda one=one: found.append(one())) for one in takes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_first_logins_at_once_at_two_processes_make_one_account(pair, provider):
    visitors = [Visitor(pair) for _ in range(AT_ONCE)]
    paths = [answered(one, provider) for one in visitors]
    pairs = zip(visitors, paths, strict=True)
    takes = [lambda one=one, path=path: one.get(path).status for one, path in pairs]
    assert at_once(takes) == [303] * AT_ONCE
    assert len({one.api.get("/v1/auth/me").json["id"] for one in visitors}) == 1


def test_of_one_answer_at_two_processes_one_counts(pair, provider):
    visitor = Visitor(pair)
    path = answered(visitor, provider)
    cookie = visitor.cookies["sign-in"]

    def take():
        other = Visitor(pair)
        other.cookies["sign-in"] = cookie
        return other.get(path).status

    assert sorted(at_once([take] * AT_ONCE)) == [303] + [401] * (AT_ONCE - 1)


def test_a_login_that_two_accounts_add_at_once_is_one_accounts(pair, provider):
    members = [Visitor(pair).sign_up(f"{secrets.token_hex(6)}@a.example") for _ in range(2)]
    paths = []
    for member in members:
        begun = member.get("/app/oidc?add=yes", **{"Sec-Fetch-Site": "same-origin"})
        paths.append(f"/app/oidc/callback?{provider.log_in_at(begun.headers['Location'])}")
    pairs = zip(members, paths, strict=True)
    takes = [lambda one=one, path=path: one.get(path).status for one, path in pairs]
    assert sorted(at_once(takes)) == [303, 403]
