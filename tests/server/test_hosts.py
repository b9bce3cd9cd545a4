"""Which host an application is told: links are made with it."""

import pytest

from .conftest import answer, ask

BEHIND_PROXY = {"trusted_proxy": "127.0.0.1"}
FORWARDED = {**BEHIND_PROXY, "forwarded_host": True}


@pytest.mark.parametrize(
    ("options", "host"),
    [({}, b"a"), (BEHIND_PROXY, b"a"), (FORWARDED, b"public.example")],
)
def test_a_forwarded_host_is_believed_only_of_a_proxy_that_sets_it(options, host, build):
    setup = build(options=options)
    with setup.connected(ask("/host", "GET", "X-Forwarded-Host: public.example")) as connection:
        assert answer(connection)[2] == host


@pytest.mark.parametrize("host", ["a b", "a/b", "a..b", "a%41", "[:::::]", "a:65536", "b, c"])
def test_a_forwarded_host_that_is_none_is_rejected(host, build):
    setup = build(options=FORWARDED)
    with setup.connected(ask("/host", "GET", f"X-Forwarded-Host: {host}")) as connection:
        assert answer(connection)[0] == 400


def test_a_forwarded_host_that_is_not_believed_may_be_anything(build):
    setup = build(options=BEHIND_PROXY)
    with setup.connected(ask("/host", "GET", "X-Forwarded-Host: a/b")) as connection:
        assert answer(connection)[2] == b"a"
