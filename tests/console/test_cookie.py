"""The cookie of the pages, and forms of other sites: refused, before anything is done."""

from tests.console.visitor import SAME_SITE, Visitor
from tests.contract.routes import GUARDED
from tests.people import PASSWORD

HTTPS = {"X-Forwarded-Proto": "https"}


def attributes(answer):
    name_and_value, *attributes = answer.headers["Set-Cookie"].split("; ")
    return name_and_value.partition("=")[0], set(attributes)


def test_over_http_the_cookie_is_a_session_token_that_scripts_cannot_read(visitor):
    answer = visitor.post("/app/signup", {"email": "over@http.example", "password": PASSWORD})

    name, found = attributes(answer)
    assert name == "session"
    assert {"HttpOnly", "Path=/", "SameSite=Lax", "Max-Age=43200"} <= found
    assert "Secure" not in found
    me = visitor.api.get("/v1/auth/me")
    assert me.json["email"] == "over@http.example"


def test_over_https_the_cookie_is_bound_to_the_host(start_service):
    visitor = Visitor(start_service(TRUSTED_PROXY="127.0.0.1"))
    fields = {"email": "a@example.org", "password": PASSWORD}

    name, found = attributes(visitor.post("/app/signup", fields, SAME_SITE | HTTPS))

    assert name == "__Host-session"
    assert {"Secure", "HttpOnly", "Path=/", "SameSite=Lax"} <= found
    assert visitor.request("GET", "/app/account", HTTPS).status == 200
    visitor.cookies = {"session": visitor.cookies["__Host-session"]}
    assert visitor.request("GET", "/app/account", HTTPS).status == 303


def test_the_api_never_reads_a_cookie(member):
    for route in GUARDED:
        answer = member.request(route.method, route.path.replace("<", "").replace(">", ""))
        assert (answer.status, answer.json["code"]) == (401, "not_authenticated"), route


def test_a_page_takes_no_other_credential(member, alice):
    for credential in (alice.credential, alice.create_api_key().credential, {"X-API-Key": "no"}):
        assert member.request("GET", "/app/account", credential).status == 400
    for credential in (alice.credential, {"Authorization": "Bearer v4.local.x"}):
        assert Visitor(member.service).request("GET", "/app/account", credential).status == 400
    assert member.get("/app/account?token=dt_x").status == 400


def test_without_a_login_a_page_leads_to_it_and_back(visitor, service):
    service.register("back@example.org")
    answer = visitor.get("/app/keys?after=key_1")
    assert (answer.status, answer.headers["Location"]) == (
        303,
        "/app/login?next=/app/keys%3Fafter%3Dkey_1",
    )
    page = visitor.get(answer.headers["Location"])
    answer = visitor.submit(page, "/app/login", email="back@example.org", password=PASSWORD)
    assert (answer.status, answer.headers["Location"]) == (303, "/app/keys?after=key_1")


def test_a_response_that_leads_elsewhere_says_that_it_is_empty(member):
    for path in ("/", "/app/login"):
        answer = member.get(path)
        assert (answer.status, answer.headers["Content-Length"], answer.body) == (303, "0", b"")


def test_a_form_without_a_login_leads_back_to_its_page(visitor):
    referrer = {"Referer": f"{visitor.service.url}/app/keys"}
    answer = visitor.post("/app/keys/key_x/revoke", {}, SAME_SITE | referrer)
    assert answer.headers["Location"] == "/app/login?next=/app/keys"


ELSEWHERE = [
    "//evil.example",
    "https://evil.example",
    "/app//evil.example",
    "/app/\\evil.example",
    "/v1/x",
    "/app/a\tb",
    "/application",
    "/app",
    "javascript:alert(1)",
    "/app/x//y",
    "/app/x\r\nA: b",
    "/app/../v1/documents",
    "/app/./x",
    "/app/x/%2e%2E/%2e./v1",
    "/app/x%2F%2Fy",
    "/app/..?a=b",
    "/app/" + "a" * 60 + "\\",
    "/app/" + "a" * 2000,
    "/app/documents?name=" + "a" * 2000,
]


def test_a_login_leads_to_pages_of_the_console_only(visitor, alice):
    for next in ELSEWHERE:
        answer = visitor.log_in(alice.record["email"], next=next)
        assert (answer.status, answer.headers["Location"]) == (303, "/app/documents"), next


