"""Links that take files: pages, places, receipts, limits, and what strangers learn of them."""

import hashlib
import os
import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest

from tests.contract.raw_http import answers, talk
from tests.contract.requests import AS_JSON, AS_PAGE
from tests.forms import BOUNDARY, FORM, body, field, file
from tests.people import Person, at
from tests.problems import refused, refused_field
from tests.waiting import until

SECRET = "hunter22"
LONG = 300 << 10  # more than is received without a place
LARGE = file("large.bin", bytes(LONG))


@pytest.fixture
def collection(alice):
    return alice.post("/v1/collections", json={"title": "Offers", "note": "By Monday."}).json


@pytest.fixture
def request_files(alice, collection):
    """A link to the collection that takes files."""
    return lambda **terms: requested(alice, collection, **terms)


def requested(person, collection, **terms):
    terms = {"permissions": ["upload"]} | terms
    answer = person.post(f"/v1/collections/{collection['id']}/tokens", json=terms)
    assert answer.status == 201, answer
    return answer.json


def send(person, link, *parts, headers=(), query=None, **more):
    headers = {"Content-Type": FORM} | dict(headers)
    path = f"/s?{query or 'token=' + link['token']}"
    parts = parts or (file("scan.pdf", b"%PDF-1.7 scanned"),)
    return person.post(path, data=body(*parts), headers=headers, **more)


def members(person, collection):
    return person.get(f"/v1/collections/{collection['id']}").json["documents"]


def test_a_file_sent_by_a_link_is_a_document_of_the_collection(
    alice, anonymous, collection, request_files
):
    link = request_files()
    answer = send(anonymous, link, file("scan.pdf", b"%PDF-1.7 x"), field("from", b"Mia"))
    receipt = answer.json

    assert answer.status == 201
    (document,) = members(alice, collection)
    assert (document["name"], document["contentType"]) == ("scan.pdf", "application/pdf")
    assert (document["expiresAt"], document["metadata"]) == (None, {"from": "Mia"})
    assert alice.links(document) == []
    assert [receipt[name] for name in ("name", "size")] == ["scan.pdf", 10]
    assert receipt["sha256"] == document["sha256"] == hashlib.sha256(b"%PDF-1.7 x").hexdigest()
    assert receipt["receivedAt"] == document["createdAt"]
    assert (receipt["filesLeft"], receipt["bytesLeft"]) == (19, (1 << 30) - 10)
    assert document["id"] not in answer.text


def test_a_receipt_is_an_entry_of_the_owners_log(alice, anonymous, collection, request_files):
    link = request_files()
    receipt = send(anonymous, link).json
    events = list(alice.events(f"&collectionId={collection['id']}"))
    (entry,) = [event for event in events if event["id"] == receipt["eventId"]]
    assert entry["hash"] == receipt["eventHash"]
    assert [event["type"] for event in events[-2:]] == ["document.created", "collection.added"]
    for event in events[-2:]:
        data = event["data"]
        by = (data["via"], data["tokenId"], data["collectionId"])
        assert by == ("document_token", link["id"], collection["id"])


def test_the_receipt_of_the_last_file_names_the_entry_that_records_it(
    alice, anonymous, collection, request_files
):
    receipt = send(anonymous, request_files(maxViews=1)).json
    events = list(alice.events(f"&collectionId={collection['id']}"))
    assert [event["type"] for event in events[-2:]] == ["collection.added", "token.spent"]
    assert (receipt["eventId"], receipt["eventHash"]) == (events[-2]["id"], events[-2]["hash"])


def test_what_a_link_takes_is_told_to_programs_and_people(anonymous, collection, request_files):
    link = request_files(maxViews=3)
    path = f"/s?token={link['token']}"
    found = anonymous.get(path, headers=AS_JSON).json
    assert (found["kind"], found["title"], found["note"]) == ("upload", "Offers", "By Monday.")
    assert (found["permissions"], found["hasPassword"]) == (["upload"], False)
    assert (found["filesLeft"], found["bytesLeft"]) == (3, 1 << 30)
    assert (found["maxFileBytes"], found["uploadUrl"]) == (64 << 20, link["shortUrl"])
    assert "documents" not in found
    page = anonymous.get(path, headers=AS_PAGE)
    for words in ("Offers", "By Monday.", "127.0.0.1", "can’t verify who that is", "Up to 3 files"):
        assert words in page.text


