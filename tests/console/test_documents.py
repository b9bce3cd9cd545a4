"""The list of documents, and uploading from its page."""

import io
import json
import re
import zipfile
from urllib.parse import urlencode

import pytest

from tests.console.visitor import SAME_SITE, Visitor, field_of
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
    assert "Up to 64.0 MiB each" in text


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
    terms |= {"password": "open sesame", "maxViews": "3", "allowedOrigins": ""}
    answers = [upload(member, "k", **terms) for _ in range(2)]
    addresses = [re.search(r'id="link" value="([^"]+)"', answer.text)[1] for answer in answers]
    assert addresses[0] == addresses[1]
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
    assert 'data-limit="100000"' in member.get("/app/documents").text


def test_a_full_quota_is_told_on_the_page(start_service):
    member = Visitor(start_service(QUOTA_DOCUMENTS="1")).sign_up("a@example.org")
    assert upload(member, "one").status == 303
    answer = upload(member, "two")
    assert answer.status == 403
    assert "You may keep 1 documents" in answer.text


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
    twenties = [f"Photo {n}.png" for n in range(29, 20, -1)]
    assert search(name="PHOTO 2") == search(name="2 phóto") == twenties
    assert search(name="report", sort="oldest")[:2] == ["Report 0.pdf", "Report 1.pdf"]
    assert search(sort="largest") == search()
    assert search(sort="name")[:3] == ["Photo 0.png", "Photo 1.png", "Photo 10.png"]
    assert set(search(type="PDF")) == {f"Report {n}.pdf" for n in range(21, 30)}
    assert search(name="photo", type="PDF") == []
    assert len(search(type="nonsense")) == 9
    page = keeper.get("/app/documents?" + urlencode({"name": "report", "type": "PDF"}))
    assert 'value="report"' in page.text
    assert "<option selected>PDF</option>" in page.text
    assert "name=report&amp;type=PDF&amp;page=2" in page.text


def test_names_are_shown_as_text_with_what_is_hidden_made_visible(member):
    upload(member, "k", name="<b>x</b>\u202efdp.exe")
    text = member.get("/app/documents").text
    assert "<b>x</b>" not in text
    assert "U+202E" in text


def test_the_list_says_how_many_links_are_live(member):
    api = member.api
    document, other = api.upload(b"x", token=None), api.upload(b"y", token=None)
    first, _ = api.share(document), api.share(document)
    assert "2 live" in member.get("/app/documents").text
    api.revoke(document, first)
    text = member.get("/app/documents").text
    assert "1 live" in text
    assert other["name"] in text


def test_documents_of_others_are_not_listed(member, document):
    assert rows(member.get("/app/documents")) == []
    assert json.dumps(document["id"]) not in member.get("/app/documents").text
