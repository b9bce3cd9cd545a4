"""Every address that a link reaches, tried without what a guarded link asks, and too late."""

import hashlib
from itertools import product

import pytest

from tests.formats import b64
from tests.people import Person, at
from tests.problems import refused
from viewer.tests import samples

TEXT = "I keep this to myself."
SHA256 = hashlib.sha256(TEXT.encode()).hexdigest()
ACCEPTED = {"name": "Ana Auditor", "accept": SHA256}
SECRET, NAME = "Zwetschgenkuchen", "Rezept-geheim"
ACCEPTS = [{}, *({"Accept": kind} for kind in ("text/html", "application/json"))]
ASKED_FOR = [*ACCEPTS, {"Range": "bytes=0-9"}, {"If-None-Match": "*"}]
BODIES = [{}, {"password": "x"}, {**ACCEPTED, "accept": "0" * 64}, {**ACCEPTED, "name": " "}]


@pytest.fixture
def documents(alice):
    """A text and a PDF, which both hold what nobody may see."""
    text = alice.upload(SECRET.encode(), "text/plain", name=f"{NAME}.txt", token=None)
    pdf = samples.pdf(SECRET)
    return text, alice.upload(pdf, "application/pdf", name=f"{NAME}.pdf", token=None)


def addresses(documents, collection):
    below = ("", "/view", "/download", "/content", "/pages", "/pages/1", "/codes")
    yield from (at(one, path) for one in documents for path in below)
    yield from (f"/s{path}" for path in ("", "/download", "/content", "/codes"))
    yield from (at(collection, path) for path in ("", "/download", "/content", "/tokens"))
    yield from (at(documents[0], f"/agreements/{SHA256}"), "/v1/tokens", "/v1/events")


def tell_nothing(answer, documents):
    said = answer.body + str(answer.headers).encode()
    kept = SECRET, NAME, b64(SECRET.encode()), *(one["sha256"] for one in documents)
    assert not [one for one in kept if one.encode() in said], answer


@pytest.mark.slow
def test_no_address_tells_anything_of_a_guarded_link_before_all_is_sent(service, alice, documents):
    collection = alice.collect(*documents, title=NAME)
    for target in (*documents, collection):
        link = alice.share(target, agreement=TEXT, hideName=True)
        reader = Person(service).with_token(link["token"])
        for path in addresses(documents, collection):
            for method, headers in product(("GET", "HEAD"), ASKED_FOR):
                tell_nothing(
                    reader.exchange(method, path, [*reader.credential.items(), *headers.items()]),
                    documents,
                )
            for body, headers in product(BODIES, ACCEPTS):
                tell_nothing(reader.post(path, json=body, headers=headers), documents)
                form = {"form": body | {"token": link["token"]}, "headers": headers}
                tell_nothing(Person(service).post(path, **form), documents)
        url = f"{service.url}/s?token={link['token']}"
        tell_nothing(Person(service).get(f"/oembed?url={url}"), documents)
        assert alice.get(at(target, f"/tokens/{link['id']}/openings")).json["openings"] == []


def test_what_a_ticket_opens_ends_when_the_link_asks_for_something_else(service, alice, documents):
    collection = alice.collect(*documents)
    for target, change in product(
        (*documents, collection),
        ({"agreement": "Another."}, {"agreement": None}, {"password": "x"}),
    ):
        link = alice.share(target, agreement=TEXT)
        reader = Person(service).with_token(link["token"])
        opened = reader.post("/s", json=ACCEPTED).json
        ticket = opened["receiptUrl"].partition("?")[2]
        members = [one["viewUrl"] for one in opened["documents"]]
        paths = [f"/s?{ticket}", opened["receiptUrl"], *members]
        paths += [one.replace("/view?", "/pages?") for one in members]
        paths += [one.replace("/view?", "/content?") for one in members]
        assert alice.change(target, link, **change).status == 200
        for path in paths:
            answer = Person(service).get(path.removeprefix(service.url))
            refused(answer, 401, "not_authenticated")
