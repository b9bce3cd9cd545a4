"""All that a row says × all ways out of it: the API by scope, a newer version, the saved account.

Each way takes, or hides, all values but those that it names. The export and the import are walked
by `tests/operations/test_carried_values.py`.
"""

import io
import itertools
import json
import re
from dataclasses import dataclass
from hashlib import sha256
from zipfile import ZipFile

import pytest
from marshmallow import fields

from blueprints.console.saved_account import NOT_SAVED
from blueprints.schemas import responses, saved
from blueprints.schemas.fields import Timestamp
from blueprints.schemas.requests import DocumentEdit, NewDocumentToken, Upload
from models import (
    SCOPES,
    ApiKey,
    Collection,
    Document,
    DocumentToken,
    Event,
    User,
    Webhook,
    connected,
)
from models.accounts import Identity, Session, api_key
from models.documents import UnfinishedUpload, document, put_in_bin
from models.events import WebhookDelivery
from models.links import KeptText, Opening, delete_document, document_token
from operations.carried import ACCOUNT, CARRIED_TABLES, DOCUMENT, MEMBER
from testing import service_in_process
from tests.contract.routes import OF_OWNER, OF_SESSION
from tests.models.records.conftest import fill
from tests.people import PASSWORD
from tests.service import ROOT
from tests.values import mark, marked_names, signs_of

READ, WRITE = "documents:read", "documents:write"
TABLES = (
    Document,
    Collection,
    DocumentToken,
    Opening,
    KeptText,
    Webhook,
    WebhookDelivery,
    ApiKey,
    Session,
    Identity,
    UnfinishedUpload,
)
STATES = ("binned_at", "disabled_at", "disabled_reason", "revoked_at", "spent_at", "due_at")
WHERE_A_WRITER_SEES_IT = {(Document, "expires_at")}
SAVED = {  # the record of each table, by the file of the ZIP file that has it
    "account": (responses.Profile, responses.SessionRecord, responses.IdentityRecord),
    "documents": (saved.SavedDocument,),
    "collections": (saved.SavedCollection,),
    "links": (saved.SavedLink,),
    "openings": (saved.SavedOpening,),
    "agreements": (saved.SavedText,),
    "keys": (responses.ApiKeyRecord,),
    "webhooks": (responses.WebhookRecord,),
}


def records_below(schema):
    """All schemas of records below this one."""
    found = [one for below in schema.__subclasses__() for one in (below, *records_below(below))]
    return [one for one in found if one.shown]


RECORDS = list(dict.fromkeys(records_below(responses.ResponseSchema)))
OF_THE_API = [
    one
    for one in RECORDS
    if one.__module__ == responses.__name__ and one is not responses.IdentityRecord
]
NOT_RECORDS = {"former_target", "recipient"}  # tables of which the API has no record


@dataclass
class World:
    """An account all of whose rows say what nothing else says, and a caller of its own."""

    client: object
    owner: User
    token: str

    def call(self, route, headers):
        more = {} if route.body is None else {"json": route.body}
        path = route.at(**self.ids)
        return self.client.open(path, method=route.method, headers=headers, **more)

    def key(self, *scopes):
        """The headers of a caller with a new key."""
        with connected():
            issued = ApiKey.issue(self.owner, None, " ".join(scopes), None)
        return {"X-API-Key": issued.secret}

    @property
    def session(self):
        return {"Authorization": f"Bearer {self.token}"}

    @property
    def ids(self):
        with connected():
            link = DocumentToken.find(self.first(Opening).token_id)
            of_collection = self.first(DocumentToken, lambda one: one.collection_id)
            hook = self.first(Webhook)
        return {
            "document": link.target_id,
            "collection": of_collection.target_id,
            "token": link.id,
            "link": of_collection.id,
            "webhook": hook.id,
        }

    def rows(self, table):
        return table.rows(table.select().where(table.owner_id == self.owner.id))

    def first(self, table, chosen=lambda _: True):
        return next(one for one in self.rows(table) if chosen(one))

    def as_person(self, path, **data):
        """A form of the pages, sent by the person."""
        self.client.set_cookie("session", self.token)
        answer = self.client.post(path, headers={"Sec-Fetch-Site": "same-origin"}, **data)
        self.client.delete_cookie("session")
        return answer


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with service_in_process(tmp_path_factory.mktemp("values"), RATE_LIMITS="off") as service:
        yield service


@pytest.fixture
def world(service, request):
    email = f"{abs(hash(request.node.nodeid))}@example.org"
    service.add_account(email, PASSWORD)
    login = {"email": email, "password": PASSWORD}
    token = service.client.post("/v1/auth/login", json=login).json["accessToken"]
    with connected():
        world = World(service.app.test_client(), User.of_email(email), token)
        fill(world.owner)
        for table in TABLES:
            rows = world.rows(table)
            assert rows, table
            for row in rows:
                mark(row, STATES)
        mark(User.find(world.owner.id), (*STATES, "login_generation"))
    return world