def test_a_token_in_the_header_opens_the_page_that_takes_files(anonymous, request_files):
    link = request_files()
    header = {"Authorization": f"Bearer {link['token']}"}
    found = anonymous.get("/s", headers=AS_JSON | header).json
    assert (found["title"], found["uploadUrl"]) == ("Offers", link["shortUrl"])
    form = f'action="?token={link["token"]}"'
    assert form in anonymous.get("/s", headers=AS_PAGE | header).text
    received = send(anonymous, link, query="embed=1", headers=AS_PAGE | header)
    assert (received.status, form in received.text) == (201, True)


def test_a_browser_gets_a_receipt_on_a_page_with_a_form_for_the_next(anonymous, request_files):
    link = request_files(maxViews=2)
    page = send(anonymous, link, headers=AS_PAGE)
    assert (page.status, page.kind) == (201, "text/html")
    assert "1 file has arrived" in page.text
    assert "You can close this page." in page.text
    assert hashlib.sha256(b"%PDF-1.7 scanned").hexdigest() in page.text
    assert "One more file" in page.text
    last = send(anonymous, link, headers=AS_PAGE)
    assert ("takes no more files" in last.text, "<form" in last.text) == (True, False)


def test_a_link_that_takes_files_opens_nothing(alice, anonymous, collection, request_files):
    document = alice.upload(b"of the owner")
    alice.patch(f"/v1/collections/{collection['id']}", json={"add": [document["id"]]})
    plain, guarded = request_files(), request_files(password=SECRET)
    framed = f"/oembed?format=json&url={quote(plain['shortUrl'], safe='')}"
    refused(anonymous.get(framed), 404, "not_found")
    assert [plain[f"{name}Url"] for name in ("view", "download", "content")] == [None] * 3
    assert plain["embedHtml"] is None
    opened = anonymous.post(f"/s?token={guarded['token']}", json={"password": SECRET}).json
    ticket = opened["uploadUrl"].partition("?")[2]
    calls = [at(document, call) for call in ("/view", "/content", "/download", "/pages")]
    for path in ("/s/content", "/s/download", *calls):
        for credential in (f"token={plain['token']}", ticket):
            answer = anonymous.get(f"{path}?{credential}")
            assert answer.status == (403 if path.startswith("/s/") else 404)
    for text in (opened, anonymous.get(f"/s?token={plain['token']}").text):
        assert document["id"] not in str(text)
        assert document["name"] not in str(text)


def test_a_password_is_asked_first_and_counts_nothing(alice, anonymous, collection, request_files):
    link = request_files(password=SECRET)
    path = f"/s?token={link['token']}"
    closed = anonymous.get(path, headers=AS_JSON).json
    assert [closed[name] for name in ("title", "note", "uploadUrl")] == [None] * 3
    assert "Offers" in anonymous.get(path).text
    refused(send(anonymous, link), 403, "scope_missing")
    refused(anonymous.post(path, json={"password": "no"}), 401, "wrong_credentials")
    assert anonymous.post(path, form={"password": "no"}).status == 401
    page = anonymous.post(path, form={"password": SECRET})
    opened = anonymous.post(path, json={"password": SECRET}).json
    by_page = re.search(r'action="\?(ticket=[\w.-]+)"', page.text)[1]
    for query in (by_page, opened["uploadUrl"].partition("?")[2]):
        assert send(anonymous, link, query=query).status == 201
    assert len(members(alice, collection)) == 2
    (record,) = alice.get(f"/v1/collections/{collection['id']}/tokens").json["tokens"]
    assert (record["views"], record["maxViews"]) == (2, 20)
    alice.patch(f"/v1/tokens/{link['id']}", json={"maxViews": 1})
    assert anonymous.get(f"/s?{by_page}", headers=AS_JSON).json["filesLeft"] == 0
    alice.patch(f"/v1/tokens/{link['id']}", json={"maxViews": 20, "password": "another"})
    refused(send(anonymous, link, query=by_page), 401, "not_authenticated")


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("plans/2026", {"path": "plans/2026"}),
        ("plans/2026/scan.pdf", {"path": "plans/2026"}),  # as browsers name the files of a folder
        ("plans/con/a?", {"path": "plans/_con/a_"}),
        ("scan.pdf", {}),
        ("", {}),
    ],
)
def test_the_folder_of_a_file_is_kept_as_its_path(
    alice, anonymous, collection, request_files, sent, kept
):
    parts = (file("scan.pdf", b"%PDF-1.7 x"), field("relativePath", sent.encode()))
    assert send(anonymous, request_files(), *parts).status == 201
    (document,) = members(alice, collection)
    assert (document["name"], document["metadata"]) == ("scan.pdf", kept)


