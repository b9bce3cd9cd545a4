"""The provider's documents: kept for a day, read again for a new key, and not asked in vain."""

import sys
import threading
import time
from urllib.parse import parse_qsl, urlsplit

import pytest

import crypto
from models.core import Busy, Payer
from models.runtime import AnswerRefusedError, Provider, ProviderAway
from models.runtime import provider as provider_module
from models.runtime.json_client import NoAnswerError, get_json
from settings import Settings, WrongSetting
from tests import provider as providers
from tests.payers import paid_by
from tests.waiting import join_threads, start_threads

MINUTE, DAY = 60_000, 86_400_000


class Clock:
    """A clock that the test moves."""

    def __init__(self):
        self.ahead = 0

    def __call__(self):
        return int(time.time() * 1000) + self.ahead


@pytest.fixture
def real():
    real = providers.Provider()
    yield real
    real.close()


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def provider(real, clock):
    return Provider(
        Settings(
            oidc_issuer=real.issuer,
            oidc_client_id=providers.CLIENT,
            oidc_client_secret=providers.SECRET,
            base_url="https://docs.example.org",
        ),
        clock,
    )


def log_in(provider, real, **changes):
    address = provider.authorization_url("the state", "the nonce", "the verifier")
    real.token = lambda claims: real.signer.sign(
        {**claims, "iat": provider._clock() // 1000, "exp": provider._clock() // 1000 + 60}
    )
    answer = dict(parse_qsl(real.log_in_at(address))) | changes
    return provider.claims(answer, "the verifier", "the nonce")


def reads(real, what):
    return len([one for one in real.asked if one.endswith(what)])


def test_the_documents_are_read_once_a_day(provider, real, clock):
    log_in(provider, real)
    clock.ahead = DAY - MINUTE
    log_in(provider, real)
    assert (reads(real, "configuration"), reads(real, "keys")) == (1, 1)
    clock.ahead = DAY + MINUTE
    log_in(provider, real)
    assert (reads(real, "configuration"), reads(real, "keys")) == (2, 2)


def test_an_unknown_key_is_asked_for_once_a_minute(provider, real, clock):
    log_in(provider, real)
    real.signer = providers.Signer(kid="two", key=providers.rsa_key())
    with pytest.raises(AnswerRefusedError, match="not one of the provider's"):
        log_in(provider, real)
    assert reads(real, "keys") == 1
    clock.ahead = MINUTE + 1000
    assert log_in(provider, real)["sub"] == "p-1"
    assert reads(real, "keys") == 2


def test_a_provider_that_has_failed_is_not_asked_again_at_once(provider, real, clock):
    real.discovery["issuer"] = "https://evil.example"
    for _ in range(5):
        with pytest.raises(ProviderAway):
            provider.authorization_url("s", "n", "v")
    assert reads(real, "configuration") == 1
    real.discovery.clear()
    clock.ahead = 6000
    assert provider.authorization_url("s", "n", "v").startswith(real.issuer)


def test_an_answer_has_to_name_the_issuer_where_the_provider_says_so(provider, real):
    real.discovery["authorization_response_iss_parameter_supported"] = True
    with pytest.raises(AnswerRefusedError, match="names no issuer"):
        log_in(provider, real)
    assert log_in(provider, real, iss=real.issuer)["sub"] == "p-1"


def test_a_key_of_another_use_or_algorithm_and_a_short_one_verify_nothing(provider, real, clock):
    public = real.signer.public
    for change in (
        {"use": "enc"},
        {"alg": "RS512"},
        {"kty": "oct", "k": "c2VjcmV0"},
        {"n": "AQAB"},
    ):
        clock.ahead += 2 * MINUTE
        real.published = [public | change, "no key", None]
        with pytest.raises(AnswerRefusedError):
            log_in(provider, real)
    clock.ahead += 2 * MINUTE
    real.published = None
    assert log_in(provider, real)["sub"] == "p-1"


def test_nothing_is_asked_of_an_address_without_https():
    for address in ("http://192.0.2.1/", "file:///etc/passwd", "https://", "http://a.example/"):
        with pytest.raises(NoAnswerError, match="not by https"):
            get_json(address)


def test_no_logout_leads_to_an_address_that_is_no_page(provider, real):
    real.discovery["end_session_endpoint"] = "javascript:alert(1)"
    assert provider.logout_url() is None


def test_groups_are_asked_for_only_if_one_is_allowed(provider):
    address = provider.authorization_url("s", "n", "v")
    assert dict(parse_qsl(urlsplit(address).query))["scope"] == "openid email profile"


def test_two_answers_of_one_network_are_judged_at_once_and_others_go_on(
    provider, real, monkeypatch
):
    monkeypatch.setattr(provider_module, "EXCHANGE_WAIT_SECONDS", 0)
    log_in(provider, real)
    reached, ended = threading.Semaphore(0), threading.Event()

    def hang(handler):
        reached.release()
        ended.wait(30)
        handler.send(400, b"{}")

    real.token_answer = hang
    answer = {"code": "x", "state": "the state"}

    def ask(network):
        with paid_by(Payer(network)), pytest.raises(AnswerRefusedError):
            provider.claims(answer, "v", "n")

    threads = start_threads(lambda: ask("one"), lambda: ask("one"))
    assert [reached.acquire(timeout=30) for _ in threads] == [True, True]
    with paid_by(Payer("one")), pytest.raises(Busy):
        provider.claims(answer, "v", "n")
    threads += start_threads(lambda: ask("two"))
    assert reached.acquire(timeout=30)
    ended.set()
    join_threads(threads)


def test_while_the_provider_hangs_three_wait_for_a_document_and_others_are_told_at_once(
    provider, monkeypatch
):
    reached, ended = threading.Semaphore(0), threading.Event()

    def hang(_address):
        reached.release()
        ended.wait(30)
        raise NoAnswerError("it hangs")

    monkeypatch.setattr(provider_module, "get_json", hang)
    refused = threading.Semaphore(0)

    def ask():
        with pytest.raises(ProviderAway):
            provider.authorization_url("s", "n", "v")
        refused.release()

    threads = start_threads(*[ask] * 16)
    assert reached.acquire(timeout=30)
    assert [refused.acquire(timeout=30) for _ in range(13)] == [True] * 13
    assert not refused.acquire(blocking=False)
    ended.set()
    join_threads(threads)
    assert not reached.acquire(blocking=False)  # those who waited have asked for nothing more


def test_who_waits_for_a_document_gets_the_one_that_was_read(provider, real, monkeypatch):
    asked, ended = threading.Semaphore(0), threading.Event()
    read = provider_module.get_json

    def slowly(address):
        asked.release()
        ended.wait(30)
        return read(address)

    monkeypatch.setattr(provider_module, "get_json", slowly)
    found = []
    threads = start_threads(*[lambda: found.append(provider.authorization_url("s", "n", "v"))] * 3)
    assert asked.acquire(timeout=30)
    ended.set()
    join_threads(threads)
    assert len(found) == 3
    assert reads(real, "configuration") == 1


def test_without_the_library_the_start_says_what_to_install(provider, monkeypatch):
    monkeypatch.delattr(crypto, "id_tokens")
    monkeypatch.setitem(sys.modules, "crypto.id_tokens", None)
    with pytest.raises(WrongSetting, match=r"needs PyJWT: pip install -e '\.\[oidc\]'"):
        Provider(Settings(oidc_issuer="https://login.example.org"))