def seen(text, table, name):
    return any(sign in text for sign in signs_of(table, name))


def shown_by(schema):
    """The names of the values that are fields of a record as they are."""
    return {field.attribute or name for name, field in schema._declared_fields.items()}


def hidden_by(schema):
    """The names of the values that a record has not, or of which it says something else."""
    declared = schema._declared_fields
    told_otherwise = {
        name
        for name, told in schema.shown.otherwise.items()
        if all(isinstance(declared[one], fields.Boolean | Timestamp) for one in told.split())
    }
    return {*schema.shown.not_shown, *told_otherwise} - shown_by(schema)


def answers(world, headers, routes):
    """The answers as JSON to all of the routes that the caller may call."""
    found = [world.call(route, headers) for route in routes]
    return [one.text for one in found if one.status_code < 400 and one.is_json]


FILES = ("/view", "/download", "/content")  # which answer no record
OF_RECORDS = [one for one in (*OF_OWNER, *OF_SESSION) if not one.path.endswith(FILES)]
GETS = [one for one in OF_RECORDS if one.method == "GET"]
CALLS = [one for one in OF_RECORDS if one in OF_OWNER and one.method != "DELETE"]
SUBSETS = [
    subset for size in range(1, len(SCOPES) + 1) for subset in itertools.combinations(SCOPES, size)
]
CARRIED = (ACCOUNT, DOCUMENT, MEMBER, *CARRIED_TABLES.values())
EXPORTED = {one.table._meta.table_name for one in CARRIED}


@pytest.mark.parametrize("schema", RECORDS, ids=lambda schema: schema.__name__)
def test_a_record_shows_each_value_or_names_it_with_the_reason(schema):
    shown = schema.shown
    assert schema.undecided() == set()
    assert {*shown.not_shown, *shown.otherwise} <= set(shown.table.value_names())
    assert all(shown.not_shown.values())
    named = " ".join(shown.otherwise.values()).split()
    assert set(named) <= schema._declared_fields.keys()


def test_every_table_that_is_exported_has_a_record_or_is_named():
    with_record = {schema.shown.table._meta.table_name for schema in RECORDS}
    assert EXPORTED - with_record == NOT_RECORDS


def test_the_owner_is_shown_each_value_that_the_records_have_and_no_other(world):
    told = "".join(answers(world, world.session, GETS))
    for schema in OF_THE_API:
        table = schema.shown.table
        for name in set(marked_names(table)).difference(STATES) & shown_by(schema):
            assert not signs_of(table, name) or seen(told, table, name), (schema, name)
        for name in hidden_by(schema):
            assert not seen(told, table, name), (schema, name)


@pytest.mark.parametrize("scopes", SUBSETS, ids=" ".join)
def test_a_key_is_shown_what_its_scopes_permit(world, scopes):
    told = "".join(answers(world, world.key(*scopes), CALLS))
    for table in (*TABLES, User):
        for name in table.value_names():
            if READ not in scopes and (table, name) not in WHERE_A_WRITER_SEES_IT:
                assert not seen(told, table, name), (table, name)
    for schema in OF_THE_API:
        for name in hidden_by(schema):
            assert not seen(told, schema.shown.table, name), (schema, name)


def sent(field):
    """A value that a field of a request takes."""
    if isinstance(field, Timestamp):
        return "2096-10-02T07:06:40.000Z"
    return {"sent": "by me"} if isinstance(field, fields.Mapping) else "sent by me"


def test_each_field_of_a_document_can_be_given_with_the_upload_and_changed_later(world):
    given = {field.data_key: sent(field) for field in DocumentEdit().fields.values()}
    body = {"payload": "", "contentType": "text/plain"}
    uploaded = world.client.post("/v1/documents", json=body | given, headers=world.session).json
    plain = world.client.post("/v1/documents", json=body, headers=world.session).json
    path = f"/v1/documents/{plain['id']}"
    changed = world.client.patch(path, json=given, headers=world.session).json
    for record in (uploaded, changed):
        assert {name: record[name] for name in given} == given
    with connected():
        (event,) = Event.feed(world.owner.id, 1, None, oldest_first=False, document_id=plain["id"])[
            0
        ]
    assert event.data["changed"] == list(given)


def test_a_newer_version_takes_over_each_value_but_those_that_are_named(world):
    id = world.ids["document"]
    file = {"file": (io.BytesIO(b"newer"), "newer.txt")}
    answer = world.as_person(f"/app/documents/{id}/newer?key=1", data=file)
    assert answer.status_code == 303, answer.text
    with connected():
        former = Document.find(id)
        newer = Document.find(re.search(r"doc_\w+", answer.location)[0])
        compare_taken_over(former, newer, document._NOT_TAKEN_OVER)
        assert b"".join(newer.read()) == b"newer"
        assert newer.sha256 == sha256(b"newer").hexdigest()
        assert (newer.name, newer.content_type, newer.size) == ("newer.txt", "text/plain", 5)