@pytest.mark.parametrize(
    ("parts", "pointer"),
    [
        ((field("from", b"Mia"),), "#/file"),
        ((file("a"), file("b")), "#/file"),
        ((file("a"), field("name", b"b")), "#/name"),
        ((file("a"), field("token", b"b")), "#/token"),
        ((file("a"), field("from", b"x" * 201)), "#/from"),
        ((file("a"), field("relativePath", b"/x")), "#/relativePath"),
        ((file("a"), field("relativePath", b"x/../y")), "#/relativePath"),
        ((file("a"), field("relativePath", b"x" * 501)), "#/relativePath"),
    ],
)
def test_a_file_its_folder_and_a_sender_are_all_that_is_taken(
    parts, pointer, alice, anonymous, collection, request_files
):
    link = request_files()
    refused_field(send(anonymous, link, *parts), pointer)
    assert members(alice, collection) == []


def test_the_last_file_ends_the_link_also_in_a_race(alice, anonymous, collection, request_files):
    link = request_files(maxViews=3)
    with ThreadPoolExecutor(20) as pool:
        statuses = list(pool.map(lambda _: send(anonymous, link).status, range(20)))
    assert sorted(statuses) == [201] * 3 + [410] * 17
    assert len(members(alice, collection)) == 3
    types = alice.event_types(f"&collectionId={collection['id']}")
    assert types.count("token.spent") == 1
    page = anonymous.get(f"/s?token={link['token']}", headers=AS_PAGE)
    assert (page.status, "This link is used up" in page.text) == (410, True)


def test_bytes_are_limited_exactly_also_in_a_race(alice, anonymous, collection, request_files):
    alice.patch(f"/v1/collections/{collection['id']}", json={"maxBytes": 2500})
    link = request_files()
    with ThreadPoolExecutor(8) as pool:
        sent = list(
            pool.map(lambda _: send(anonymous, link, file("a", bytes(1000))).status, range(8))
        )
    assert sorted(sent) == [201] * 2 + [413] * 6
    (record,) = alice.get(f"/v1/collections/{collection['id']}/tokens").json["tokens"]
    assert record["views"] == 2
    gone = members(alice, collection)[0]
    alice.delete(at(gone))
    answer = send(anonymous, link, file("a", bytes(1500)))
    assert (answer.status, answer.json["filesLeft"], answer.json["bytesLeft"]) == (201, 17, 0)
    refused(send(anonymous, link), 413, "payload_too_large")


def test_equal_names_are_two_documents_and_a_repeated_request_is_one(
    alice, anonymous, collection, request_files
):
    link, other = request_files(), request_files()
    key = {"Idempotency-Key": "once"}
    first, second = (send(anonymous, link, headers=key) for _ in range(2))
    assert (first.json, second.headers["Idempotency-Replayed"]) == (second.json, "true")
    assert "1 file has arrived" in send(anonymous, link, headers=key | AS_PAGE).text
    another = send(anonymous, link, file("b"), headers=key)
    refused(another, 422, "idempotency_mismatch")
    assert send(anonymous, other, headers=key).headers["Idempotency-Replayed"] is None
    assert send(anonymous, link).status == 201
    assert [one["name"] for one in members(alice, collection)] == ["scan.pdf"] * 3


def test_the_last_file_of_a_link_is_sent_again_by_its_key_and_no_other(
    alice, anonymous, collection, request_files
):
    key = {"Idempotency-Key": "last"}
    for content in (b"short", bytes(LONG)):
        link = request_files(maxViews=1)
        first, again = (send(anonymous, link, file("a", content), headers=key) for _ in range(2))
        assert (first.status, again.status, again.json) == (201, 201, first.json)
        assert again.headers["Idempotency-Replayed"] == "true"
        refused(send(anonymous, link, file("b"), headers=key), 422, "idempotency_mismatch")
        for more in ({}, {"Idempotency-Key": "other"}):
            refused(send(anonymous, link, headers=more), 410, "token_spent")
        refused(anonymous.get(f"/s?token={link['token']}"), 410, "token_spent")
    assert len(members(alice, collection)) == 2


