"""Logging in by an OpenID Connect provider: who is let in, and every answer that is refused."""

import hashlib
import hmac
import json
import re
import secrets
import socket
import threading
import time
from urllib.parse import parse_qsl, urlsplit

import jwt
import pytest

from tests.console.visitor import Visitor, words
from tests.people import PASSWORD
from tests.provider import CLIENT, SECRET, Provider, Signer, basic_of, rsa_key
from tests.service import QuickService

pytestmark = pytest.mark.slow  # they share a service of their own
BASE = "http://localhost:8000"
ELSEWHERE = {"Sec-Fetch-Site": "cross-site"}


@pytest.fixture(scope="module")
def provider():
    provider = Provider()
    yield provider
    provider.close()


@pytest.fixture(scope="module")
def service(tmp_path_factory, provider):
    settings = provider.settings(
        BASE_URL=BASE,
        SIGN_IN_ALLOW="@allowed.example,group:staff",
        RATE_LIMITS="off",
        TRUSTED_PROXY="127.0.0.1",
    )
    service = QuickService(tmp_path_factory.mktemp("service"), **settings)
    yield service
    service.close()


@pytest.fixture(autouse=True)
def honest(provider):
    """The provider is honest again before each test, and knows somebody new."""
    provider.published = None
    provider.discovery.clear()
    provider.answer.clear()
    provider.token = None
    provider.token_answer = None
    name = secrets.token_hex(6)
    email = f"{name}@allowed.example"
    provider.person = {"sub": name, "email": email, "email_verified": True, "name": "Ana Silva"}


def begin(visitor, query="", **headers):
    answer = visitor.get(f"/app/oidc{query}", **headers)
    assert answer.status == 303, answer
    return answer.headers["Location"]


def finish(visitor, provider, address):
    return visitor.get(f"/app/oidc/callback?{provider.log_in_at(address)}", **ELSEWHERE)


def log_in(visitor, provider, query=""):
    return finish(visitor, provider, begin(visitor, query))


def is_in(visitor):
    return visitor.get("/app/documents").status == 200


def refused(visitor, answer, status=401):
    """Assert that an answer is the one page of failures, and nobody is logged in."""
    assert answer.status == status, answer
    assert "You are not logged in" in answer.text
    assert "request <code>" in answer.text
    assert not is_in(visitor)
    return True


def test_a_login_asks_the_provider_with_code_flow_pkce_state_and_nonce(visitor, provider):
    address = begin(visitor)
    asked = dict(parse_qsl(urlsplit(address).query))
    assert address.startswith(f"{provider.issuer}/authorize?")
    assert (asked["response_type"], asked["client_id"]) == ("code", CLIENT)
    assert asked["code_challenge_method"] == "S256"
    assert asked["redirect_uri"] == f"{BASE}/app/oidc/callback"
    assert asked["scope"] == "openid email profile groups"
    assert all(len(asked[name]) >= 43 for name in ("state", "nonce", "code_challenge"))


def test_the_secret_of_a_login_is_a_cookie_for_ten_minutes_that_no_script_reads(visitor):
    (cookie,) = visitor.get("/app/oidc").headers.get_all("Set-Cookie")
    assert cookie.startswith("sign-in=")
    assert {"Max-Age=600", "HttpOnly", "SameSite=Lax", "Path=/"} <= set(cookie.split("; "))
    assert "Secure" not in cookie


def test_the_secret_of_a_login_over_https_is_bound_to_the_host(provider, start_service):
    settings = provider.settings(BASE_URL="https://docs.example.org", TRUSTED_PROXY="127.0.0.1")
    answer = Visitor(start_service(**settings)).get("/app/oidc")
    (cookie,) = answer.headers.get_all("Set-Cookie")
    assert cookie.startswith("__Host-sign-in=")
    assert {"Secure", "HttpOnly", "SameSite=Lax", "Path=/"} <= set(cookie.split("; "))


