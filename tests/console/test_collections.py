"""Collections in the pages: putting together, order, links that open or receive, deletion."""

import io
import re
from urllib.parse import quote
from zipfile import ZipFile

import pytest

from tests.console.test_pages import sentences
from tests.console.visitor import Visitor, element_of, field_of, words
from tests.contract.test_receiving import send
from tests.forms import field, file
from tests.people import at

MULTIPART = {"Content-Type": "multipart/form-data; boundary=b"}


@pytest.fixture
def documents(member):
    names = ("مكتب.txt", "Übersicht.txt", "合同.txt")
    return [member.api.upload(name.encode(), name=name, token=None) for name in names]


@pytest.fixture
def collection(member, documents):
    return member.api.collect(*documents, title="Our offer", note="For\nMonday")


def page_of(collection):
    return f"/app/collections/{collection['id']}"


def names_in(member, collection):
    record = member.api.get(at(collection)).json
    return [document["name"] for document in record["documents"]]


def secret_on(answer):
    return re.search(r"dt_\w+", answer.text)[0]


def test_a_collection_is_made_with_title_and_note_once(member):
    page = member.get("/app/collections")
    assert "No collections yet." in page.text
    sent = {"title": "Offer", "note": "a\r\nb"}
    first, again = (member.submit(page, "/app/collections", **sent) for _ in range(2))
    assert first.headers["Location"] == again.headers["Location"]
    (record,) = member.api.get("/v1/collections").json["collections"]
    assert (record["title"], record["note"]) == ("Offer", "a\nb")
    assert first.headers["Location"] == f"{page_of(record)}?done=made"
    assert "0 documents" in words(member.get("/app/collections"))
    refused = member.submit(member.get("/app/collections"), "/app/collections", title="", note="x")
    assert (refused.status, field_of(refused, "title")["aria-invalid"]) == (422, "true")


def test_a_tile_shows_the_first_kinds_the_count_and_who_used_its_link(member, documents):
    more = [member.api.upload(b"x", "text/csv", name=f"{n}.csv", token=None) for n in range(3)]
    collection = member.api.collect(*documents, *more, title="Our offer")
    page = member.get("/app/collections")
    assert re.findall(r'<i class="badge \w+">(\w+)</i>', page.text) == ["txt", "txt", "txt", "csv"]
    assert "+ 2" in words(page)
    assert "6 documents" in words(page)
    assert "Only you" in words(page)
    link = member.api.share(collection, label="Ms Krause")
    assert "1 link active" in words(member.get("/app/collections"))
    assert member.api.open(link["shortUrl"]).status == 200
    assert "Ms Krause used it" in words(member.get("/app/collections"))


def test_documents_are_moved_taken_out_and_added_by_name(member, documents, collection):
    path, (first, second, third) = page_of(collection), [one["id"] for one in documents]
    page = member.get(path)
    assert [words(page).count(f"{name}.txt") > 0 for name in ("مكتب", "Übersicht", "合同")]
    assert member.post(path, {"up": third, "back": f"{path}?page=1"}).status == 303
    assert names_in(member, collection) == ["مكتب.txt", "合同.txt", "Übersicht.txt"]
    member.post(path, {"down": first})
    member.post(path, {"up": third})
    member.post(path, {"down": second})
    assert names_in(member, collection) == ["合同.txt", "مكتب.txt", "Übersicht.txt"]
    member.post(path, {"remove": third})
    assert names_in(member, collection) == ["مكتب.txt", "Übersicht.txt"]
    assert f'value="{third}"' in member.get(f"{path}?find={quote('合同')}").text
    assert f'name="add" value="{first}"' not in member.get(f"{path}?find=").text
    member.post(path, {"add": third})
    assert names_in(member, collection) == ["مكتب.txt", "Übersicht.txt", "合同.txt"]


def test_a_move_passes_what_is_in_the_bin_and_keeps_it(member, documents, collection):
    first, second, third = [one["id"] for one in documents]
    member.post("/app/documents", {"act": "bin", "id": second})
    member.post(page_of(collection), {"up": third})
    assert names_in(member, collection) == ["合同.txt", "مكتب.txt"]
    member.post("/app/bin", {"id": second})
    assert sorted(names_in(member, collection)) == sorted(one["name"] for one in documents)


def test_title_and_note_are_changed_and_a_refused_change_keeps_what_was_typed(member, collection):
    path = page_of(collection)
    page = member.get(path)
    assert member.submit(page, path, title="Another", note="").status == 303
    record = member.api.get(at(collection)).json
    assert (record["title"], record["note"]) == ("Another", None)
    refused = member.submit(page, path, title="x" * 201)
    assert refused.status == 422
    assert field_of(refused, "title", path)["value"] == "x" * 201


