"""A collection as one HTML file, plain and encrypted: what is in it, and by which links."""

import base64
import hashlib
import json
import re
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from http.client import IncompleteRead

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tests.contract.requests import DAMAGE
from tests.people import at
from tests.problems import refused, refused_field

FILES = {"a.txt": b"first " * 90_000, "<b>.html": b"<p>second</p>", "c.bin": bytes(range(256))}
EVENT = "collection.downloaded"


@pytest.fixture
def alice(new_user):
    return new_user


@pytest.fixture
def documents(alice):
    return [alice.upload(body, name=name, token=None) for name, body in FILES.items()]


@pytest.fixture
def collection(alice, documents):
    return alice.collect(*documents, title="Our <offer>", note="For\nMonday")


def file_of(collection):
    return at(collection, "/download")


def by(link):
    return f"/s/download?token={link['token']}"


def page(head, original, tail):
    return head + base64.b64encode(original) + tail


def plain_pages(html):
    """Each document's page as the file holds it."""
    form = rb'<script type="text/plain" id="document-(\d+)">\n(.*?)</script>'
    found = re.findall(form, html, re.S)
    assert [int(number) for number, _ in found] == list(range(1, len(found) + 1))
    decoded = [[base64.b64decode(one) for one in text.split(b"\n")[:3]] for _, text in found]
    return [page(*parts) for parts in decoded]


def sealed_parts(html):
    """The header and the pieces of each page."""
    form = r'id="header(?:-\d+)?">(.*?)</script>.*?id="pieces(?:-\d+)?">\n(.*?)\n</script>'
    found = re.findall(form, html, re.S)
    return [(header, [base64.b64decode(one) for one in lines.split()]) for header, lines in found]


derived = cache(hashlib.pbkdf2_hmac)  # the parts of a file share one key


def opened(part, number, password):
    """The page with this number, decrypted as the top of the file says."""
    text, pieces = part
    header = json.loads(text)
    salt, nonce = (base64.b64decode(header[name]) for name in ("salt", "nonce"))
    word = unicodedata.normalize("NFC", password).encode()
    key = AESGCM(derived("sha512", word, salt, header["rounds"], 32))
    plain = b"".join(
        key.decrypt(
            nonce + bytes([number]) + at.to_bytes(3, "big") + bytes([at == len(pieces) - 1]),
            piece,
            text.encode(),
        )
        for at, piece in enumerate(pieces)
    )
    head, size = header["head"], header["original"]
    return page(plain[:head], plain[head : head + size], plain[head + size :])


def test_it_holds_each_document_as_the_file_of_its_own(alice, collection, documents):
    answer = alice.get(file_of(collection))
    assert (answer.status, answer.headers["Content-Length"]) == (200, None)
    assert 'filename="Our _offer_.html"' in answer.headers["Content-Disposition"]
    singles = [alice.get(at(one, "/download")).body for one in documents]
    assert plain_pages(answer.body) == singles


def test_its_contents_can_be_read_without_a_script(alice, collection, documents):
    html = alice.get(file_of(collection)).text
    contents = html.partition("<main")[2].partition("\n<script")[0]
    places = [contents.index(one["sha256"]) for one in documents]
    assert places == sorted(places)
    for words in ("Our &lt;offer&gt;", "For\nMonday", "&lt;b&gt;.html", "3 documents"):
        assert words in contents
    record = json.loads(re.search(r'id="collection">(.*?)</script>', html)[1])
    assert [record["title"], record["note"]] == ["Our <offer>", "For\nMonday"]
    shown = ("name", "contentType", "size", "sha256")
    assert record["documents"] == [{name: one[name] for name in shown} for one in documents]


@pytest.mark.slow
def test_under_a_password_contents_and_documents_are_encrypted_each_by_itself(
    alice, collection, documents
):
    answer = alice.post(file_of(collection), json={"password": "pässword"})
    assert answer.status == 200
    for hidden in ("offer", "a.txt", "Monday", documents[0]["sha256"]):
        assert hidden not in answer.text
    parts = sealed_parts(answer.text)
    contents, *pages = (opened(part, number, "pässword") for number, part in enumerate(parts))
    assert documents[2]["sha256"].encode() in contents
    assert pages == [alice.get(at(one, "/download")).body for one in documents]
    for part, number in ((parts[1], 2), (parts[2], 1), (parts[0], 1)):
        with pytest.raises(InvalidTag):
            opened(part, number, "pässword")
    refused_field(alice.post(file_of(collection), json={"password": ""}), "#/password")


def test_that_of_an_empty_collection_says_so(alice):
    answer = alice.get(file_of(alice.collect()))
    assert "Nothing was here" in answer.text
    assert plain_pages(answer.body) == []


