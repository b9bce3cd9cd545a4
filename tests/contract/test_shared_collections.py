"""Links to collections: the contents page and its documents by token and ticket, other targets."""

import hashlib
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest

from tests.contract.requests import AS_JSON, AS_PAGE
from tests.formats import b64
from tests.people import at
from tests.problems import refused, refused_field
from tests.waiting import join_threads, start_threads, until

SECRET = "hunter22"
TICKET = r"ticket=(v4\.local\.[\w.-]+)"


@pytest.fixture
def alice(new_user):
    return new_user


@pytest.fixture
def documents(alice):
    return [alice.upload(f"text {n}".encode(), name=f"{n}.txt", token=None) for n in range(3)]


@pytest.fixture
def collection(alice, documents):
    return alice.collect(*documents, title="Our offer", note="For\nMonday")


def short(link, call=""):
    return f"/s{call}?token={link['token']}"


def by(link, document, call="view"):
    return at(document, f"/{call}?token={link['token']}")


def opened_by_json(anonymous, link, **more):
    return anonymous.post(short(link), json=more).json


def inside(alice, url, **more):
    """The answer at an absolute address."""
    return alice.open(url, **more)


def hrefs(page, rel):
    return re.findall(rf'rel="{rel}" href="([^"]+)"', page.text)


def facts(alice, query=""):
    names = ("documentId", "collectionId", "tokenId")
    return [(one["type"], *map(one["data"].get, names)) for one in alice.events(query)]


def test_a_link_to_a_collection_is_answered_with_short_addresses(alice, collection):
    base = alice.service.url
    link = alice.share(collection, label="for them")
    assert (link["documentId"], link["collectionId"]) == (None, collection["id"])
    addresses = [link[f"{name}Url"] for name in ("short", "view", "download", "content")]
    paths = ["/s", "/s", "/s/download", "/s/content"]
    assert addresses == [f"{base}{path}?token={link['token']}" for path in paths]
    assert f'src="{link["shortUrl"]}&amp;embed=1"' in link["embedHtml"]
    record = alice.get(f"/v1/tokens/{link['id']}").json
    assert record == alice.get(at(collection, "/tokens")).json["tokens"][0]
    assert record == alice.get("/v1/tokens").json["tokens"][0]
    assert {"token", "shortUrl"}.isdisjoint(record)


def test_a_collection_is_made_with_a_link_if_asked_for(alice, anonymous, documents):
    assert alice.collect(*documents)["token"] is None
    made = alice.collect(*documents, token={"permissions": ["view"]})
    assert made["token"]["viewUrl"] == made["token"]["shortUrl"]
    assert anonymous.get(short(made["token"])).status == 200


def test_the_contents_page_leads_to_each_document_in_order(alice, anonymous, collection, documents):
    link = alice.share(collection)
    page = anonymous.get(short(link))
    assert (page.status, page.kind) == (200, "text/html")
    assert "<h1>Our offer</h1>" in page.text
    assert "For\nMonday" in page.text
    assert page.text.count("<script") == 1  # that of the moments
    paths = re.findall(r'<li><a href="([^"]+)"', page.text)
    assert [f"/{path}" for path in paths] == [by(link, one) for one in documents]
    assert all(anonymous.get(f"/{path}").status == 200 for path in paths)
    assert page.headers["Referrer-Policy"] == "no-referrer"


def test_a_document_leads_to_those_beside_it_and_to_the_contents(
    alice, anonymous, collection, documents
):
    link, base = alice.share(collection), alice.service.url
    first, second, third = (anonymous.get(by(link, one)) for one in documents)
    assert "2 of 3" in second.text
    assert hrefs(second, "prev") == [base + by(link, documents[0])]
    assert hrefs(second, "next") == [base + by(link, documents[2])]
    assert hrefs(second, "up") == [link["shortUrl"]]
    assert (hrefs(first, "prev"), hrefs(third, "next")) == ([], [])
    framed = anonymous.get(by(link, documents[1]) + "&embed=1")
    assert all(url.endswith("&amp;embed=1") for url in hrefs(framed, "next"))
    saved = anonymous.get(by(link, documents[1], "download"))
    assert "2 of 3" not in saved.text
    assert 'rel="next"' not in alice.get(at(documents[1], "/view")).text


def test_json_tells_the_documents_with_the_addresses_that_are_permitted(
    alice, anonymous, collection, documents
):
    link = alice.share(collection, permissions=["view"])
    found = anonymous.get(short(link), headers=AS_JSON).json
    assert (found["kind"], found["title"], found["note"]) == (
        "collection",
        "Our offer",
        "For\nMonday",
    )
    assert [one["name"] for one in found["documents"]] == ["0.txt", "1.txt", "2.txt"]
    for record, document in zip(found["documents"], documents, strict=True):
        assert record["viewUrl"] == alice.service.url + by(link, document)
        assert record["contentUrl"] is None
        assert record["sha256"] == document["sha256"]
        refused(anonymous.get(by(link, document, "content")), 403, "scope_missing")


