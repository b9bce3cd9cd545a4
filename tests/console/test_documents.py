"""The list of documents, and uploading from its page."""

import io
import json
import re
import zipfile
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import pytest

from blueprints.console import forms
from tests.console.visitor import SAME_SITE, Visitor, element_of, field_of, words
from tests.forms import FORM
from tests.forms import body as form_body
from tests.forms import field as form_field
from tests.forms import file as form_file
from tests.waiting import run_in_threads

JSON = {"Accept": "application/json"}


def upload(member, key, content=b"a file", name="a.txt", kind="text/plain", headers=(), **fields):
    head = '--x\r\nContent-Disposition: form-data; name="{}"{}\r\n'
    body = "".join(f"{head.format(name, '')}\r\n{value}\r\n" for name, value in fields.items())
    body += head.format("file", f'; filename="{name}"') + f"Content-Type: {kind}\r\n\r\n"
    body = body.encode() + content
    form = {"Content-Type": "multipart/form-data; boundary=x"} | SAME_SITE | dict(headers)
    path = f"/app/documents?key={key}"
    return member.request("POST", path, form, body + b"\r\n--x--\r\n")


def stored(member):
    return member.api.get("/v1/documents").json["documents"]


def rows(answer):
    """The names in the list."""
    return re.findall(
        r'<a href="/app/documents/doc_\w+"><i[^>]*>[^<]*</i><bdi>([^<]*)<', answer.text
    )


def test_an_empty_list_says_how_to_begin(member):
    text = member.get("/app/documents").text
    assert "Nothing here yet" in text
    assert f"{member.service.url}/v1/documents" in text
    assert "Up to 67 MB each" in text


def test_the_folder_of_a_document_stands_above_its_name(member):
    filed = member.api.upload(name="plan.txt", metadata={"path": "plans/2026"}, token=None)
    member.api.upload(name="other.txt", metadata={"path": "plans/2025"}, token=None)
    collection = member.api.collect(filed)
    for path in (
        "/app/documents",
        f"/app/documents/{filed['id']}",
        f"/app/collections/{collection['id']}",
    ):
        shown = words(member.get(path))
        assert "plan.txt" in shown.partition("plans/2026")[2][:20], path
        assert ("plans/2025" in shown) == (path == "/app/documents")
    assert "plans/2026" not in words(member.get("/app/bin"))


def test_an_upload_leads_to_its_page(member):
    answer = upload(member, "k", b"# Hello", "hello.md", "text/markdown")

    assert answer.status == 303
    page = member.get(answer.headers["Location"])
    assert "hello.md" in page.text
    (document,) = stored(member)
    assert (document["name"], document["contentType"]) == ("hello.md", "text/markdown")
    links = member.api.links(document)
    assert links == []


def test_one_form_without_a_script_stores_a_file_and_shows_its_link(member):
    terms = {"act": "link", "label": "the auditor", "permissions": "view", "ends": "7"}
    terms |= {"withPassword": "1", "password": "open sesame", "maxViews": "3", "allowedOrigins": ""}
    answers = [upload(member, "k", **terms) for _ in range(2)]
    assert [answer.status for answer in answers] == [303, 303]
    pages = [member.get(answer.headers["Location"]) for answer in answers]
    addresses = [element_of(page, "link") for page in pages]
    assert addresses[0] == addresses[1]
    assert "Anyone with it and the password can only view" in words(pages[0])
    assert "It opens 3 times. Send the password separately." in words(pages[0])
    assert Visitor(member.service).get(addresses[0].removeprefix(member.service.url)).status == 200
    (document,) = stored(member)
    (link,) = member.api.links(document)
    assert (link["label"], link["maxViews"], link["hasPassword"]) == ("the auditor", 3, True)
    assert link["permissions"] == ["view"]

    refused = upload(member, "other", **terms | {"maxViews": "3x"})
    assert refused.status == 422
    assert field_of(refused, "maxViews")["aria-invalid"] == "true"
    assert field_of(refused, "label")["value"] == "the auditor"
    assert "open sesame" not in refused.text
    assert len(stored(member)) == 1