def test_a_stranger_learns_of_a_full_quota_only_that_there_is_no_room(start_service):
    service = start_service(QUOTA_DOCUMENTS=1)
    alice = service.register()
    collection = alice.post("/v1/collections", json={"title": "Offers"}).json
    link = requested(alice, collection)
    alice.upload()
    problem = refused(send(Person(service), link, errors=[507]), 507, "storage_full")
    assert "quota" not in str(problem)
    assert members(alice, collection) == []


def test_where_inbound_is_off_no_link_takes_files(start_service):
    service = start_service()
    alice = service.register()
    collection = alice.post("/v1/collections", json={"title": "Offers"}).json
    link = requested(alice, collection)
    service.stop()
    service.settings["INBOUND"] = "off"
    service.start()
    refused(send(Person(service), link), 410, "token_spent")
    path = f"/v1/collections/{collection['id']}/tokens"
    refused(alice.post(path, json={"permissions": ["upload"]}), 403, "scope_missing")
    assert alice.post(path, json={}).status == 201


@pytest.mark.parametrize(
    ("terms", "pointer"),
    [
        ({"permissions": ["upload", "view"]}, "#/permissions"),
        ({"permissions": ["upload"], "maxViews": None}, "#/maxViews"),
        ({"permissions": ["upload"], "maxViews": 201}, "#/maxViews"),
        ({"permissions": ["upload"], "allowedOrigins": ["https://a.example"]}, "#/allowedOrigins"),
    ],
)
def test_terms_that_a_link_for_files_cannot_have(terms, pointer, alice, collection, document):
    refused_field(alice.post(f"/v1/collections/{collection['id']}/tokens", json=terms), pointer)
    refused_field(
        alice.post(at(document, "/tokens"), json={"permissions": ["upload"]}), "#/permissions"
    )


def test_a_link_for_files_stays_one_and_leads_to_collections_only(
    alice, anonymous, collection, request_files, document
):
    link, view = request_files(), requested(alice, collection, permissions=["view"])
    path, of_view = f"/v1/tokens/{link['id']}", f"/v1/tokens/{view['id']}"
    refused_field(alice.patch(path, json={"permissions": ["view"]}), "#/permissions")
    refused_field(alice.patch(of_view, json={"permissions": ["upload"]}), "#/permissions")
    refused_field(alice.patch(path, json={"maxViews": None}), "#/maxViews")
    refused_field(alice.patch(path, json={"documentId": document["id"]}), "#/permissions")
    other = alice.post("/v1/collections", json={"title": "Other"}).json
    assert alice.patch(path, json={"collectionId": other["id"]}).status == 200
    assert send(anonymous, link).status == 201
    assert (members(alice, collection), len(members(alice, other))) == ([], 1)


# What is refused before it is received


def head(link, length, *more, query=None):
    query = query or f"token={link['token']}"
    fields = ["Host: a", f"Content-Type: {FORM}", f"Content-Length: {length}", *more]
    return "\r\n".join([f"POST /s?{query} HTTP/1.1", *fields, "", ""]).encode()


def answered(service, sent):
    """The only answer to the head of a request whose body is never sent."""
    [(status, fields, _)] = answers(talk(service, sent))
    return status, fields


@pytest.mark.parametrize("more", [[], ["Expect: 100-continue"]])
def test_a_long_body_is_refused_before_it_is_received(
    more, service, alice, collection, request_files, document
):
    link, ended, guarded = request_files(), request_files(), request_files(password=SECRET)
    alice.delete(f"/v1/tokens/{ended['id']}")
    wrong = link["token"][:-6] + "000000"
    cases = [
        (head(link, LONG, *more, query=f"token={wrong}"), 401),
        (head(ended, LONG, *more), 410),
        (head(guarded, LONG, *more), 403),
        (head(alice.share(document), LONG, *more), 403),
        (head(link, 65 << 20, *more), 413),
    ]
    for sent, status in cases:
        assert answered(service, sent)[0] == status
    alice.patch(f"/v1/collections/{collection['id']}", json={"maxBytes": 1000})
    assert answered(service, head(link, LONG, *more))[0] == 413