def test_a_verified_address_of_an_allowed_domain_gets_an_account_without_a_password(
    visitor, provider
):
    answer = log_in(visitor, provider, "?next=/app/links")
    assert (answer.status, answer.headers["Location"]) == (303, "/app/links")
    page = visitor.get("/app/account")
    assert provider.person["email"] in page.text
    assert 'value="Ana Silva"' in page.text
    assert "Current password" not in page.text
    login = Visitor(visitor.service).log_in(provider.person["email"], PASSWORD)
    assert login.status == 401


def test_the_same_subject_comes_back_to_its_account_whatever_its_address_is_now(visitor, provider):
    provider.person["groups"] = ["staff"]
    log_in(visitor, provider)
    email = provider.person["email"]
    provider.person |= {"email": "other@elsewhere.example", "name": "Somebody"}
    again = Visitor(visitor.service)
    log_in(again, provider)
    page = again.get("/app/account")
    assert email in page.text
    assert "elsewhere.example" not in page.text
    assert 'value="Ana Silva"' in page.text


def test_a_member_of_an_allowed_group_gets_an_account(visitor, provider):
    email = f"{secrets.token_hex(6)}@elsewhere.example"
    provider.person |= {"email": email, "groups": ["guests"]}
    assert refused(visitor, log_in(visitor, provider), 403)
    provider.person["groups"] = ["staff"]
    assert log_in(visitor, provider).status == 303


def newest_reason(service):
    """Why nobody was logged in, by the newest line of the log that says so."""
    return re.findall(r"request (\w+): nobody was logged in: (.+)", service.stderr())[-1]


def test_who_has_left_the_group_is_refused_in_words_and_in_the_log(service, provider):
    email = f"{secrets.token_hex(6)}@elsewhere.example"
    provider.person |= {"email": email, "groups": ["staff"]}
    assert log_in(Visitor(service), provider).status == 303
    for left in ({"groups": ["guests"]}, {"groups": []}, {"groups": None}):
        provider.person |= left
        visitor = Visitor(service)
        answer = log_in(visitor, provider)
        assert refused(visitor, answer, 403)
        assert "You may not log in here any more" in answer.text
        assert newest_reason(service) == (
            re.search(r"request <code>(\w+)", answer.text)[1],
            "SIGN_IN_ALLOW does not name them any more",
        )
        assert email not in service.stderr()
    provider.person["groups"] = ["staff"]
    assert log_in(Visitor(service), provider).status == 303


def test_who_has_left_the_domain_is_refused(service, provider):
    assert log_in(Visitor(service), provider).status == 303
    for now in ({"email": "other@elsewhere.example"}, {"email_verified": False}):
        former = dict(provider.person)
        provider.person |= now
        visitor = Visitor(service)
        assert refused(visitor, log_in(visitor, provider), 403)
        provider.person = former


def test_another_login_that_was_added_in_a_session_lets_in_nobody_who_has_left(service, provider):
    provider.person["groups"] = ["staff"]
    provider.person["email"] = f"{secrets.token_hex(6)}@elsewhere.example"
    visitor = Visitor(service)
    log_in(visitor, provider)
    provider.person |= {"sub": secrets.token_hex(6), "groups": []}
    begun = visitor.get("/app/oidc?add=yes", **{"Sec-Fetch-Site": "same-origin"})
    assert finish(visitor, provider, begun.headers["Location"]).status == 303
    again = Visitor(service)
    assert refused(again, log_in(again, provider), 403)


def test_whom_an_operator_or_an_invitation_has_let_in_is_not_judged(member, provider):
    service, person = member.service, provider.person
    person |= {"email": f"{secrets.token_hex(6)}@elsewhere.example", "groups": []}
    invited(service, provider, person["email"], "You are invited")
    assert log_in(Visitor(service), provider).status == 303
    person |= {"sub": secrets.token_hex(6), "email": "any@elsewhere.example"}
    service.run_command("users", "link", member.email, provider.issuer, person["sub"])
    assert log_in(Visitor(service), provider).status == 303


