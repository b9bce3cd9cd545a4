"""Names of which nothing is seen: refused where one is given, and shown as another where one is."""

import secrets

import pytest
from marshmallow import Schema

from blueprints.schemas import fields, requests
from models.core import is_seen
from tests import forms
from tests.console.visitor import Visitor
from tests.contract.requests import GOOD
from tests.people import at
from tests.problems import refused_field

BLANK = {
    "blanks": "  ",
    "line ends": "\r\n",
    "no-break space": "\xa0",
    "zero width": "\u200b\u200b",
    "soft hyphen": "\xad",
    "braille": "\u2800",
    "hangul filler": "\u3164",
    "halfwidth filler": "\uffa0",
    "ideographic space": "\u3000",
    "control": "\x01\x7f",
    "right to left": "\u202e",
    "variation selector": "\ufe0f",
    "tags": "\U000e0041",
    "several": " \u200b\u2800\u3164\ufeff ",
}
SEEN = ("a", "\u202eevil", "名", ".", "\u0301", "-", "🙂", "\u200bA", "\u0600")
NAMES = {"name", "label", "title", "from", "description"}  # of fields that hold a name
NO_NAMES = {  # fields that are called so, and hold none
    (requests.DocumentQuery, "name"): "is what is searched",
    (requests.ReaderProof, "name"): "is refused where the reader sees the form again",
    (requests.ViewRequest, "name"): "the same",
    (requests.DownloadRequest, "name"): "the same",
}


def schemas(of=Schema):
    for one in of.__subclasses__():
        yield one
        yield from schemas(one)


@pytest.mark.parametrize("name", BLANK.values(), ids=BLANK)
def test_nothing_is_seen_of_these(name):
    assert not is_seen(name)
    assert not is_seen("")


@pytest.mark.parametrize("name", SEEN)
def test_something_is_seen_of_these(name):
    assert is_seen(name)


def test_every_field_for_a_name_refuses_what_is_not_seen():
    sent = {one for one in schemas() if one.__module__ == requests.__name__}
    found = 0
    for schema in sent:
        for field in schema().load_fields.values():
            if field.data_key in NAMES and (schema, field.data_key) not in NO_NAMES:
                assert isinstance(field, fields.Name), (schema, field.data_key)
                found += 1
    assert found >= 15


@pytest.fixture(scope="module")
def places(service):
    """A person, and every call that takes a name: (method, path, body, pointer)."""
    person = service.register()
    document = person.upload(token=None)
    collection = person.post("/v1/collections", json={"title": "y"}).json
    link = person.share(document)
    space = person.post("/v1/spaces", json={"name": "z"}).json
    hook = {"url": "https://hook.example/in"}
    webhook = person.post("/v1/webhooks", json=hook).json
    new = {"email": "unseen@example.org", "password": "correct horse battery"}
    calls = [
        ("POST", "/v1/auth/register", new, "name"),
        ("PATCH", "/v1/auth/me", {}, "name"),
        ("POST", "/v1/api-keys", {}, "name"),
        ("POST", "/v1/spaces", {}, "name"),
        ("PATCH", f"/v1/spaces/{space['id']}", {}, "name"),
        ("POST", "/v1/documents", GOOD, "name"),
        ("PATCH", at(document), {}, "name"),
        ("POST", at(document, "/tokens"), {}, "label"),
        ("PATCH", f"/v1/tokens/{link['id']}", {}, "label"),
        ("PATCH", at(document, f"/tokens/{link['id']}"), {}, "label"),
        ("POST", "/v1/collections", {}, "title"),
        ("PATCH", at(collection), {}, "title"),
        ("POST", at(collection, "/tokens"), {}, "label"),
        ("POST", "/v1/webhooks", hook, "description"),
        ("PATCH", f"/v1/webhooks/{webhook['id']}", {}, "description"),
    ]
    return person, calls


@pytest.mark.parametrize("name", BLANK.values(), ids=BLANK)
def test_a_call_that_gives_an_unseen_name_is_refused(name, places):
    person, calls = places
    for method, path, body, field in calls:
        answer = person.request(method, path, json=body | {field: name})
        refused_field(answer, f"#/{field}", path)


def test_a_call_that_gives_a_seen_name_is_taken(places):
    person, calls = places
    for method, path, body, field in calls[1:]:
        answer = person.request(method, path, json=body | {field: "\u202eevil"})
        assert answer.status < 300, (path, answer)


@pytest.mark.parametrize("name", BLANK.values(), ids=BLANK)
def test_no_agreement_is_accepted_by_an_unseen_name(name, alice, document):
    link = alice.share(document, agreement="I keep this.")
    proof = {"accept": link["agreementSha256"], "name": name}
    for body in {"json": proof}, {"form": proof}:
        assert alice.open(link["viewUrl"], "POST", **body).status == 422
    assert alice.get(f"/v1/tokens/{link['id']}").json["views"] == 0


@pytest.mark.parametrize("name", BLANK.values(), ids=BLANK)
def test_no_page_takes_an_unseen_name(name, service):
    member = Visitor(service)
    member.sign_up(f"{secrets.token_hex(6)}@example.org")
    document = member.api.upload(token=None)
    collection = member.api.post("/v1/collections", json={"title": "y"}).json
    page = f"/app/documents/{document['id']}"
    ends = {"ends": "7", "permissions": "view"}
    forms = {
        "/app/spaces": {"name": name},
        "/app/requests": {"title": name, "ends": "7"},
        f"/app/collections/{collection['id']}": {"title": name},
    }
    for path, form in forms.items():
        assert member.post(path, form).status == 422, path
    taken_away = {
        page: {"name": name},
        f"{page}/links": {"label": name, **ends},
        "/app/keys": {"name": name, "scopes": "documents:read", "ends": "7"},
        "/app/account": {"name": name},
        "/app/webhooks": {"url": "https://hook.example/in", "description": name},
    }
    for path, form in taken_away.items():  # blanks are no name there
        status = member.post(path, form).status
        assert status == 422 or not name.strip(), (path, status)
    assert is_seen(member.api.get(at(document)).json["name"])


@pytest.mark.parametrize("name", [" ", "\u200b", "\u3164 \u200b", "\u2800"])
def test_a_file_whose_name_is_not_seen_is_called_as_one_without_a_name(name, alice):
    sent = forms.body(forms.file(name, b"hello", "Content-Type: text/plain"))
    made = alice.post("/v1/documents", data=sent, headers={"Content-Type": forms.FORM})
    assert made.status == 201, made
    assert made.json["name"] == f"{made.json['id']}.txt"


@pytest.mark.parametrize("name", ["\u200b", "\u3164"])
def test_a_strangers_file_whose_name_is_not_seen_is_taken(name, alice, anonymous):
    collection = alice.post("/v1/collections", json={"title": "y"}).json
    link = alice.share(collection, permissions=["upload"])
    sent = forms.body(forms.file(name, b"hello", "Content-Type: text/plain"))
    path = f"/s?token={link['token']}"
    receipt = anonymous.post(path, data=sent, headers={"Content-Type": forms.FORM})
    assert receipt.status == 201, receipt
    assert is_seen(receipt.text)


def test_who_sends_a_file_is_seen(alice, anonymous):
    collection = alice.post("/v1/collections", json={"title": "y"}).json
    link = alice.share(collection, permissions=["upload"])
    sent = forms.body(forms.field("from", "\u200b".encode()), forms.file("a.txt", b"hello"))
    path = f"/s?token={link['token']}"
    answer = anonymous.post(path, data=sent, headers={"Content-Type": forms.FORM})
    refused_field(answer, "#/from")
