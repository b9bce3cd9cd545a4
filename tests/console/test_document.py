"""The page of one document: looking, saving, changing, deleting, sharing."""

import hashlib
import re
from datetime import datetime

import pytest

from tests.console.visitor import Visitor, element_of, field_of, forms_of, words
from tests.formats import seconds_until


@pytest.fixture
def found(member):
    """A document of the member's: its record, with the path of its page."""
    record = member.api.upload(b"# Hello", "text/markdown", name="hello.md", token=None)
    return record | {"path": f"/app/documents/{record['id']}"}


def record_of(member, found):
    return member.api.get(f"/v1/documents/{found['id']}").json


def test_the_page_shows_type_size_and_checksum(member, found):
    text = member.get(found["path"]).text
    for part in ("hello.md", "text/markdown", "7 bytes", hashlib.sha256(b"# Hello").hexdigest()):
        assert part in text


def test_opening_the_page_is_no_view(member, found):
    member.get(found["path"])
    assert member.api.event_types(f"&documentId={found['id']}") == ["document.created"]


def test_the_preview_is_the_viewer_in_a_sandbox(member, found):
    answer = member.get(found["path"] + "/view?embed=1")
    assert answer.status == 200
    assert "allow-scripts" in answer.policy["sandbox"]
    assert "allow-same-origin" not in answer.policy["sandbox"]
    assert answer.policy["frame-ancestors"] == ["'self'"]
    assert "document.viewed" in member.api.event_types(f"&documentId={found['id']}")


def test_the_original_is_saved_byte_for_byte(member, found):
    answer = member.get(found["path"] + "/content?save=1")
    assert answer.body == b"# Hello"
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="hello.md"')
    assert answer.policy == {"default-src": ["'none'"], "sandbox": []}


def test_the_document_is_saved_as_one_file_and_sealed_by_a_password(member, found):
    plain = member.get(found["path"] + "/download")
    assert plain.headers["Content-Disposition"].startswith("attachment")
    assert hashlib.sha256(b"# Hello").hexdigest() in plain.text

    page = member.get(found["path"])
    sealed = member.submit(page, found["path"] + "/download", password="open sesame")
    assert sealed.headers["Content-Disposition"].startswith("attachment")
    assert hashlib.sha256(b"# Hello").hexdigest() not in sealed.text

    refused = member.submit(page, found["path"] + "/download", password="")
    assert refused.status == 422
    assert "A password is needed" in refused.text


def test_a_large_preview_loads_its_original_by_a_ticket_that_ends_with_the_session(member):
    record = member.api.upload(bytes(9 << 20), "image/png", name="large.png", token=None)
    page = member.get(f"/app/documents/{record['id']}/view").text
    (address,) = set(re.findall(r'/v1/documents/\w+/content\?ticket=[\w.-]+(?=")', page))
    stranger = Visitor(member.service)

    assert len(stranger.get(address).body) == 9 << 20
    another = member.api.upload(b"x", token=None)["id"]
    assert stranger.get(address.replace(record["id"], another)).status == 404
    member.post("/app/logout")
    assert stranger.get(address).status == 401


def test_name_metadata_and_end_are_changed(member, found):
    page = member.get(found["path"])
    fields = {"name": "bye.md", "metadata": "department: sales\r\ncase: 7: 8", "ends": "30"}
    answer = member.submit(page, found["path"], **fields)
    assert answer.headers["Location"] == found["path"] + "?done=saved"
    record = record_of(member, found)
    assert record["name"] == "bye.md"
    assert record["metadata"] == {"department": "sales", "case": "7: 8"}
    assert 29 * 86_400 < seconds_until(record["expiresAt"]) < 31 * 86_400
    page = member.get(found["path"])
    assert "department: sales\ncase: 7: 8" in page.text
    member.submit(page, found["path"], name="again.md")
    assert record_of(member, found) == record | {"name": "again.md"}


CHANGES = [
    ("name", {"name": "x" * 300}),
    ("name", {"name": " "}),
    ("metadata", {"metadata": "x"}),
    ("metadata", {"metadata": "a: 1\na: 2"}),
    ("metadata", {"metadata": "path: ../x"}),
    ("metadata", {"metadata": "\n".join(f"{n}: x" for n in range(17))}),
    ("endsOn", {"ends": "date", "endsOn": "2001-01-01"}),
]


def test_a_refused_change_is_told_at_its_field(member, found):
    for name, fields in CHANGES:
        answer = member.submit(member.get(found["path"]), found["path"], **fields)
        assert answer.status == 422
        assert "<title>Error: hello.md" in answer.text
        assert field_of(answer, name, found["path"])["aria-invalid"] == "true", fields
        assert record_of(member, found)["name"] == "hello.md"


def new_link(member, found, **fields):
    action = found["path"] + "/links"
    return member.submit(member.get(found["path"]), action, **fields)