def test_who_has_left_the_group_is_let_in_by_a_link_of_the_operator_or_an_invitation(
    service, provider
):
    for by_operator in (True, False):
        email = f"{secrets.token_hex(6)}@elsewhere.example"
        provider.person |= {"sub": secrets.token_hex(6), "email": email, "groups": ["staff"]}
        log_in(Visitor(service), provider)
        provider.person["groups"] = []
        assert log_in(Visitor(service), provider).status == 403
        if by_operator:
            service.run_command("users", "link", email, provider.issuer, provider.person["sub"])
        else:
            invited(service, provider, email, "Or log in with Acme")
        assert log_in(Visitor(service), provider).status == 303


def test_every_login_that_is_refused_has_its_reason_in_the_log(member, provider):
    service, person = member.service, provider.person
    person |= {"sub": secrets.token_hex(6), "email": "nobody@elsewhere.example"}
    log_in(Visitor(service), provider)
    assert "SIGN_IN_ALLOW does not name them" in newest_reason(service)[1]
    person["email"] = member.email
    log_in(Visitor(service), provider)
    assert "an account has their address" in newest_reason(service)[1]
    person["email_verified"] = False
    answer = log_in(Visitor(service), provider)
    assert "Your login brought no verified e-mail address" in answer.text
    assert "email_verified: true" in newest_reason(service)[1]
    service.run_command("users", "link", member.email, provider.issuer, person["sub"])
    service.run_command("users", "disable", member.email)
    log_in(Visitor(service), provider)
    assert newest_reason(service)[1] == "their account is disabled"


@pytest.mark.parametrize("verified", [False, None, "true", 1])
def test_an_address_that_is_not_verified_lets_nobody_in(visitor, provider, verified):
    provider.person["email_verified"] = verified
    answer = log_in(visitor, provider)
    assert refused(visitor, answer, 403)
    assert "Your login brought no verified e-mail address" in answer.text


def test_an_account_of_the_same_address_is_never_merged(visitor, provider, member):
    provider.person["email"] = member.email.upper()
    answer = log_in(visitor, provider)
    assert refused(visitor, answer, 403)
    assert "Log in to it once with your password" in words(answer)
    provider.person["email_verified"] = False
    answer = log_in(visitor, provider)
    assert refused(visitor, answer, 403)
    assert "There is an account" not in answer.text


def test_a_young_session_adds_a_login_which_opens_the_account_from_then_on(member, provider):
    provider.person["email"] = "quite@another.example"
    page = member.get("/app/account")
    assert 'href="/app/oidc?add=yes"' in page.text
    address = begin(member, "?add=yes", **{"Sec-Fetch-Site": "same-origin"})
    answer = finish(member, provider, address)
    assert answer.headers["Location"] == "/app/account?done=linked"
    again = Visitor(member.service)
    assert log_in(again, provider).status == 303
    assert member.email in again.get("/app/account").text
    types = [one["type"] for one in again.api.get("/v1/events").json["events"]]
    assert types.count("identity.linked") == 1
    assert f"added another login, by {urlsplit(provider.issuer).netloc}" in words(
        again.get("/app/activity")
    )


def test_a_login_is_added_by_a_click_on_a_page_of_ours_alone(member, provider):
    for site in ("cross-site", "same-site", "none"):
        answer = member.get("/app/oidc?add=yes", **{"Sec-Fetch-Site": site})
        assert (answer.status, answer.headers.get("Location")) == (200, None)
        assert "Did you ask for this?" in words(answer)
    answer = member.get("/app/oidc?add=yes")  # a browser that does not say where it was
    assert answer.status == 200


def test_a_login_is_not_added_by_another_session_than_began_it(member, visitor, provider):
    address = begin(member, "?add=yes", **{"Sec-Fetch-Site": "same-origin"})
    visitor.sign_up(f"{secrets.token_hex(6)}@example.org")
    visitor.cookies["sign-in"] = member.cookies["sign-in"]
    assert finish(visitor, provider, address).status == 401
    assert "sure" not in visitor.get("/app/account").text