def upload_several(member, names, content=b"a file", **fields):
    parts = [form_field(name, value.encode()) for name, value in fields.items()]
    parts += [form_file(name, content) for name in names]
    headers = {"Content-Type": FORM} | SAME_SITE
    return member.request("POST", "/app/documents?key=several", headers, form_body(*parts))


def test_one_form_without_a_script_makes_one_link_to_several_files(member):
    terms = {"act": "link", "permissions": "view download", "ends": "never"}
    answers = [upload_several(member, ["a.txt", "b.txt", "c.txt"], **terms) for _ in range(2)]
    assert answers[0].headers["Location"] == answers[1].headers["Location"]
    page = member.get(answers[0].headers["Location"])
    assert "Anyone with it can view and download 3 files until you turn it off." in words(page)
    (collection,) = member.api.get("/v1/collections").json["collections"]
    assert (collection["title"], collection["documentCount"]) == ("a.txt + 2", 3)
    (link,) = member.api.links(collection)
    assert link["collectionId"] == collection["id"]
    assert len(stored(member)) == 3


def test_several_files_are_kept_private_if_no_link_is_asked_for(member):
    answer = upload_several(member, ["a.txt", "b.txt"], act="store")
    assert answer.headers["Location"] == "/app/documents?done=uploaded"
    assert len(stored(member)) == 2
    assert member.api.get("/v1/tokens").json["tokens"] == []


def test_of_several_files_none_is_stored_if_one_is_refused(start_service):
    member = Visitor(start_service(QUOTA_DOCUMENTS="2")).sign_up("a@example.org")
    answer = upload_several(member, ["a.txt", "b.txt", "c.txt"], act="store")
    assert answer.status == 403
    assert stored(member) == []


def test_documents_are_shared_together_once(member):
    ids = [member.api.upload(b"x", name=f"{n}.txt", token=None)["id"] for n in range(3)]
    form = {"act": "share", "id": ids, "key": "k", "permissions": "view", "ends": "never"}
    answers = [member.post("/app/documents", form, SAME_SITE | JSON) for _ in range(2)]
    assert answers[0].json == answers[1].json
    (collection,) = member.api.get("/v1/collections").json["collections"]
    (link,) = member.api.links(collection)
    assert answers[0].json["id"] == link["id"]
    refused = member.post("/app/documents", form | {"maxViews": "0"}, SAME_SITE | JSON)
    assert refused.json["errors"][0]["pointer"] == "#/maxViews"
    many = form | {"id": [f"doc_{n}" for n in range(101)]}
    refused = member.post("/app/documents", many, SAME_SITE | JSON)
    assert "Share at most 100 documents at once." in refused.text
    stranger = Visitor(member.service).sign_up(f"{ids[0]}@example.org")
    assert stranger.post("/app/documents", form, SAME_SITE | JSON).status == 404


def test_the_card_shows_a_new_link_while_it_is_active(member):
    link = member.api.share(member.api.upload(name="a.txt", token=None))
    page = member.get(f"/app/documents?made={link['id']}")
    assert element_of(page, "link").endswith(link["token"])
    member.api.delete(f"/v1/tokens/{link['id']}")
    assert "Your link is ready" not in member.get(f"/app/documents?made={link['id']}").text


def test_what_is_selected_is_saved_as_one_zip_file(member):
    for name in ("a.txt", "b.py", "c.txt"):
        upload(member, name, name.encode(), name)
    ids = {one["name"]: one["id"] for one in stored(member)}
    put_away = {"act": "bin", "id": ids["c.txt"]}
    assert member.post("/app/documents", put_away).status == 303

    answer = member.post("/app/documents", {"act": "zip", "id": list(ids.values())})

    assert (answer.status, answer.kind) == (200, "application/zip")
    assert re.search(r'filename="2 documents [\d-]+\.zip"', answer.headers["Content-Disposition"])
    with zipfile.ZipFile(io.BytesIO(answer.body)) as saved:
        assert (saved.read("a.txt"), saved.read("b.py")) == (b"a.txt", b"b.py")
        assert "c.txt" not in saved.namelist()
    assert member.api.event_types().count("document.downloaded") == 2
    stranger = Visitor(member.service).sign_up(f"stranger-{ids['a.txt']}@example.org")
    assert stranger.post("/app/documents", {"act": "zip", "id": ids["a.txt"]}).status == 404