def ready_link(member, found, **fields):
    """Make a link, and return the page whose card shows it."""
    return member.follow(new_link(member, found, **fields))


def test_a_new_link_is_shown_with_everything_to_send_it_and_can_be_copied_again(member, found):
    terms = {"maxViews": "5", "password": "hunter22", "allowedOrigins": "https://intranet.example"}
    page = ready_link(member, found, label="the auditor", **terms)

    assert "Your link is ready" in words(page)
    link = element_of(page, "link")
    assert re.fullmatch(re.escape(f"{member.service.url}/s?token=dt_") + r"\w{38}", link)
    assert Visitor(member.service).get(link.removeprefix(member.service.url)).status == 200
    assert "mailto:?subject=hello.md" in page.text
    assert "<svg" in page.text
    assert "&lt;iframe" in page.text
    (record,) = member.api.links(found)
    assert (record["label"], record["maxViews"], record["hasPassword"]) == ("the auditor", 5, True)
    assert record["permissions"] == ["view", "download"]
    last_day = datetime.fromisoformat(record["expiresAt"])
    assert f"{last_day:%A %H:%M}" == "Friday 23:59"
    assert 86_400 < seconds_until(record["expiresAt"]) <= 9 * 86_400
    for page in (found["path"], "/app/links", f"/app/links/{record['id']}"):
        assert f'data-copy="{link}"' in member.get(page).text


def test_links_are_written_with_the_public_address(start_service):
    member = Visitor(start_service(BASE_URL="https://docs.example.org")).sign_up("a@example.org")
    found = member.api.upload(b"x", name="x.txt", token=None)
    page = ready_link(member, found | {"path": f"/app/documents/{found['id']}"})
    assert element_of(page, "link").startswith("https://docs.example.org/s?token=dt_")
    assert "127.0.0.1" not in page.text


def test_a_link_sent_twice_is_made_once(member, found):
    page, action = member.get(found["path"]), found["path"] + "/links"
    answers = [member.submit(page, action, password="slow words") for _ in range(2)]
    shown = [element_of(member.follow(answer), "link") for answer in answers]
    assert "token=dt_" in shown[0]
    assert shown[0] == shown[1]
    assert len(member.api.links(found)) == 1


TERMS = [
    *[("maxViews", {"maxViews": one}) for one in ("0", "many", "²", "9" * 5000)],
    *[("endsOn", {"ends": one}) for one in ("²", "9" * 9, "9" * 5000)],
    ("endsOn", {"ends": "date", "endsOn": "2999-01-01", "offset": "--5"}),
    ("endsOn", {"ends": "date", "endsOn": "0001-01-01", "offset": "-9999"}),
    ("endsOn", {"ends": "date", "endsOn": ""}),
    ("label", {"label": "x" * 300}),
    ("allowedOrigins", {"allowedOrigins": "https://a.example\r\nintranet"}),
]


def test_a_refused_link_is_told_at_its_field_and_keeps_what_was_typed(member, found):
    for name, fields in TERMS:
        page = new_link(member, found, **fields | {"password": "open sesame"})
        assert page.status == 422, fields
        field = field_of(page, name, found["path"] + "/links")
        assert field["aria-invalid"] == "true", fields
        sentences = [element_of(page, one) for one in field["aria-describedby"].split()]
        assert all(sentences)
        assert "open sesame" not in page.text
    assert member.api.links(found) == []


def test_a_password_that_a_refused_form_lost_is_typed_again_or_waived(member, found):
    action = found["path"] + "/links"
    page = new_link(member, found, maxViews="3x", password="open sesame")
    for fields in {"maxViews": "3"}, {"maxViews": "4x"}, {"maxViews": "4"}:
        assert field_of(page, "password")["aria-invalid"] == "true"
        page = member.submit(page, action, **fields)
        assert page.status == 422
    assert member.api.links(found) == []

    assert member.submit(page, action, password="open sesame").status == 303
    [form] = [one for one in forms_of(page) if one["action"] == action]
    del form["fields"]["withPassword"]
    assert member.post(action, form["fields"]).status == 303
    assert [one["hasPassword"] for one in member.api.links(found)] == [False, True]


def test_a_link_to_save_only_is_sent_with_an_address_that_saves(member, found):
    page = ready_link(member, found, permissions="download")
    address = element_of(page, "link")
    assert "/download?token=" in address
    assert "/view" not in page.text
    assert "Anyone with it can download “hello.md”" in words(page).replace("“ ", "“").replace(
        " ”", "”"
    )
    assert Visitor(member.service).get(address.removeprefix(member.service.url)).status == 200
    (link,) = member.api.links(found)
    terms = f"/app/links/{link['id']}"
    assert member.submit(member.get(terms), terms).status == 303
    assert member.api.links(found) == [link]