def test_a_long_body_without_a_token_is_refused_before_it_is_received(service, alice):
    form = ["Host: a", f"Content-Type: {FORM}", f"Content-Length: {20 << 20}"]
    for path in ("/s", "/s?embed=1", "/v1/documents"):
        for more in ([], ["Expect: 100-continue"]):
            sent = "\r\n".join([f"POST {path} HTTP/1.1", *form, *more, "", ""]).encode()
            assert answered(service, sent)[0] == 401


def test_a_file_needs_the_password_of_its_link_also_if_it_was_sent_before(
    alice, anonymous, collection, request_files
):
    """By a key of which there is an answer, or that was set while the file came in."""
    link = request_files()
    for content in (b"short", bytes(LONG)):
        key = {"Idempotency-Key": f"{len(content)}"}
        assert send(anonymous, link, file("a", content), headers=key).status == 201
    alice.patch(f"/v1/tokens/{link['id']}", json={"password": SECRET})
    for content in (b"short", bytes(LONG)):
        key = {"Idempotency-Key": f"{len(content)}"}
        refused(send(anonymous, link, file("a", content), headers=key), 403, "scope_missing")
        refused(send(anonymous, link, file("b", content), headers=key), 403, "scope_missing")
    path = f"/s?token={link['token']}"
    opened = anonymous.post(path, json={"password": SECRET}).json["uploadUrl"].partition("?")[2]
    again = send(
        anonymous, link, file("a", b"short"), headers={"Idempotency-Key": "5"}, query=opened
    )
    assert (again.status, again.headers["Idempotency-Replayed"]) == (201, "true")
    assert len(members(alice, collection)) == 2


def test_a_password_that_is_set_while_a_file_comes_in_is_asked_for(
    service, alice, collection, request_files
):
    link = request_files()
    sending = Sending(service, [link])
    assert sending.statuses() == [100]
    alice.patch(f"/v1/tokens/{link['id']}", json={"password": SECRET})
    assert sending.finish() == [403]
    assert members(alice, collection) == []


class Sending:
    """Long files on their way by these links, of which one byte is missing."""

    def __init__(self, service, links):
        whole = body(file("long.bin", os.urandom(LONG)))
        self.rest = whole[-1:]
        self.connections = []
        for link in links:
            one = socket.create_connection(("127.0.0.1", service.port), timeout=60)
            one.sendall(head(link, len(whole), "Expect: 100-continue"))
            first = one.recv(100)
            if first.startswith(b"HTTP/1.1 100"):
                one.sendall(whole[:-1])
            self.connections.append((one, first))

    def statuses(self):
        return [int(first[9:12]) for _, first in self.connections]

    def finish(self):
        """The answers to those that were let in."""
        found = []
        for one, first in self.connections:
            if first.startswith(b"HTTP/1.1 100"):
                one.sendall(self.rest)
                found.append(int(one.recv(12)[9:]))
            one.close()
        return found


def test_two_long_bodies_at_once_by_one_link_and_four_by_those_of_one_owner(
    service, alice, anonymous, collection, request_files
):
    one, two, three = (request_files() for _ in range(3))
    sending = Sending(service, [one, one, one, two, two, three])
    assert sending.statuses() == [100, 100, 503, 100, 100, 503]
    status, fields = answered(service, head(three, LONG))
    assert (status, b"retry-after" in fields) == (503, True)
    assert send(anonymous, one).status == 201  # a short one needs no place
    assert sending.finish() == [201] * 4
    again = Sending(service, [one, one])
    assert again.finish() == [201] * 2


def test_links_of_one_owner_leave_slots_to_those_of_others(service, request_files):
    bob = service.register()
    theirs = requested(bob, bob.post("/v1/collections", json={"title": "Papers"}).json)
    sending = Sending(service, [request_files() for _ in range(5)])
    assert sending.statuses() == [100] * 4 + [503]
    of_bob = Sending(service, [theirs])
    assert of_bob.statuses() == [100]
    assert of_bob.finish() == [201]
    assert sending.finish() == [201] * 4


@pytest.mark.slow
def test_whoever_holds_slots_and_sends_slowly_ends_where_others_are_refused(service, request_files):
    bob, carol = service.register(), service.register()
    of_bob, of_carol = (
        requested(one, one.post("/v1/collections", json={"title": "Papers"}).json)
        for one in (bob, carol)
    )
    of_alice = request_files(), request_files()
    other = requested(bob, bob.post("/v1/collections", json={"title": "Others"}).json)
    slow = Trickling(service, [*of_alice, *of_alice, of_bob, of_bob, other, other])
    refused(send(Person(service), of_carol, LARGE, errors={503}), 503, "busy")
    until(lambda: slow.trickle() and sent_whole(service, of_carol), 40)  # else it takes minutes
    slow.close()