def test_a_login_is_not_added_by_a_session_that_ends_while_the_provider_answers(member, provider):
    def sign(claims):
        assert member.api.post("/v1/auth/logout").status == 204
        return provider.signer.sign(claims)

    address = begin(member, "?add=yes", **{"Sec-Fetch-Site": "same-origin"})
    provider.token = sign
    assert finish(member, provider, address).status == 401
    provider.token = None
    other = Visitor(member.service)
    assert log_in(other, provider).status == 303
    assert member.email not in other.get("/app/account").text


def test_a_login_of_another_account_is_not_added(member, visitor, provider):
    log_in(visitor, provider)
    address = begin(member, "?add=yes", **{"Sec-Fetch-Site": "same-origin"})
    answer = finish(member, provider, address)
    assert answer.status == 403
    assert "belongs to another account" in answer.text


def test_the_only_way_in_cannot_be_removed_and_another_one_can(visitor, member, provider):
    log_in(visitor, provider)
    page = visitor.get("/app/account")
    (action,) = {one for one in page.text.split('"') if one.endswith("/remove")}
    answer = visitor.post(action)
    assert answer.status == 409
    assert "only way into your account" in answer.text
    finish(member, provider, begin(member, "?add=yes", **{"Sec-Fetch-Site": "same-origin"}))
    provider.person |= {"sub": secrets.token_hex(4), "email": "b@another.example"}
    finish(member, provider, begin(member, "?add=yes", **{"Sec-Fetch-Site": "same-origin"}))
    by_login = Visitor(member.service)
    log_in(by_login, provider)
    page = member.get("/app/account")
    (action,) = {one for one in page.text.split('"') if one.endswith("/remove")}
    assert member.post(action).headers["Location"] == "/app/account?done=unlinked"
    assert not is_in(by_login)
    assert refused(Visitor(member.service), log_in(Visitor(member.service), provider), 403)
    types = [one["type"] for one in member.api.get("/v1/events").json["events"]]
    assert types.count("identity.unlinked") == 1


def test_an_invitation_makes_an_account_or_adds_the_login_to_one(service, member, provider):
    provider.person["email"] = "new@elsewhere.example"
    new = invited(service, provider, "new@elsewhere.example", "You are invited")
    assert "new@elsewhere.example" in new.get("/app/account").text
    provider.person |= {"sub": secrets.token_hex(4), "email": member.email}
    again = invited(service, provider, member.email, "Or log in with Acme")
    assert again.api.get("/v1/auth/me").json == member.api.get("/v1/auth/me").json
    assert is_in(member)


def invited(service, provider, email, says):
    """Somebody who follows an invitation, and its link to the provider, and logs in there."""
    printed = service.run_command("users", "invite", email)
    secret = re.search(r"invite=(\w+)", printed)[1]
    visitor = Visitor(service)
    page = visitor.get(f"/app/signup?invite={secret}")
    assert says in words(page)
    assert f'href="/app/oidc?invite={secret}"' in page.text
    assert log_in(visitor, provider, f"?invite={secret}").status == 303
    assert is_in(visitor)
    return visitor


def test_an_invitation_for_another_address_lets_nobody_in(visitor, provider):
    printed = visitor.service.run_command("users", "invite", "somebody@elsewhere.example")
    secret = re.search(r"invite=(\w+)", printed)[1]
    provider.person["email"] = "eve@elsewhere.example"
    assert refused(visitor, log_in(visitor, provider, f"?invite={secret}"), 403)


def test_a_start_from_another_site_needs_a_click(visitor):
    for site in ("cross-site", "same-site"):
        answer = visitor.get("/app/oidc", **{"Sec-Fetch-Site": site})
        assert (answer.status, answer.headers.get("Location")) == (200, None)
        assert 'href="/app/oidc"' in answer.text
        assert "sign-in" not in visitor.cookies
    answer = visitor.get("/app/oidc", Referer="https://elsewhere.example/")
    assert answer.status == 200


