"""What happened, in sentences."""

import re

from tests.console.test_documents import api_of
from tests.console.visitor import Visitor


def sentences(member, query=""):
    text = member.get("/app/activity" + query).text
    lines = re.findall(r"<li><span>(.*?)</span>", text)
    return [re.sub(r"<[^>]+>", "", line) for line in lines]


def test_what_happened_is_told_newest_first(member):
    api = api_of(member)
    document = api.upload(b"x", name="Contract.pdf", token=None)
    link = api.share(document, label="the auditor")
    Visitor(member.service).get(link["viewUrl"].removeprefix(member.service.url))
    api.patch(f"/v1/documents/{document['id']}/tokens/{link['id']}", json={"label": "the notary"})
    api.delete(f"/v1/documents/{document['id']}/tokens/{link['id']}")
    key = api.create_api_key(name="backup")
    key.upload(b"y", name="copy.txt", token=None)
    api.post(f"/v1/api-keys/{key.record['id']}/rotate", json={})

    assert sentences(member) == [
        "The key backup was replaced by a new one by you.",
        "copy.txt was uploaded by the key backup.",
        "The key backup was created by you.",
        "The link to Contract.pdf for “the notary” was revoked by you.",
        "The link to Contract.pdf for “the notary” was changed by you.",
        "Contract.pdf was opened by the link for “the notary”.",
        "A link to Contract.pdf was made by you for “the notary”.",
        "Contract.pdf was uploaded by you.",
    ]


def test_it_is_filtered_by_type_and_document(member):
    api = api_of(member)
    first = api.upload(b"x", name="first.txt", token=None)
    api.upload(b"y", name="second.txt", token=None)
    api.get(f"/v1/documents/{first['id']}/view")
    assert sentences(member, "?type=document.viewed") == ["first.txt was opened by you."]
    page = member.get(f"/app/activity?document={first['id']}")
    assert "second.txt" not in page.text
    assert f'value="{first["id"]}" checked' in page.text
    both = f"?document={first['id']}&type=document.created"
    assert sentences(member, both) == ["first.txt was uploaded by you."]
    document = member.get(f"/app/documents/{first['id']}")
    assert f"/app/activity?document={first['id']}" in document.text


def test_deleted_documents_are_told_without_their_name(member):
    api = api_of(member)
    document = api.upload(b"x", name="secret plan.txt", token=None)
    api.delete(f"/v1/documents/{document['id']}")
    assert sentences(member)[0] == "A document that is gone was deleted by you."


def test_older_activity_is_on_further_pages(member):
    api = api_of(member)
    for number in range(55):
        api.upload(b"x", name=f"{number}.txt", token=None)
    page = member.get("/app/activity")
    (older,) = re.findall(r'rel="next" href="([^"]+)"', page.text)
    found = sentences(member) + sentences(member, older.replace("&amp;", "&"))
    assert found == [f"{number}.txt was uploaded by you." for number in range(54, -1, -1)]


def test_names_in_it_are_text(member):
    api_of(member).upload(b"x", name="<b>bold</b>\u202e.txt", token=None)
    api_of(member).create_api_key(name="<i>key</i>{document}")
    text = member.get("/app/activity").text
    assert "<b>bold" not in text
    assert "<i>key" not in text
    assert "{document}" in text
    assert "U+202E" in text


def test_nothing_of_others_is_told(member, document):
    assert sentences(member) == []
    assert "Nothing here yet." in member.get(f"/app/activity?document={document['id']}").text