def test_a_file_goes_into_the_collection_whose_page_it_is_sent_from(member, collection):
    parts = {"file": "new", "collectionId": collection["id"], "act": "store"}
    body = "".join(
        f'--b\r\nContent-Disposition: form-data; name="{name}"'
        + ('; filename="new.txt"' if name == "file" else "")
        + f"\r\n\r\n{value}\r\n"
        for name, value in parts.items()
    )
    headers = MULTIPART | {"Sec-Fetch-Site": "same-origin"}
    answer = member.request("POST", "/app/documents?key=k", headers, (body + "--b--\r\n").encode())
    assert answer.headers["Location"] == f"{page_of(collection)}?done=uploaded"
    assert names_in(member, collection)[-1] == "new.txt"


def test_what_is_selected_is_put_together_in_the_order_in_which_it_came(member, documents):
    ids = [documents[at]["id"] for at in (2, 0, 2)]
    answer = member.post("/app/documents", {"act": "collect", "id": ids})
    (record,) = member.api.get("/v1/collections").json["collections"]
    assert answer.headers["Location"] == f"{page_of(record)}?done=collected"
    assert names_in(member, record) == ["合同.txt", "مكتب.txt"]


def test_a_link_to_it_is_shown_listed_and_tells_what_it_has_shown(member, documents, collection):
    path = f"{page_of(collection)}/links"
    made = member.make_link(member.get(path), path, label="the auditor")
    assert "Anyone with it can view and download 3 files until" in words(made)
    stranger, secret = Visitor(member.service), secret_on(made)
    assert stranger.get(f"/s?token={secret}").status == 200
    assert stranger.get(f"{at(documents[1], '/view')}?token={secret}").status == 200
    assert "opens 3 documents: Our offer" in words(member.get("/app/links"))
    (link,) = member.api.links(collection)
    shown = words(member.get(f"/app/links/{link['id']}"))
    assert "opened the contents" in shown
    assert "opened Übersicht.txt" in shown
    assert link["id"] in member.get(f"/app/links?collection={collection['id']}").text
    assert "the auditor used it" in words(member.get("/app/collections"))


def test_a_link_that_takes_files_is_shown_with_words_to_send_along(member, collection):
    path = f"{page_of(collection)}/requests"
    made = member.make_link(member.get(path), path, maxViews="3")
    assert "Anyone with it can send 3 files to" in words(made)
    address = f"{member.service.url}/s?token={secret_on(made)}"
    assert element_of(made, "words").endswith(f"here, without an account: {address}")
    (link,) = member.api.links(collection)
    assert (link["permissions"], link["maxViews"]) == (["upload"], 3)
    assert "receives: Our offer" in words(member.get("/app/links"))
    terms = member.get(f"/app/links/{link['id']}")
    assert "0 of 3 files received" in words(terms)
    assert member.submit(terms, f"/app/links/{link['id']}", maxViews="4").status == 303
    refused = member.submit(member.get(path), path, maxViews="201")
    assert field_of(refused, "maxViews", path)["aria-invalid"] == "true"


def test_all_is_saved_as_one_zip_file(member, collection):
    saved = member.get(f"{page_of(collection)}/content")
    names = ZipFile(io.BytesIO(saved.body)).namelist()
    assert names == ["مكتب.txt", "Übersicht.txt", "合同.txt", "SHA256SUMS"]


def test_who_has_sent_a_file_is_named_in_the_collection_and_in_what_happened(
    member, collection, anonymous
):
    link = member.api.share(collection, permissions=["upload"], label="the office")
    for name, sender in (("Budget.txt", "Ben <b>"), ("Plan.txt", "you"), ("Anon.txt", "")):
        parts = file(name, b"x"), *([field("from", sender.encode())] if sender else [])
        assert send(anonymous, link, *parts).status == 201
    page = member.get(page_of(collection))
    shown = words(page)
    assert re.search("Budget.txt Text · [^·]+ · from Ben &lt;b&gt; , ", shown), shown
    assert shown.count(" · from ") == 2
    told = sentences(member)
    assert "“Ben &lt;b&gt;” sent Budget.txt" in told
    assert "“you” sent Plan.txt" in told
    assert "the office sent Anon.txt" in told


def test_it_is_deleted_when_its_title_is_typed_and_its_documents_stay(
    member, documents, collection
):
    link, path = member.api.share(collection), f"{page_of(collection)}/delete"
    page = member.get(path)
    assert "1 active link to it ends right away, for good." in words(page)
    assert "Its 3 documents stay, with their own links." in words(page)
    refused = member.submit(page, path, title="our offer")
    assert field_of(refused, "title", path)["aria-invalid"] == "true"
    assert member.submit(page, path, title="Our offer ").headers["Location"].endswith("?done=apart")
    assert member.api.get(at(collection)).status == 404
    assert Visitor(member.service).get(f"/s?token={link['token']}").status == 410
    assert member.api.get(at(documents[0])).status == 200


def test_a_collection_of_somebody_else_is_not_there(member, alice, document):
    theirs = alice.collect(document)
    path = page_of(theirs)
    assert member.get(path).status == member.get(f"{path}/content").status == 404
    for call in ("", "/links", "/requests", "/delete"):
        assert member.post(path + call, {"title": "Offer"}).status == 404
    own = member.api.collect()
    assert member.post(page_of(own), {"add": document["id"]}).status == 404
    assert alice.get(at(theirs)).status == 200