@pytest.mark.parametrize("next", ["https://evil.example/", "//evil.example", "/v1/documents", "/"])
def test_next_leads_to_a_page_of_ours_or_to_the_documents(visitor, provider, next):
    answer = log_in(visitor, provider, f"?next={next}")
    assert answer.headers["Location"] == "/app/documents"


def test_a_callback_without_the_cookie_or_with_that_of_another_browser_is_refused(
    visitor, provider
):
    answer = provider.log_in_at(begin(visitor))
    stranger = Visitor(visitor.service)
    assert refused(stranger, stranger.get(f"/app/oidc/callback?{answer}"))
    begin(stranger)
    assert refused(stranger, stranger.get(f"/app/oidc/callback?{answer}"))
    assert visitor.get(f"/app/oidc/callback?{answer}").status == 303


def test_an_answer_counts_once(visitor, provider):
    answer = provider.log_in_at(begin(visitor))
    cookie = visitor.cookies["sign-in"]
    assert visitor.get(f"/app/oidc/callback?{answer}").status == 303
    again = Visitor(visitor.service)
    again.cookies["sign-in"] = cookie
    assert refused(again, again.get(f"/app/oidc/callback?{answer}"))


def test_of_many_answers_at_once_one_counts(visitor, provider):
    answer = provider.log_in_at(begin(visitor))
    cookie = visitor.cookies["sign-in"]
    found = []

    def take():
        one = Visitor(visitor.service)
        one.cookies["sign-in"] = cookie
        found.append(one.get(f"/app/oidc/callback?{answer}").status)

    threads = [threading.Thread(target=take) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(found) == [303] + [401] * 7


def test_two_first_logins_at_once_make_one_account(service, provider):
    visitors = [Visitor(service), Visitor(service)]
    answers = [provider.log_in_at(begin(one)) for one in visitors]
    found = []

    def take(visitor, answer):
        found.append(visitor.get(f"/app/oidc/callback?{answer}").status)

    pairs = zip(visitors, answers, strict=True)
    threads = [threading.Thread(target=take, args=pair) for pair in pairs]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == [303, 303]
    assert all(provider.person["email"] in one.get("/app/account").text for one in visitors)


def test_an_answer_of_another_issuer_is_refused(visitor, provider):
    provider.answer["iss"] = "https://evil.example"
    assert refused(visitor, log_in(visitor, provider))
    provider.answer["iss"] = provider.issuer
    assert log_in(visitor, provider).status == 303


def test_a_refusal_of_the_provider_shows_none_of_its_words(visitor, provider):
    provider.answer |= {"error": "access_denied", "error_description": "<b>evil words</b>"}
    answer = log_in(visitor, provider)
    assert refused(visitor, answer)
    assert "evil words" not in answer.text
    assert "access_denied" not in answer.text


def unsigned(claims):
    return jwt.encode(claims, None, "none", {"kid": "one"})


def by_public_key(provider):
    """A token with a MAC under the public key, which is no secret."""
    header = jwt.utils.base64url_encode(b'{"alg":"HS256","kid":"one"}')

    def sign(claims):
        body = header + b"." + jwt.utils.base64url_encode(json.dumps(claims).encode())
        key = json.dumps(provider.signer.public).encode()
        mac = hmac.digest(key, body, hashlib.sha256)
        return (body + b"." + jwt.utils.base64url_encode(mac)).decode()

    return sign


CHANGES = {
    "another audience": {"aud": "another"},
    "two audiences": {"aud": [CLIENT, "another"]},
    "no audience": {"aud": None},
    "another issuer": {"iss": "https://evil.example"},
    "another authorized party": {"azp": "another"},
    "another nonce": {"nonce": "of another login"},
    "no nonce": {"nonce": None},
    "expired": {"exp": 1},
    "no end": {"exp": None},
    "an end that is no number": {"exp": "2999"},
    "of the future": {"iat": 2**40},
    "no subject": {"sub": None},
    "an empty subject": {"sub": ""},
    "a long subject": {"sub": "x" * 256},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_token_with_a_wrong_claim_is_refused(visitor, provider, change):
    def changed(claims):
        whole = {**claims, **change}
        return provider.signer.sign({name: one for name, one in whole.items() if one is not None})

    provider.token = changed
    if change.get("sub", 0) is None:
        provider.token = lambda claims: provider.signer.sign(
            {name: one for name, one in claims.items() if name != "sub"}
        )
    assert refused(visitor, log_in(visitor, provider))


@pytest.mark.parametrize("slack", [{"exp": -30}, {"iat": 30}], ids=["end", "beginning"])
def test_clocks_may_differ_by_a_minute(visitor, provider, slack):
    ((name, seconds),) = slack.items()
    provider.token = lambda claims: provider.signer.sign({**claims, name: time.time() + seconds})
    assert log_in(visitor, provider).status == 303


def test_a_token_without_a_signature_of_the_providers_key_is_refused(visitor, provider):
    other = Signer(key=rsa_key())
    forgeries = {
        "none": unsigned,
        "a MAC under the public key": by_public_key(provider),
        "another key": other.sign,
        "a key in its own head": lambda claims: other.sign(claims, jwk=other.public),
        "an address of keys": lambda claims: other.sign(claims, jku="https://evil.example"),
        "something critical": lambda claims: provider.signer.sign(claims, crit=["x"], x=1),
        "another body": lambda claims: _with_body_of(provider, claims),
        "no token": lambda _: "a.b.c",
        "a number": lambda _: 7,
    }
    for name, forge in forgeries.items():
        provider.token = forge
        assert refused(visitor, log_in(visitor, provider)), name


def _with_body_of(provider, claims):
    head, _, signature = provider.signer.sign(claims).split(".")
    _, body, _ = provider.signer.sign({**claims, "sub": "p-2"}).split(".")
    return f"{head}.{body}.{signature}"


@pytest.mark.parametrize("algorithm", ["ES256", "EdDSA", "Ed25519"])
def test_other_keys_of_the_provider_sign_by_their_own_algorithm(start_service, algorithm):
    provider = Provider()
    provider.signer = Signer(algorithm)
    provider.person["email"] = f"{secrets.token_hex(6)}@example.org"
    settings = provider.settings(BASE_URL=BASE, SIGN_IN_ALLOW="@example.org")
    visitor = Visitor(start_service(**settings))
    assert log_in(visitor, provider).status == 303
    provider.close()


def test_a_new_key_is_read_once_a_minute_at_most(start_service):
    provider = Provider()
    provider.person["email"] = f"{secrets.token_hex(6)}@example.org"
    settings = provider.settings(BASE_URL=BASE, SIGN_IN_ALLOW="@example.org", RATE_LIMITS="off")
    visitor = Visitor(start_service(**settings))
    assert log_in(visitor, provider).status == 303
    provider.signer = Signer(kid="two", key=rsa_key())
    for _ in range(3):
        assert log_in(Visitor(visitor.service), provider).status == 401
    assert [one for one in provider.asked if one.endswith("/keys")] == ["/realm/keys"]
    provider.close()


def test_the_client_authenticates_by_basic_or_by_the_form_where_only_that_is_published(
    visitor, provider, start_service
):
    log_in(visitor, provider)
    form = provider.forms[-1]
    assert basic_of(form["Authorization"]) == [CLIENT, SECRET]
    assert "client_secret" not in form
    other = Provider()
    other.discovery["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
    settings = other.settings(BASE_URL=BASE, SIGN_IN_ALLOW="@example.org")
    assert log_in(Visitor(start_service(**settings)), other).status == 303
    assert other.forms[-1]["client_secret"] == SECRET
    assert other.forms[-1]["Authorization"] is None
    other.close()


ANSWERS = {
    "a redirect": lambda one: one.send(302, b"", Location="https://evil.example/"),
    "an error": lambda one: one.send(400, b'{"error":"invalid_grant"}'),
    "a long answer": lambda one: one.send(200, b" " * (300 << 10) + b"{}"),
    "no JSON": lambda one: one.send(200, b"<html>"),
    "a deep nesting": lambda one: one.send(200, b"[" * 100_000),
    "a list": lambda one: one.send(200, b"[]"),
    "no token": lambda one: one.send(200, b'{"access_token":"x"}'),
    "no HTTP": lambda one: one.wfile.write(b"SSH-2.0"),
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_an_answer_without_a_token_logs_nobody_in(visitor, provider, answer):
    provider.token_answer = answer
    assert refused(visitor, log_in(visitor, provider))


def test_a_provider_that_drips_is_given_up_after_five_seconds(visitor, provider):
    ended = threading.Event()

    def drip(handler):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while not ended.wait(0.2):
            try:
                handler.wfile.write(b" ")
            except OSError:
                break

    provider.token_answer = drip
    began = time.monotonic()
    assert refused(visitor, log_in(visitor, provider))
    assert time.monotonic() - began < 15
    ended.set()


def test_a_provider_that_is_away_delays_no_start_and_no_password(start_service):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
        issuer = f"http://127.0.0.1:{port}"
        service = start_service(
            OIDC_ISSUER=issuer, OIDC_CLIENT_ID="a", OIDC_CLIENT_SECRET="b", BASE_URL=BASE
        )
        visitor = Visitor(service).sign_up("ana@example.org")
        assert is_in(visitor)
        answer = Visitor(service).get("/app/oidc")
        assert answer.status == 503
        assert "does not answer now" in answer.text
        assert 'href="/app/login"' in answer.text
        assert answer.headers["Retry-After"]
        assert "nobody was led to the provider: The provider of OIDC_ISSUER" in service.stderr()


@pytest.mark.parametrize(
    "change",
    [
        {"issuer": "https://evil.example"},
        {"token_endpoint": "http://192.0.2.1/token"},
        {"jwks_uri": None},
        {"authorization_endpoint": "javascript:alert(1)"},
    ],
    ids=["issuer", "plain http", "no keys", "no address"],
)
def test_a_discovery_document_of_another_or_without_https_is_refused(start_service, change):
    provider = Provider()
    provider.discovery |= change
    visitor = Visitor(start_service(**provider.settings(BASE_URL=BASE)))
    assert visitor.get("/app/oidc").status == 503
    provider.close()


def test_a_logout_leads_to_no_other_site_and_shows_how_to_log_out_there(visitor, provider):
    log_in(visitor, provider)
    answer = visitor.post("/app/logout")
    assert answer.status == 200
    assert f'href="{provider.issuer}/logout?client_id={CLIENT}&amp;' in answer.text
    assert "You are logged out here" in answer.text
    assert "Acme still knows you in this browser" in words(answer)
    assert not is_in(visitor)


def test_a_logout_after_a_password_is_as_before(member):
    answer = member.post("/app/logout")
    assert (answer.status, answer.headers["Location"]) == (303, "/")


def test_however_many_logins_others_begin_one_that_waits_goes_on(service, provider):
    waiting = Visitor(service)
    address = begin(waiting)
    rows = service.sql("SELECT count(*) FROM used_sign_in")
    for _ in range(150):
        begin(Visitor(service))
    assert service.sql("SELECT count(*) FROM used_sign_in") == rows
    assert finish(waiting, provider, address).status == 303
    assert is_in(waiting)


def test_a_service_without_a_provider_has_none_of_it(start_service):
    visitor = Visitor(start_service())
    for path in ("/app/oidc", "/app/oidc/callback"):
        assert visitor.get(path).status == 404
    page = visitor.get("/app/login")
    assert "Log in with" not in page.text
    assert "Other logins" not in visitor.sign_up("a@example.org").get("/app/account").text