def test_programs_and_data_are_called_code(member):
    upload(member, "k", b"{}", "data.json", "application/json")
    upload(member, "l", b"pass", "main.py", "text/x-python")
    assert set(rows(member.get("/app/documents?type=Code"))) == {"data.json", "main.py"}


def test_the_script_gets_the_address_of_what_it_uploaded(member):
    answer = upload(member, "k", headers=JSON)
    assert (answer.status, answer.kind) == (200, "application/json")
    assert member.get(answer.json["address"]).status == 200


def test_an_upload_tried_again_is_stored_once(member):
    answers = [upload(member, "same", headers=JSON) for _ in range(2)]
    assert answers[0].json == answers[1].json
    assert len(stored(member)) == 1
    upload(member, "another")
    assert len(stored(member)) == 2


def test_two_uploads_at_once_with_one_key_are_stored_once(member):
    answers = []
    send = lambda: answers.append(upload(member, "both", b"x" * 300_000))  # noqa: E731
    run_in_threads(send, send)
    assert len({answer.headers["Location"] for answer in answers}) == 1
    assert len(stored(member)) == 1


def test_an_upload_of_many_bytes_is_taken_with_the_cookie_only(member):
    content = b"x" * (3 << 20)
    assert upload(member, "large", content).status == 303
    stranger = Visitor(member.service)
    answer = upload(stranger, "large", content)
    assert answer.headers["Location"].startswith("/app/login")
    stranger.cookies = {"session": "v4.local.over"}
    assert upload(stranger, "large", content).headers["Location"].startswith("/app/login")
    assert len(stored(member)) == 1


def test_a_file_that_is_too_large_is_refused_in_words(start_service):
    service = start_service(MAX_DOCUMENT_BYTES="100000")
    member = Visitor(service).sign_up("a@example.org")
    answer = upload(member, "k", b"x" * 100_001)
    assert (answer.status, answer.kind) == (413, "text/html")
    assert "The limit is 100,000 bytes." in answer.text
    problem = upload(member, "k", b"x" * 100_001, headers=JSON)
    assert (problem.status, problem.json["code"]) == (413, "payload_too_large")
    page = member.get("/app/documents").text
    assert 'data-once="100000"' in page  # by a form; larger ones go in slices by the script
    assert f'data-limit="{1 << 34}"' in page


def test_a_full_quota_is_told_on_the_page(start_service):
    member = Visitor(start_service(QUOTA_DOCUMENTS="1")).sign_up("a@example.org")
    assert upload(member, "one").status == 303
    answer = upload(member, "two")
    assert answer.status == 403
    assert "You may keep 1 document and have 1" in answer.text


def test_a_form_without_a_file_is_refused(member):
    form = {"Content-Type": "multipart/form-data; boundary=x"} | SAME_SITE
    answer = member.request("POST", "/app/documents?key=k", form, b"--x--\r\n")
    assert (answer.status, answer.kind) == (422, "text/html")
    answer = member.request("POST", "/app/documents?key=k", form | JSON, b"--x--\r\n")
    assert (answer.status, answer.json["code"]) == (422, "invalid_request")


def test_an_upload_of_another_site_is_refused(member):
    other = {"Sec-Fetch-Site": "cross-site", "Origin": "http://evil.example"}
    assert upload(member, "k", headers=other).status == 403
    assert stored(member) == []


@pytest.fixture(scope="module")
def keeper(service):
    """Somebody with sixty documents."""
    keeper = Visitor(service).sign_up("keeper@console.example")
    api = keeper.api
    for number in range(30):
        api.upload(b"x", "application/pdf", name=f"Report {number}.pdf", token=None)
        api.upload(b"x", "image/png", name=f"Photo {number}.png", token=None)
    return keeper