def test_an_empty_collection_says_that_nothing_is_here(alice, anonymous):
    page = anonymous.get(short(alice.share(alice.collect())))
    assert "Nothing is here at the moment." in page.text


def test_a_link_opens_what_is_in_the_collection_now_and_nothing_else(
    alice, bob, anonymous, collection, documents
):
    link, other = alice.share(collection), alice.upload(token=None)
    for one in (other, bob.upload(token=None), {"id": "doc_unknown"}):
        refused(anonymous.get(by(link, one)), 404, "not_found")
    alice.patch(at(collection), json={"add": [other["id"]], "remove": [documents[0]["id"]]})
    assert anonymous.get(by(link, other)).status == 200
    for call in ("view", "content", "download", "pages"):
        refused(anonymous.get(by(link, documents[0], call)), 404, "not_found")
    refused(anonymous.get(f"{at(collection)}?token={link['token']}"), 403, "scope_missing")


@pytest.mark.parametrize("terms", [{"password": SECRET}, {"maxViews": 1}])
def test_a_prompt_that_hides_the_name_names_nothing_and_its_ticket_opens_all_as_one_view(
    terms, alice, anonymous, collection, documents
):
    link = alice.share(collection, hideName=True, **terms)
    for prompt in (anonymous.get(short(link)), anonymous.get(by(link, documents[0]))):
        assert "<form" in prompt.text
        assert not any(word in prompt.text for word in ("Our offer", "Monday", "0.txt"))
    closed = anonymous.get(short(link), headers=AS_JSON).json
    assert [closed[name] for name in ("title", "note", "documents")] == [None, None, None]

    page = anonymous.post(short(link), form={"password": terms.get("password", "")})
    (ticket,) = set(re.findall(TICKET, page.text))

    assert link["token"] not in page.text
    assert alice.get(f"/v1/tokens/{link['id']}").json["views"] == 1
    for one in documents:
        for call in ("view", "content", "download"):
            assert anonymous.get(at(one, f"/{call}?ticket={ticket}")).status == 200
    view = anonymous.get(at(documents[1], f"/view?ticket={ticket}"))
    assert set(re.findall(TICKET, view.text)) == {ticket}
    assert anonymous.get(f"/s?ticket={ticket}").status == 200
    assert alice.get(f"/v1/tokens/{link['id']}").json["views"] == 1


def test_a_password_holds_for_every_address(alice, anonymous, collection, documents):
    link = alice.share(collection, password=SECRET)
    refused(anonymous.post(short(link), json={"password": "no"}), 401, "wrong_credentials")
    wrong = anonymous.post(short(link), form={"password": "no"})
    assert (wrong.status, "not the password" in wrong.text) == (401, True)
    path = by(link, documents[0])
    refused(anonymous.post(path, json={"password": "no"}), 401, "wrong_credentials")
    refused(anonymous.get(by(link, documents[0], "content")), 403, "scope_missing")
    refused(anonymous.get(by(link, documents[0], "pages")), 403, "scope_missing")
    assert "0.txt" in anonymous.post(path, form={"password": SECRET}).text


def test_one_of_fifty_clients_on_all_addresses_gets_the_last_view(
    alice, anonymous, collection, documents
):
    link = alice.share(collection, maxViews=1)
    ways = [
        lambda: anonymous.post(short(link), form={}),
        lambda: anonymous.post(short(link), json={}),
        lambda: anonymous.post(by(link, documents[1]), form={}),
        lambda: anonymous.get(by(link, documents[2], "content")),
    ]
    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda number: ways[number % 4]().status, range(50)))
    assert sorted(answers) == [200] + [410] * 49


def test_a_ticket_ends_with_password_permission_membership_and_link(
    alice, anonymous, collection, documents
):
    path = "/v1/tokens/{}"
    for change, status in (
        ({"password": "another one"}, 401),
        ({"permissions": ["download"]}, 401),
        (None, 410),
    ):
        link = alice.share(collection, password=SECRET)
        found = opened_by_json(anonymous, link, password=SECRET)
        url = found["documents"][0]["viewUrl"]
        assert inside(alice, url).status == 200
        if change:
            alice.patch(path.format(link["id"]), json=change)
        else:
            alice.delete(path.format(link["id"]))
        assert inside(alice, url).status == status
    link = alice.share(collection, password=SECRET)
    url = opened_by_json(anonymous, link, password=SECRET)["documents"][0]["viewUrl"]
    alice.patch(at(collection), json={"remove": [documents[0]["id"]]})
    refused(inside(alice, url), 404, "not_found")