def compare_taken_over(former, newer, not_taken_over):
    table = type(former)
    assert not_taken_over.keys() <= set(table.value_names())
    assert all(not_taken_over.values())
    for name in table.value_names():
        same = getattr(newer, name) == getattr(former, name)
        if name not in not_taken_over:
            assert same, name
        elif signs_of(table, name) and name in set(marked_names(table)).difference(STATES):
            assert not same, name


def test_a_key_that_replaces_another_one_is_as_that_but_for_what_is_named(world):
    with connected():
        former = world.first(ApiKey, lambda key: key.revoked_at is None)
    path = f"/v1/api-keys/{former.id}/rotate"
    newer_id = world.client.post(path, json={}, headers=world.session).json["id"]
    with connected():
        compare_taken_over(former, ApiKey.find(newer_id), api_key._NOT_TAKEN_OVER)


def test_a_link_to_what_is_in_the_bin_shows_nothing_that_is_sealed(world):
    with connected():
        put_in_bin(world.owner.id, [world.ids["document"]])
        link = DocumentToken.find(world.first(Opening).token_id)
    path = f"/v1/tokens/{link.id}"
    told = world.client.get(path, headers=world.session).text
    saved_too = unzipped(world)["links"]
    (record,) = (json.dumps(one) for one in saved_too if one["id"] == link.id)
    for name in DocumentToken.sealed_names():
        assert not seen(told + record, DocumentToken, name), name


def test_a_link_whose_target_is_deleted_keeps_nothing_that_is_sealed_but_what_is_named(world):
    with connected():
        kept = document_token._KEPT_WITHOUT_TARGET
        link = world.first(DocumentToken, lambda one: one.document_id)
        delete_document(Document.find(link.target_id))
        after = DocumentToken.find(link.id)
        for name in DocumentToken.sealed_names():
            if name not in kept:
                assert getattr(after, name) == getattr(DocumentToken, name).default, name
        assert after.password_digest == ""


def unzipped(world):
    """The records of the saved account by the names of their files."""
    answer = world.as_person("/app/account/export")
    assert answer.status_code == 200, answer.text
    archive = ZipFile(io.BytesIO(answer.data))
    names = [name for name in archive.namelist() if name.endswith(".json")]
    return {name.removesuffix(".json"): json.loads(archive.read(name)) for name in names}


def test_the_saved_account_has_each_value_but_those_that_its_records_leave_out(world):
    files = {name: json.dumps(content) for name, content in unzipped(world).items()}
    assert files.keys() == SAVED.keys()
    for file, schemas in SAVED.items():
        for schema in schemas:
            table = schema.shown.table
            for name in set(marked_names(table)).difference(STATES) & shown_by(schema):
                assert not signs_of(table, name) or seen(files[file], table, name), (schema, name)
            for name in hidden_by(schema):
                assert not seen("".join(files.values()), table, name), (schema, name)


def test_every_table_that_is_exported_is_in_the_saved_account_or_named():
    tables = {schema.shown.table._meta.table_name for one in SAVED.values() for schema in one}
    assert EXPORTED - tables == NOT_SAVED.keys()
    assert all(NOT_SAVED.values())


@pytest.mark.parametrize(
    ("schema", "heading"), [(Upload, "### Uploads"), (NewDocumentToken, "## Sharing")]
)
def test_the_documentation_has_a_row_for_each_field_that_a_request_takes(schema, heading):
    page = (ROOT / "docs" / "api.md").read_text()
    section = page.partition(f"\n{heading}\n")[2]
    table = section[section.index("\n|") :].partition("\n\n")[0]
    keys = {field.data_key or name for name, field in schema().fields.items()} - {"payload"}
    assert keys <= set(re.findall(r"`(\w+)`", table))


def test_the_page_of_the_architecture_names_what_each_way_out_leaves_out():
    page = (ROOT / "docs" / "architecture.md").read_text()
    table = page.partition("| Not carried by an export |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \| (.+?) \|$", table, re.M)
    assert rows == [row_of(one) for one in CARRIED]


def row_of(carried):
    """What an export, the API and the saved account leave out of the rows of a table, in words."""
    records = [one for one in RECORDS if one.shown.table is carried.table]
    of_api = [one for one in records if one in OF_THE_API]
    of_saved = [one for schemas in SAVED.values() for one in schemas if one in records]
    columns = {name: field.column_name for name, field in carried.table._meta.fields.items()}

    def named(hidden):
        names = [columns.get(name, name) for name in carried.table.value_names() if name in hidden]
        return ", ".join(f"`{name}`" for name in names) or "–"

    def of_record(schemas):
        if not schemas:
            return "all"
        return named(schemas[0].shown.not_shown.keys() - shown_by(schemas[0]))

    return (
        carried.table._meta.table_name,
        named(carried.left_out),
        of_record(of_api),
        of_record(of_saved),
    )
