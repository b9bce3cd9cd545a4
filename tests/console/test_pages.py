"""What every page has: headers, errors for people, lasting assets; and the page of activity."""

import gzip
import re
import secrets

import pytest

from blueprints.console.activity import day_of
from models import Event
from models.core import now
from tests.console.visitor import SAME_SITE, Visitor, field_of
from tests.contract.webhooks import create_webhook
from tests.service import ROOT
from tests.tus import Upload

PUBLIC = ["/app/login", "/app/signup"]
NOUNS = (
    "documents",
    "collections",
    "requests",
    "bin",
    "links",
    "keys",
    "webhooks",
    "activity",
    "account",
)


PAGES = [f"/app/{noun}" for noun in NOUNS]


def test_a_page_allows_nothing_but_its_own_script_and_style(member, visitor):
    nonces = set()
    for path in PUBLIC + PAGES:
        answer = (visitor if path in PUBLIC else member).get(path)
        (nonce,) = set(re.findall(r'nonce="([^"]+)"', answer.text))
        assert answer.headers["Content-Security-Policy"] == (
            f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; "
            "connect-src 'self'; img-src 'self'; manifest-src 'self'; frame-src 'self'; "
            "form-action 'self'; base-uri 'none'; "
            "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        ), path
        assert answer.headers["Referrer-Policy"] == "same-origin"
        assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert answer.headers["Cache-Control"] == "private, no-store"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert not re.search(r" (on\w+|style)=", answer.text), path
        assert nonce not in nonces, path
        nonces.add(nonce)


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_a_page_that_a_person_or_a_page_of_ours_asks_for_is_compressed(member, site):
    plain = member.get("/app/requests")
    asked = {"Accept-Encoding": "gzip, br", "Sec-Fetch-Site": site}
    compressed = member.get("/app/requests", **asked)
    assert compressed.headers["Content-Encoding"] == "gzip"
    assert compressed.headers["Vary"] == "Accept-Encoding, Sec-Fetch-Site"
    page = gzip.decompress(compressed.body).decode()
    assert len(page) == len(plain.text)  # which has another nonce and another key of its form
    assert len(compressed.body) < len(page) / 2


@pytest.mark.parametrize(
    "asked",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {},
        {"Sec-Fetch-Site": "none", "Accept-Encoding": "br"},
    ],
    ids=["by another site", "by a site beside", "by who does not say", "without gzip"],
)
def test_no_other_site_learns_from_the_length_of_a_page_what_is_on_it(member, asked):
    answer = member.get("/app/requests", **({"Accept-Encoding": "gzip, br"} | asked))
    assert answer.status == 200
    assert answer.headers["Content-Encoding"] is None


BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


def test_a_person_at_a_mistyped_address_sees_a_page_and_a_program_a_problem(visitor):
    page = visitor.get("/doccuments", **BROWSER)
    assert (page.status, page.kind) == (404, "text/html")
    assert "There is nothing here" in page.text
    assert '<a class="button" href="/">To the front page</a>' in page.text  # has no documents
    for path, headers in (("/doccuments", {}), ("/v1/doccuments", BROWSER)):
        answer = visitor.get(path, **headers)
        assert (answer.status, answer.kind) == (404, "application/problem+json"), path


def test_who_is_logged_in_is_led_from_a_page_that_is_not_there_to_the_documents(member):
    page = member.get("/app/documents/doc_nothing", **BROWSER)
    assert '<a class="button" href="/app/documents">To your documents</a>' in page.text


def test_short_addresses_that_people_type_lead_on(visitor):
    places = {"/login": "/app/login", "/signup": "/app/signup", "/app/": "/app/documents"}
    for path, place in places.items():
        answer = visitor.get(path, **BROWSER)
        assert (answer.status, answer.headers["Location"]) == (303, place)


def test_style_and_script_are_kept_by_browsers_for_good(visitor):
    addresses = re.findall(r'"(/app/console-[^"]+)"', visitor.get("/app/login").text)
    for address in addresses:
        answer = visitor.get(address)
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        again = visitor.get(address, **{"If-None-Match": answer.headers["ETag"]})
        assert (again.status, again.body) == (304, b"")
        assert again.headers["ETag"] == answer.headers["ETag"]
        assert answer.kind == {"css": "text/css", "js": "text/javascript"}[address.split(".")[-1]]
    assert visitor.get("/app/console-0123456789abcdef.css").status == 404