def test_a_view_only_link_gives_no_original_but_what_its_page_shows(alice, anonymous):
    pdf = alice.upload(b"%PDF-1.4 no pages", "application/pdf", token=None)
    picture = alice.upload(b"\x89PNG\r\n\x1a\n", "image/png", token=None)
    link = alice.share(alice.collect(pdf, picture), permissions=["view"], maxViews=1)
    urls = [one["viewUrl"] for one in opened_by_json(anonymous, link)["documents"]]
    answers = [inside(alice, url.replace("/view?", "/content?")).status for url in urls]
    assert answers == [403, 200]
    refused(inside(alice, urls[0].replace("/view?", "/download?")), 403, "scope_missing")


def test_by_the_ticket_of_a_collection_the_password_seals(alice, anonymous, collection):
    link = alice.share(collection, maxViews=1)
    url = opened_by_json(anonymous, link)["documents"][0]["viewUrl"].replace("/view?", "/download?")
    for body in ({"json": {"password": "my own"}}, {"form": {"password": "my own"}}):
        sealed = inside(alice, url, method="POST", **body)
        assert sealed.status == 200
        assert "PBKDF2" in sealed.text
    refused_field(inside(alice, url, method="POST", form={}), "#/password")


def test_what_is_opened_is_told_with_link_and_collection(alice, anonymous, collection, documents):
    link = alice.share(collection, maxViews=2)
    record = opened_by_json(anonymous, link)["documents"][1]
    inside(alice, record["viewUrl"])
    inside(alice, record["contentUrl"])
    anonymous.get(by(link, documents[0], "content"))

    ids, document = (collection["id"], link["id"]), documents[1]["id"]
    told = [
        one for one in facts(alice, f"&collectionId={collection['id']}") if one[3] == link["id"]
    ]
    assert sorted(told, key=str) == [
        ("collection.viewed", None, *ids),
        ("document.downloaded", documents[0]["id"], *ids),
        ("document.downloaded", document, *ids),
        ("document.viewed", document, *ids),
        ("token.created", None, *ids),
        ("token.spent", None, *ids),
    ]


def test_a_deleted_collection_ends_its_links_and_leaves_those_of_its_documents(
    alice, anonymous, collection, documents
):
    link, own = alice.share(collection), alice.share(documents[0])
    alice.delete(at(collection))
    for path in (short(link), by(link, documents[0])):
        refused(anonymous.get(path), 410, "token_spent")
    assert anonymous.get(short(own)).status == 200
    record = alice.get(f"/v1/tokens/{link['id']}").json
    assert record["revokedAt"]
    assert record["label"] is None


def test_links_are_listed_by_what_they_open(alice, collection, documents):
    whole, part = alice.share(collection), alice.share(documents[0])
    for name, target, link in (
        ("collectionId", collection, whole),
        ("documentId", documents[0], part),
    ):
        found = alice.get(f"/v1/tokens?state=live&{name}={target['id']}").json["tokens"]
        assert [one["id"] for one in found] == [link["id"]]


def test_the_same_link_leads_elsewhere_from_the_next_request_on(
    alice, anonymous, collection, documents
):
    terms = {"label": "for them", "password": SECRET, "maxViews": 5}
    link = alice.share(documents[0], **terms)
    path, key = f"/v1/tokens/{link['id']}", {"password": SECRET}
    former = opened_by_json(anonymous, link, **key)["documents"][0]["viewUrl"]

    changed = alice.patch(path, json={"collectionId": collection["id"]}).json

    assert (changed["documentId"], changed["collectionId"]) == (None, collection["id"])
    assert [changed[name] for name in ("label", "views", "hasPassword")] == ["for them", 1, True]
    assert opened_by_json(anonymous, link, **key)["kind"] == "collection"
    refused(inside(alice, former), 401, "not_authenticated")
    assert "This page is too old" in inside(alice, former, headers=AS_PAGE).text
    alice.patch(path, json={"documentId": documents[1]["id"], "maxViews": None})
    refused(anonymous.get(by(link, documents[0])), 404, "not_found")
    page = anonymous.get(by(link, documents[0]), headers=AS_PAGE)
    assert f'href="{short(link)}">Open what this link shows now<' in page.text
    assert opened_by_json(anonymous, link, **key)["documents"][0]["id"] == documents[1]["id"]

    updates = [
        (data["documentId"], data.get("collectionId"), data.get("to"), data.get("from"))
        for data in (one["data"] for one in alice.events("&type=token.updated"))
        if data["changed"] == ["target"]
    ]
    first, second, whole = documents[0]["id"], documents[1]["id"], collection["id"]
    assert updates == [
        (first, None, whole, None),
        (None, whole, None, first),
        (None, whole, second, None),
        (second, None, None, whole),
    ]