def test_each_download_is_one_event_and_head_is_none(alice, anonymous, collection):
    assert alice.head(file_of(collection)).status == 200
    link = alice.share(collection)
    assert anonymous.get(by(link)).status == 200
    assert anonymous.get(f"/s?token={link['token']}").text.count("s/download?token=") == 1
    told = [(one["type"], one["data"].get("tokenId")) for one in alice.events()]
    assert [id for type, id in told if type == EVENT] == [link["id"]]
    assert not {"document.viewed", "document.downloaded"} & {type for type, _ in told}


def test_more_than_one_document_may_be_is_refused_and_the_zip_named(start_service):
    alice = start_service(MAX_DOCUMENT_BYTES=1000, RATE_LIMITS="off").register()
    half = [alice.upload(bytes(500 + n), name="a.bin", token=None) for n in range(2)]
    fits, not_quite = alice.collect(half[0]), alice.collect(*half)
    assert alice.get(file_of(fits)).status == 200
    link = alice.share(not_quite)
    assert link["downloadUrl"] is None
    for answer in (
        alice.get(file_of(not_quite)),
        alice.post(file_of(not_quite), json={"password": "word"}),
        alice.open(link["contentUrl"].replace("/content?", "/download?")),
    ):
        refused(answer, 413, "payload_too_large")
        assert "ZIP" in answer.json["detail"]
    assert "s/download" not in alice.open(link["shortUrl"]).text


def test_by_a_link_it_counts_as_one_view_of_the_whole(alice, anonymous, collection):
    link = alice.share(collection, maxViews=1)
    prompt = anonymous.get(by(link))
    assert "<form" in prompt.text
    assert "first" not in prompt.text
    ways = [
        lambda: anonymous.post(by(link), form={}),
        lambda: anonymous.post(by(link), json={"password": "word"}),
        lambda: anonymous.post(f"/s?token={link['token']}", json={}),
        lambda: anonymous.get(f"/s/content?token={link['token']}"),
    ]
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda number: ways[number % 4]().status, range(12)))
    assert sorted(answers) == [200] + [410] * 11


@pytest.mark.slow
def test_a_links_password_opens_it_and_that_of_the_reader_seals_by_ticket(
    alice, anonymous, collection
):
    link = alice.share(collection, password="hunter22")
    assert "<form" in anonymous.get(by(link)).text
    refused(anonymous.post(by(link), json={"password": "hunter22"}), 403, "scope_missing")
    assert anonymous.post(by(link), form={"password": "wrong"}).status == 401
    saved = anonymous.post(by(link), form={"password": "hunter22"})
    assert len(plain_pages(saved.body)) == 3
    shown = anonymous.post(f"/s?token={link['token']}", json={"password": "hunter22"}).json
    path = "/s/download?" + shown["documents"][0]["viewUrl"].partition("?")[2]
    assert len(plain_pages(anonymous.get(path).body)) == 3
    for body in ({"json": {"password": "my own"}}, {"form": {"password": "my own"}}):
        parts = sealed_parts(anonymous.post(path, **body).text)
        assert b"Our &lt;offer" in opened(parts[0], 0, "my own")


def test_a_link_that_may_only_be_viewed_or_takes_files_saves_nothing(alice, anonymous, collection):
    for permissions in (["view"], ["upload"]):
        link = alice.share(collection, permissions=permissions)
        refused(anonymous.get(by(link)), 403, "scope_missing")
        refused(anonymous.post(by(link), json={"password": "word"}), 403, "scope_missing")
    viewed = alice.share(collection, permissions=["view"], password="hunter22")
    shown = anonymous.post(f"/s?token={viewed['token']}", json={"password": "hunter22"}).json
    ticket = shown["documents"][0]["viewUrl"].partition("?")[2]
    refused(anonymous.get(f"/s/download?{ticket}"), 403, "scope_missing")


@pytest.mark.logs_traceback("crypto.sealing.DecryptionError")
def test_a_damaged_document_is_an_error_or_breaks_the_file_off(
    alice, service, collection, documents
):
    service.sql(DAMAGE, id=documents[0]["id"])
    refused(alice.get(file_of(collection), errors=[500]), 500, "document_damaged")
    alice.patch(at(collection), json={"order": [documents[1]["id"]]})
    with pytest.raises(IncompleteRead):
        alice.get(file_of(collection))


def test_the_file_says_in_its_source_how_many_documents_it_holds(alice, documents):
    for some, says in (
        (documents[:1], "holds 1 document."),
        (documents, f"{len(documents)} documents."),
    ):
        collection = alice.collect(*some)
        assert says in alice.get(file_of(collection)).text.partition("-->")[0]