def test_style_and_script_are_compressed_for_clients_that_accept_gzip(member):
    page = member.get("/app/documents")
    sent = len(page.body)
    for address in re.findall(r'"(/app/console-[^"]+)"', page.text):
        plain = member.get(address, **{"Accept-Encoding": "gzip;q=0, br"})
        compressed = member.get(address, **{"Accept-Encoding": "gzip, br"})
        assert plain.headers["Content-Encoding"] is None
        assert compressed.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(compressed.body) == plain.body
        assert plain.headers["ETag"] != compressed.headers["ETag"]
        assert plain.headers["Vary"] == compressed.headers["Vary"] == "Accept-Encoding"
        sent += len(compressed.body)
    assert sent <= 60_000


def test_the_sheet_and_the_script_are_sent_as_they_are_written(visitor):
    style, script = re.findall(r'"(/app/console-[^"]+)"', visitor.get("/app/login").text)
    sent = {"styles": visitor.get(style).text, "scripts": visitor.get(script).text}
    assert sent["styles"].startswith((ROOT / "viewer/templates/base.css").read_text())
    for folder, text in sent.items():
        files = sorted((ROOT / "templates/console" / folder).iterdir())
        assert len(files) > 5
        for file in files:
            assert text.count(file.read_text().strip()) == 1, file.name


def test_an_error_is_a_page_and_for_programs_a_problem(member):
    for method, path, status in (("GET", "/app/nothing", 404), ("DELETE", "/app/keys", 405)):
        answer = member.request(method, path, {"Accept": "text/html,*/*;q=0.8"})
        assert (answer.status, answer.kind) == (status, "text/html")
        assert answer.policy["default-src"] == ["'none'"]
        answer = member.request(method, path, {"Accept": "application/json"})
        assert (answer.status, answer.kind) == (status, "application/problem+json")
    assert member.get("/app/logout", Accept="application/json").status == 405


@pytest.fixture
def having(service):
    """Somebody with one of everything, and the ids by the nouns of the pages' addresses."""
    email = f"{secrets.token_hex(6)}@console.example"
    owner = Visitor(service).sign_up(email)
    service.run_command("users", "link", email, "proxy", email)
    document, binned = owner.api.upload(b"x"), owner.api.upload(b"x")
    owner.post("/app/documents", {"act": "bin", "id": binned["id"]})
    link = owner.api.share(document, agreement="I keep this to myself.")
    accepted = {"name": "Ana", "accept": link["agreementSha256"]}
    assert owner.api.open(link["shortUrl"], "POST", json=accepted).status == 200
    opened = f"/v1/documents/{document['id']}/tokens/{link['id']}/openings"
    webhook = create_webhook(owner.api, events=["webhook.test"])
    return owner, {
        "documents": document["id"],
        "bin": binned["id"],
        "collections": owner.api.collect(document)["id"],
        "links": link["id"],
        "openings": owner.api.get(opened).json["openings"][0]["id"],
        "webhooks": webhook["id"],
        "deliveries": owner.api.post(f"/v1/webhooks/{webhook['id']}/test").json["id"],
        "keys": owner.api.create_api_key().record["id"],
        "identities": re.search(r"identities/(\w+)/", owner.get("/app/account").text)[1],
        "sessions": owner.api.get("/v1/auth/sessions").json["sessions"][0]["id"],
        "spaces": owner.api.post("/v1/spaces", json={"name": "Accounting"}).json["id"],
        "members": owner.api.get("/v1/auth/me").json["id"],
        "invitations": "inv_1",
        "uploads": Upload.begin(owner.api, 1).id,
    }


def addresses(pattern):
    """Pairs of method and address of the pages whose address matches."""
    table = (ROOT / "docs/console.md").read_text()
    pages = re.findall(r"^\| (\w+) \| `(\S+)` \| .+ \| .+ \|$", table, re.M)
    return [(method, address) for method, address in pages if re.search(pattern, address)]


def with_ids(address, ids):
    return re.sub(r"(\w+)/<\w+>", lambda found: f"{found[1]}/{ids[found[1]]}", address)