def sent_whole(service, link):
    return send(Person(service), link, LARGE, errors={503}).status == 201


class Trickling:
    """Long files that come in just above the pace that is asked of every body."""

    def __init__(self, service, links):
        self.began_at = time.monotonic()
        whole = body(file("long.bin", os.urandom(4 << 20)))
        self.piece = whole[: 16 << 10]
        self.sent, self.connections = 0, []
        for link in links:
            one = socket.create_connection(("127.0.0.1", service.port), timeout=60)
            one.sendall(head(link, len(whole), "Expect: 100-continue"))
            assert one.recv(100).startswith(b"HTTP/1.1 100")
            self.connections.append(one)

    def trickle(self):
        """Send 16 KiB for each second that has passed, by those that still may; how many may."""
        while self.sent < time.monotonic() - self.began_at:
            self.sent += 1
            for one in list(self.connections):
                try:
                    one.sendall(self.piece)
                except OSError:
                    one.close()
                    self.connections.remove(one)
        return len(self.connections)

    def close(self):
        for one in self.connections:
            one.close()


def test_a_client_that_disconnects_gives_its_place_back(service, request_files):
    link = request_files()
    for _ in range(3):
        until(lambda: places_of(service, link) == [100, 100])


def places_of(service, link):
    """What two long files are answered at their beginning; they are not sent to the end."""
    sending = Sending(service, [link, link])
    for one, _ in sending.connections:
        one.close()
    return sending.statuses()


def test_pipelined_files_are_answered_in_order_and_what_follows_a_refusal_is_no_request(
    service, alice, collection, request_files
):
    link = request_files()
    form = body(file("long.bin", os.urandom(LONG)))
    smuggled = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
    wrong = head(link, LONG, query=f"token={link['token'][:-6]}000000")
    sent = (head(link, len(form)) + form) * 2 + wrong + smuggled * 20
    found = [status for status, *_ in answers(talk(service, sent, linger=True))]
    assert found == [201, 201, 401]
    assert len(members(alice, collection)) == 2


@pytest.mark.slow
def test_strangers_who_fill_links_leave_room_for_the_owner(start_service):
    service = start_service(RATE_LIMITS="off")
    alice = service.register()
    collection = alice.post("/v1/collections", json={"title": "Offers", "maxBytes": 10**12}).json
    links = [requested(alice, collection, maxViews=200) for _ in range(4)]
    large = body(file("large.bin", bytes(64 << 20)))

    def fill(number):
        path = f"/s?token={links[number % 4]['token']}"
        headers = {"Content-Type": FORM}
        return Person(service).exchange("POST", path, headers.items(), large).status

    with ThreadPoolExecutor(65) as pool:
        filling = [pool.submit(fill, number) for number in range(64)]
        document = alice.upload(os.urandom(1 << 20))
        assert alice.get(at(document, "/view")).status == 200
        statuses = [one.result() for one in filling]
    assert set(statuses) <= {201, 503}
    assert len(members(alice, collection)) == statuses.count(201) >= 4


@pytest.mark.slow
def test_a_killed_process_leaves_a_file_whole_or_not_at_all(start_service):
    service = start_service(RATE_LIMITS="off")
    alice = service.register()
    collection = alice.post("/v1/collections", json={"title": "Offers"}).json
    link = requested(alice, collection, maxViews=200)
    form = body(file("a.bin", os.urandom(4 << 20)))

    def fill(_):
        path = f"/s?token={link['token']}"
        try:
            headers = {"Content-Type": FORM}.items()
            return Person(service).exchange("POST", path, headers, form).status
        except OSError:
            return None

    with ThreadPoolExecutor(4) as pool:
        filling = [pool.submit(fill, number) for number in range(60)]
        while sum(one.done() for one in filling) < 6:
            pass
        service.kill()
        statuses = [one.result() for one in filling]
    service.start()
    found = members(alice, collection)
    (record,) = alice.get(f"/v1/collections/{collection['id']}/tokens").json["tokens"]
    assert statuses.count(201) <= len(found) == record["views"]
    for document in found:
        content = alice.get(at(document, "/content")).body
        assert hashlib.sha256(content).hexdigest() == document["sha256"]
    assert BOUNDARY