def test_pages_of_the_list_hold_each_document_once(keeper):
    found = [name for page in keeper.older("/app/documents") for name in rows(page)]
    assert len(found) == len(set(found)) == 60
    assert found[0] == "Photo 29.png"


def test_the_list_is_searched_by_name_and_type(keeper):
    search = lambda **query: rows(keeper.get("/app/documents?" + urlencode(query)))  # noqa: E731
    twenties = [f"Photo {n}.png" for n in range(29, -1, -1) if "2" in str(n)]
    assert search(name="PHOTO 2") == search(name="2 phóto") == twenties
    assert search(name="report", sort="oldest")[:2] == ["Report 0.pdf", "Report 1.pdf"]
    assert search(sort="largest") == search()
    assert search(sort="name")[:3] == ["Photo 0.png", "Photo 1.png", "Photo 10.png"]
    assert set(search(type="PDF")) == {f"Report {n}.pdf" for n in range(30)}
    assert search(name="photo", type="PDF") == []
    assert len(search(type="nonsense")) == 50
    page = keeper.get("/app/documents?" + urlencode({"name": "report", "type": "PDF"}))
    assert 'value="report"' in page.text
    assert re.search(r'type=PDF"[^>]* aria-current="true">PDF</a>', page.text)
    assert 'name="type" value="PDF"' in page.text
    assert "30 of 60 documents" in words(page)
    assert "sort=oldest&amp;page=2" in keeper.get("/app/documents?sort=oldest").text


def test_names_are_shown_as_text_with_what_is_hidden_made_visible(member):
    upload(member, "k", name="<b>x</b>\u202efdp.exe")
    text = member.get("/app/documents").text
    assert "<b>x</b>" not in text
    assert "U+202E" in text


def state_of(member, name):
    """The line of words about a document in the list."""
    row = re.search(rf"<bdi>{name}</bdi>.*?<td>(.*?)</td>", member.get("/app/documents").text, re.S)
    return " ".join(re.sub(r"<[^>]+>", "", row[1]).split())


def test_a_row_says_in_words_who_can_open_the_document_and_who_did(member):
    api = member.api
    document = api.upload(b"x", name="offer.txt", token=None)
    assert state_of(member, "offer.txt") == "Only you"
    first = api.share(document, label="Ana Silva")
    assert re.fullmatch(
        r"Active until 20[\d: UTC-]+, not opened yet", state_of(member, "offer.txt")
    )
    second = api.share(document)
    assert state_of(member, "offer.txt") == "2 links active, not opened yet"
    api.open(first["viewUrl"])
    opened = r"Ana Silva opened it 20[\d: UTC-]+"
    assert re.fullmatch(opened, state_of(member, "offer.txt"))
    api.revoke(document, first)
    api.revoke(document, second)
    assert re.fullmatch(opened + ", ended", state_of(member, "offer.txt"))


def test_a_row_names_the_reader_whom_a_guarded_link_knows(member):
    document = member.api.upload(b"x", name="offer.txt", token=None)
    link = member.api.share(document, label="Acme", agreement="I keep this to myself.")
    accepted = {"name": "Karim", "accept": link["agreementSha256"]}
    assert member.api.open(link["shortUrl"], "POST", json=accepted).status == 200
    assert state_of(member, "offer.txt").startswith("“Karim” opened it")