def test_a_link_too_long_for_a_qr_code_is_shown_without_one(member, found):
    page, action = member.get(found["path"]), found["path"] + "/links"
    (form,) = (one for one in forms_of(page) if one["action"] == action)
    host = ".".join(["a" * 60] * 50)
    made = member.post(action, form["fields"])
    answer = member.get(f"http://{host}{made.headers['Location']}")
    assert answer.status == 200
    assert 'id="link"' in answer.text
    assert "QR code" not in answer.text


def test_a_link_permits_something(member, found):
    answer = member.post(found["path"] + "/links", {"label": "x", "ends": "7"})
    assert answer.status == 422
    assert element_of(answer, "links-permissions-error") == "Name at least one permission."


def test_links_of_the_document_are_listed_with_their_state(member, found):
    api = member.api
    live = api.share(found, label="live one")
    used = api.share(found, label="used one", maxViews=1)
    revoked = api.share(found, label="revoked one")
    api.revoke(found, revoked)
    api.submit(used)
    api.open(live["viewUrl"])

    shown = words(member.get(found["path"])).partition("Shared with")[2]
    assert re.search(r"live one Opened 20", shown)
    assert re.search(r"used one Used up 20.{9,30} · opened 1 time", shown)
    assert re.search(r"revoked one Deleted 20", shown)
    assert shown.index("live one") < shown.index("revoked one")
    page = member.get(f"/app/links?document={found['id']}")
    text = re.sub(r"<[^>]+>|\s+", " ", page.text)
    assert re.search(r"live one +active +until .{9,40} opened 1 time,", re.sub(" +", " ", text))
    assert re.search(r"used one +used up .{9,40} opened 1 of 1 time,", re.sub(" +", " ", text))
    assert re.search(r"revoked one +deleted .{9,40} not opened yet", re.sub(" +", " ", text))


def test_behind_each_person_stands_what_was_done_by_their_link(member, found):
    api = member.api
    ana = api.share(found, label="Ana Silva", agreement="I keep this to myself.")
    ben = api.share(found, label="Ben")
    api.share(found)
    accepted = {"name": "Karim", "accept": ana["agreementSha256"]}
    assert api.open(ana["shortUrl"], "POST", json=accepted).status == 200
    api.open(ben["viewUrl"])

    page = member.get(found["path"]).text
    people = [
        " ".join(re.sub(r"<[^>]+>", " ", one).split())
        for one in re.findall(r'<details class="person" id="by-\w+">(.*?)</details>', page, re.S)
    ]
    assert [one.partition(" Active ")[0].partition(" Opened ")[0] for one in people] == [
        "Anyone with the link",
        "Ben",
        "Ana Silva",
    ]
    assert "Nobody has opened it yet." in people[0]
    assert "Ben opened it" in people[1]
    assert "“Karim” opened it" in people[2]
    assert re.search("“Karim” accepted the agreement · Receipt", people[2])
    (receipt,) = re.findall(r'href="(/app/links/openings/opn_\w+)"', page)
    assert member.get(receipt).status == 200


def test_at_most_twenty_links_stand_on_the_page_and_a_link_leads_to_all(member, found):
    for number in range(21):
        member.api.share(found, label=f"reader {number}")
    page = member.get(found["path"]).text
    assert page.count('<details class="person" id="by-') == 20
    assert f'href="/app/links?document={found["id"]}"' in page


def test_a_document_of_somebody_else_is_not_there_and_cannot_be_changed(member, document):
    for act in ("", "/view", "/content", "/download"):
        assert member.get(f"/app/documents/{document['id']}{act}").status == 404, act
    fields = {"name": "x", "password": "x", "permissions": "view"}
    for act in ("", "/links", "/download"):
        assert member.post(f"/app/documents/{document['id']}{act}", fields).status == 404, act


def test_it_is_deleted_for_good_by_its_typed_name_or_tomorrow_by_the_bin(member):
    first, second = (member.api.upload(b"x", name="my  file.txt") for _ in range(2))
    path = f"/app/documents/{first['id']}"
    refused = member.submit(member.get(path), f"{path}/end", sure="your file.txt")
    assert (refused.status, field_of(refused, "sure")["aria-invalid"]) == (422, "true")
    member.post(f"/app/documents/{second['id']}/end", {"act": "tomorrow"})
    assert second["id"] in member.get("/app/bin").text
    assert member.submit(member.get(path), f"{path}/end", sure="my file.txt").status == 303
    assert [member.api.get(f"/v1/documents/{one['id']}").status for one in (first, second)] == [
        404
    ] * 2
    assert first["id"] not in member.get("/app/bin").text


def test_who_edits_a_document_may_cancel(member, found):
    path = f"/app/documents/{found['id']}"
    assert f'<a class="button" href="{path}">Cancel</a>' in member.get(path).text