def test_the_address_of_each_form_leads_to_a_page_when_it_is_loaded_again(having):
    owner, ids = having
    pages = addresses("")
    shown = {address for method, address in pages if method == "GET"}
    forms = {address for method, address in pages if method == "POST"} - shown
    assert len(forms) > 10
    for address in forms:
        path = with_ids(address, ids)
        answer = owner.get(path, **BROWSER)
        assert answer.status == 303, path
        page = answer.headers["Location"]
        assert path.startswith(page + "/"), path
        answer = owner.get(page, **BROWSER)
        if page == "/app":
            answer = owner.get(answer.headers["Location"], **BROWSER)
        assert (answer.status, answer.kind) == (200, "text/html"), path


def test_a_link_of_another_site_records_nothing(having):
    """But a look at a document, which its own page shows as well."""
    owner, ids = having
    told = [event["id"] for event in owner.api.events()]
    for method, address in addresses(""):
        if method == "GET" and "<any(" not in address and "<version>" not in address:
            path = with_ids(address, ids)
            if not path.endswith("/view"):
                owner.get(path, **BROWSER, **{"Sec-Fetch-Site": "cross-site"})
    assert [event["id"] for event in owner.api.events()] == told


@pytest.mark.parametrize("noun", ["documents", "collections"])
@pytest.mark.parametrize("saving", ["content", "download"])
def test_another_site_leads_to_the_page_instead_of_saving(noun, saving, having):
    owner, ids = having
    page = f"/app/{noun}/{ids[noun]}"
    for site, status in (("cross-site", 303), ("same-site", 303), ("same-origin", 200)):
        answer = owner.get(f"{page}/{saving}", **{"Sec-Fetch-Site": site})
        assert answer.status == status
        assert answer.headers["Location"] == (page if status == 303 else None)


def test_what_belongs_to_another_user_is_not_there(member, having):
    owner, ids = having
    pages = [one for one in addresses(r"<\w*id>") if not one[1].endswith("/confirm")]
    assert len(pages) > 35
    for method, address in pages:
        path = with_ids(address, ids)
        answer = member.post(path) if method == "POST" else member.request(method, path, SAME_SITE)
        assert answer.status == 404, (method, path)
        assert method != "GET" or owner.get(path).status == 200, path
    assert [one["id"] for one in owner.api.get("/v1/documents").json["documents"]] == [
        ids["documents"]
    ]


def test_a_service_without_console_has_the_front_page_and_nothing_below_app(start_service):
    visitor = Visitor(start_service(CONSOLE="off"))
    for path in ("/app", "/app/login", "/app/documents"):
        assert visitor.get(path, Accept="text/html").status == 404
    text = visitor.get("/").text
    assert "/app/" not in text
    assert "curl" in text


def sentences(member, query=""):
    """Each act behind the name of its actor, as the page lists them."""
    text = member.get("/app/activity" + query).text
    told = []
    for actor, acts in re.findall(r"<b><bdi>([^<]*)</bdi></b>\s*<ol>(.*?)</ol>", text, re.S):
        lines = re.findall(r"</svg><span>(.*?)</span><time", acts)
        told += [f"{actor} {re.sub(r'<[^>]+>', '', line)}" for line in lines]
    return told


def test_what_people_did_is_told_newest_first_below_their_names(member):
    api = member.api
    document = api.upload(b"x", name="Contract.pdf", token=None)
    link = api.share(document, label="the auditor")
    member.api.open(link["viewUrl"])
    api.change(document, link, label="the notary")
    api.revoke(document, link)
    key = api.create_api_key(name="backup")
    key.upload(b"y", name="copy.txt", token=None)
    api.post(f"/v1/api-keys/{key.record['id']}/rotate", json={})

    assert sentences(member) == [
        "You replaced the key backup by a new one",
        "You created the key backup",
        "You deleted the link to Contract.pdf for “the notary”",
        "You changed the link to Contract.pdf for “the notary”",
        "You made a link to Contract.pdf for “the notary”",
        "You uploaded Contract.pdf",
        "The key backup uploaded copy.txt",
        "the notary opened Contract.pdf",
    ]


def test_own_looks_are_told_only_where_they_are_asked_for(member):
    document = member.api.upload(b"x", name="Contract.pdf", token=None)
    member.api.get(f"/v1/documents/{document['id']}/view")
    assert sentences(member) == ["You uploaded Contract.pdf"]
    both = ["You opened Contract.pdf", "You uploaded Contract.pdf"]
    assert sentences(member, "?own=1") == both
    assert sentences(member, "?type=document.viewed") == both[:1]