def test_a_document_in_a_shared_collection_is_said_to_be_shared(member):
    api = member.api
    together, apart, asked_for = (api.upload(b"x", name=f"{n}.txt", token=None) for n in range(3))
    collection = api.collect(title="Offer", documentIds=[together["id"]])
    api.collect(title="Mine", documentIds=[apart["id"]])
    inbox = api.collect(title="Inbox", documentIds=[asked_for["id"]])
    api.share(inbox, permissions=["upload"])
    assert state_of(member, "0.txt") == "Only you"
    link = api.share(collection)
    assert state_of(member, "0.txt") == "Shared in a collection"
    assert state_of(member, "1.txt") == state_of(member, "2.txt") == "Only you"
    shared = rows(member.get("/app/documents?is=shared"))
    assert shared == rows(member.get("/app/documents?is=shared&sort=name")) == ["0.txt"]
    page = f"/app/documents/{together['id']}"
    assert "Links to the collection Offer open it." in words(member.get(page))
    assert "Only you can open this document" not in words(member.get(page))
    assert "Only you can open this document." in words(
        member.get(f"/app/documents/{asked_for['id']}")
    )
    api.share(together)
    assert "Links to the collection Offer open it, too." in words(member.get(page))
    api.revoke(collection, link)
    assert "the collection Offer" not in words(member.get(page))


def test_a_document_is_not_shared_by_a_collection_whose_link_has_ended(member):
    document = member.api.upload(b"x", name="0.txt", token=None)
    collection = member.api.collect(title="Offer", documentIds=[document["id"]])
    member.api.revoke(collection, member.api.share(collection))
    assert state_of(member, "0.txt") == "Only you"


def test_the_list_is_narrowed_to_what_is_shared_or_was_received(member):
    api = member.api
    shared, ended, mine = (api.upload(b"x", name=f"{n}.txt", token=None) for n in range(3))
    api.share(shared)
    api.revoke(ended, api.share(ended))
    offer = api.collect(title="Tax papers")
    link = api.share(offer, permissions=["upload"])
    head = {"Content-Type": "multipart/form-data; boundary=x", "Accept": "application/json"}
    part = '--x\r\nContent-Disposition: form-data; name="{}"{}\r\n\r\n{}\r\n'
    body = part.format("from", "", "Ben") + part.format("file", '; filename="b.pdf"', "scan")
    path = link["shortUrl"].removeprefix(member.service.url)
    sent = Visitor(member.service).request("POST", path, head, (body + "--x--\r\n").encode())
    assert sent.status == 201

    listed = lambda query: rows(member.get("/app/documents?" + query))  # noqa: E731
    assert listed("is=shared") == listed("is=shared&name=txt") == ["0.txt"]
    assert listed("is=received") == listed("is=received&name=b") == ["b.pdf"]
    assert listed("is=received&sort=name") == ["b.pdf"]
    assert len(listed("is=")) == 4
    assert "1 of 4 documents" in words(member.get("/app/documents?is=received"))
    assert state_of(member, "b.pdf") == "Received from Ben"
    assert mine["name"] in listed("")


def test_the_script_gets_the_address_of_the_newest_link_of_a_row(member):
    document = member.api.upload(b"x", name="offer.txt", token=None)
    member.api.share(document)
    link = member.api.share(document)
    (path,) = re.findall('data-copy-of="([^"]+)"', member.get("/app/documents").text)
    assert member.get(path, Accept="application/json").json == {"address": link["shortUrl"]}


def test_documents_stand_below_headings_of_their_days(keeper):
    headings = re.findall(r"data-day>([^<]+)<", keeper.get("/app/documents").text)
    assert headings == ["Today"]
    assert "data-day" not in keeper.get("/app/documents?sort=name").text
    page = keeper.get("/app/documents?sort=largest").text
    assert re.search(r'aria-sort="descending"><a href="[^"]+sort=largest">Size', page)


@pytest.mark.parametrize(
    ("days", "heading"),
    [
        (0, "Today"),
        (1, "Yesterday"),
        (2, "Earlier this week"),
        (3, "Last week"),
        (9, "Last week"),
        (10, "Earlier this month"),
        (31, "October"),
        (400, "October 2025"),
    ],
)
def test_a_heading_names_the_days_in_words(days, heading):
    wednesday = datetime(2026, 11, 25, 12, tzinfo=UTC)
    moment = wednesday - timedelta(days=days)
    assert forms.day_heading(int(moment.timestamp() * 1000), wednesday.date()) == heading


def test_documents_of_others_are_not_listed(member, document):
    assert rows(member.get("/app/documents")) == []
    assert json.dumps(document["id"]) not in member.get("/app/documents").text