def test_the_log_names_what_was_shown_while_the_target_is_changed(
    alice, anonymous, collection, documents
):
    link, shown = alice.share(documents[0]), []
    path = f"/v1/tokens/{link['id']}"

    def open_often():
        for _ in range(15):
            page = anonymous.get(short(link))
            shown.append(re.search(r"<title>(.+)</title>", page.text)[1])

    threads = start_threads(*[open_often] * 4)
    for seen in range(0, 60, 7):  # nine changes: who meets ten in a row is told "busy"
        until(lambda seen=seen: len(shown) >= seen)
        alice.patch(path, json={"documentId": documents[seen % 2]["id"]})
    join_threads(threads)
    for target in ({"documentId": documents[1]["id"]}, {"collectionId": collection["id"]}):
        alice.patch(path, json=target)  # what was merged is recorded before

    assert len(shown) == alice.get(path).json["views"] == 60
    counted = Counter()
    for event in alice.events("&type=document.viewed"):
        counted[event["data"]["documentId"]] += event["data"]["count"]
    assert {one["name"]: counted[one["id"]] for one in documents[:2]} == Counter(shown)


def test_the_content_of_a_link_tells_by_its_etag_that_it_leads_elsewhere(
    alice, anonymous, documents
):
    link = alice.share(documents[0])
    etag = {"If-None-Match": anonymous.get(short(link, "/content")).headers["ETag"]}
    assert anonymous.get(short(link, "/content"), headers=etag).status == 304
    alice.patch(f"/v1/tokens/{link['id']}", json={"documentId": documents[1]["id"]})
    assert anonymous.get(short(link, "/content"), headers=etag).text == "text 1"


def test_a_link_leads_only_to_what_its_owner_has(alice, bob, collection, documents):
    link = alice.share(documents[0])
    path, foreign = f"/v1/tokens/{link['id']}", bob.collect()
    refused(alice.patch(path, json={"collectionId": foreign["id"]}), 404, "not_found")
    refused(bob.patch(path, json={"collectionId": foreign["id"]}), 404, "not_found")
    for method in ("GET", "DELETE"):
        refused(bob.request(method, path), 404, "not_found")
    both = {"documentId": documents[0]["id"], "collectionId": collection["id"]}
    refused_field(alice.patch(path, json=both), "#/collectionId")
    refused(alice.get(at(collection, f"/tokens/{link['id']}")), 405, "method_not_allowed")
    refused(alice.patch(at(collection, f"/tokens/{link['id']}"), json={}), 404, "not_found")
    alice.delete(path)
    refused(alice.patch(path, json={"collectionId": collection["id"]}), 409, "token_revoked")


def test_it_is_embedded_as_a_document_is(alice, anonymous, collection):
    origins = ["https://a.example"]
    link = alice.share(collection, allowedOrigins=origins)
    page = anonymous.get(short(link) + "&embed=1")
    assert page.policy["frame-ancestors"] == origins
    assert page.text.count("/view?") == page.text.count("&amp;embed=1") - 1 == 3
    rich = alice.get(f"/oembed?format=json&url={quote(link['viewUrl'], safe='')}").json
    assert rich["title"] == "Our offer"
    assert f"{link['viewUrl']}&amp;embed=1" in rich["html"]


def test_a_hostile_title_note_and_name_are_text(alice, anonymous):
    evil = "<script>alert(1)</script>\u202e"
    document = alice.upload(name=f"{evil}.txt", token=None)
    page = anonymous.get(short(alice.share(alice.collect(document, title=evil, note=evil))))
    assert "<script>alert" not in page.text
    assert page.text.count("<script") == 1  # that of the moments
    assert page.text.count("\u202e") == 1  # in the title of the window
    assert page.policy["default-src"] == ["'none'"]
    (allowed,) = page.policy["script-src"]
    script = page.text.partition("<script>")[2].partition("</script>")[0]
    assert allowed == f"'sha256-{b64(hashlib.sha256(script.encode()).digest())}'"


@pytest.mark.slow
def test_a_contents_page_of_the_longest_names_is_at_most_192_kib(alice, anonymous):
    names = ["\U0001f600" * 248 + f"{n}.txt" for n in range(100)]
    names += [("a\u202e&" * 83)[: 249 - n % 2] + ".txt" for n in range(100)]
    documents = [alice.upload(b"", name=name, token=None) for name in names]
    collection = alice.collect(*documents, title='"' * 200, note="&" * 2000)
    link = alice.share(collection, password=SECRET)
    page = anonymous.post(short(link), form={"password": SECRET})
    assert len(page.body) <= 192 << 10
    assert page.text.count(".txt</bdi>") == 200
    few = alice.share(alice.collect(*documents[:10]))
    assert all(name in anonymous.get(short(few)).text for name in names[:10])