def test_a_login_leads_to_a_page_whose_address_has_other_letters(visitor, service, alice):
    answer = visitor.log_in(alice.record["email"], next="/app/documents?name=日本 ü%25")
    expected = "/app/documents?name=%E6%97%A5%E6%9C%AC%20%C3%BC%25"
    assert (answer.status, answer.headers["Location"]) == (303, expected)
    answer = visitor.log_in(alice.record["email"], next="/app/documents?name=a/../b")
    assert answer.headers["Location"] == "/app/documents?name=a/../b"


def test_a_form_whose_page_is_not_known_leads_to_the_documents(visitor):
    for referrer in ("http://[", "http://x/app/../v1", "//", "x"):
        answer = visitor.post("/app/account", {}, SAME_SITE | {"Referer": referrer})
        assert answer.headers["Location"] == "/app/login?next=", referrer


def test_a_cookie_that_has_ended_is_cleared(member):
    api = member.api
    assert api.post("/v1/auth/logout").status == 204

    answer = member.get("/app/account")

    assert answer.headers["Location"] == "/app/login?next=/app/account"
    assert member.cookies == {}


def test_a_form_that_came_too_late_leads_to_its_page_and_is_not_kept(member):
    document = member.api.upload(b"x", name="x.txt", token=None)
    path = f"/app/documents/{document['id']}"
    member.api.post("/v1/auth/logout")
    fields = {"label": "the auditor", "password": "open sesame", "ends": "7"}

    late = member.post(path + "/links", fields, SAME_SITE | {"Referer": member.service.url + path})

    assert (late.status, late.headers["Location"]) == (303, f"/app/login?next={path}")
    login = member.get(late.headers["Location"])
    assert "auditor" not in login.text
    answer = member.submit(login, "/app/login", email=member.email, password=PASSWORD)
    assert answer.headers["Location"] == path
    assert "auditor" not in member.get(path).text
    assert member.api.links(document) == []


def test_a_cookie_that_has_ended_is_as_none_where_none_is_needed(visitor):
    for path in ("/", "/app/login", "/app/signup"):
        visitor.cookies = {"session": "v4.local.over"}
        assert visitor.get(path).status == 200, path


def test_a_login_ends_the_session_that_the_browser_had(member):
    before = member.api

    assert member.log_in(member.email).status == 303

    assert before.get("/v1/auth/me").status == 401
    after = member.api
    assert after.get("/v1/auth/me").status == 200


def test_a_logout_ends_the_session_and_clears_the_cookie(member):
    before = member.api

    assert member.post("/app/logout").headers["Location"] == "/"

    assert member.cookies == {}
    assert before.get("/v1/auth/me").status == 401


def test_the_front_page_of_somebody_logged_in_is_their_documents(member, visitor):
    assert member.get("/").headers["Location"] == "/app/documents"
    text = visitor.get("/").text
    for part in ("/app/login", "/app/signup", "curl"):
        assert part in text


OTHERS = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "{own}"},
    {},
    {"Origin": "null"},
    {"Origin": "http://evil.example"},
    {"Origin": "{own}.evil.example"},
    {"Origin": "https://127.0.0.1"},
    {"Origin": "://"},
]
OURS = [
    {"Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "none"},
    {"Origin": "{own}"},
    {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
]


def headers(given, service):
    return {name: value.replace("{own}", service.url) for name, value in given.items()}


def test_a_form_of_another_site_is_refused(member):
    for given in OTHERS:
        for path in ("/app/account", "/app/login", "/app/signup", "/app/logout"):
            answer = member.post(path, {"name": "Mallory"}, headers(given, member.service))
            assert (answer.status, answer.kind) == (403, "text/html"), given
            assert "another site" in answer.text
    assert "Mallory" not in member.get("/app/account").text


def test_a_form_of_this_site_is_taken(member):
    for number, given in enumerate(OURS):
        sent = headers(given, member.service)
        assert member.post("/app/account", {"name": f"Bob {number}"}, sent).status == 303, given
        assert f'value="Bob {number}"' in member.get("/app/account").text


def test_the_public_address_counts_as_this_site(start_service):
    visitor = Visitor(start_service(BASE_URL="https://docs.example.org"))
    fields = {"email": "a@example.org", "password": PASSWORD}
    assert visitor.post("/app/signup", fields, {"Origin": "https://docs.example"}).status == 403
    assert visitor.post("/app/signup", fields, {"Origin": "https://docs.example.org"}).status == 303