def test_the_same_act_of_a_day_is_told_once_with_its_number(member):
    document = member.api.upload(b"x", name="Contract.pdf", token=None)
    for _ in range(3):
        member.api.patch(f"/v1/documents/{document['id']}", json={"name": "Contract.pdf"})
        link = member.api.share(document, label="Ana")
    assert "You made a link to Contract.pdf for “Ana”, 3 times" in sentences(member)
    assert link["label"] == "Ana"


def test_it_is_filtered_by_type_and_document(member):
    api = member.api
    first = api.upload(b"x", name="first.txt", token=None)
    api.upload(b"y", name="second.txt", token=None)
    api.get(f"/v1/documents/{first['id']}/view")
    assert sentences(member, "?type=document.viewed") == ["You opened first.txt"]
    page = member.get(f"/app/activity?document={first['id']}")
    assert "second.txt" not in page.text
    assert f'value="{first["id"]}" checked' in page.text
    both = f"?document={first['id']}&type=document.created"
    assert sentences(member, both) == ["You uploaded first.txt"]
    document = member.get(f"/app/documents/{first['id']}")
    assert f"/app/activity?document={first['id']}" in document.text


def test_deleted_documents_are_told_without_their_name(member):
    api = member.api
    document = api.upload(b"x", name="secret plan.txt", token=None)
    api.share(document)
    api.delete(f"/v1/documents/{document['id']}")
    assert "The service ended the link to a document that is gone" in sentences(member)
    assert "You deleted a document that is gone" in sentences(member)


def test_older_activity_is_on_further_pages(member):
    api = member.api
    for number in range(60):
        api.upload(b"x", name=f"{number}.txt", token=None)
    page = member.get("/app/activity")
    (older,) = re.findall(r'rel="next" href="([^"]+)"', page.text)
    found = sentences(member) + sentences(member, older.replace("&amp;", "&"))
    assert found == [f"You uploaded {number}.txt" for number in range(59, -1, -1)]


def test_names_in_it_are_text(member):
    member.api.upload(b"x", name="<b>bold</b>\u202e.txt", token=None)
    member.api.create_api_key(name="<i>key</i>{document}")
    text = member.get("/app/activity").text
    assert "<b>bold" not in text
    assert "<i>key" not in text
    assert "{document}" in text
    assert "U+202E" in text


def test_nothing_of_others_is_told(member, document):
    assert sentences(member) == []
    assert "Nothing here yet." in member.get(f"/app/activity?document={document['id']}").text


def test_activity_stands_below_its_day_with_a_receipt_behind_a_fold(member):
    member.api.upload(b"x", token=None)
    text = member.get("/app/activity").text
    assert re.search(r"<h2>Today</h2>\s*<ul", text)
    (last,) = member.api.events()
    assert f"<code>{last['hash']}</code>" in text.partition("<summary>A receipt")[2]


@pytest.mark.parametrize(
    ("days", "words"), [(0, "Today"), (1, "Yesterday"), (2, r"\w+day, \d{1,2} \w+ \d{4}")]
)
def test_a_day_is_named_in_words(days, words):
    assert re.fullmatch(words, day_of(Event(created_at=now() - days * 86_400_000)))


def test_an_address_that_only_a_form_goes_to_says_so_to_people(member):
    page = member.request("DELETE", "/app/keys", {"Accept": "text/html"})
    assert "This page can’t be opened directly" in page.text
    assert "Allow" not in page.text


def test_one_script_words_the_moments_of_all_pages():
    words_hours = [
        path.name for path in (ROOT / "templates").rglob("*.js") if "hour:" in path.read_text()
    ]
    assert words_hours == ["moments.js"]


@pytest.mark.parametrize(
    ("path", "field"),
    [("requests", "title"), ("webhooks", "url"), ("account/delete", "password")],
)
def test_a_page_that_is_for_one_form_begins_in_its_field(path, field, member):
    page = member.get(f"/app/{path}")
    assert "autofocus" in field_of(page, field)


@pytest.mark.parametrize(
    ("path", "make"),
    [("requests", {"title": "Receipts"}), ("webhooks", {"url": "https://hook.example/in"})],
)
def test_a_page_that_lists_something_begins_at_its_top(path, make, member):
    page = member.get(f"/app/{path}")
    member.submit(page, f"/app/{path}", **make)
    assert "autofocus" not in member.get(f"/app/{path}").text
