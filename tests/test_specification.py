"""The specification, sentence by sentence, in its words and order.

It leaves webhooks and the embeddable viewer "not shown".
"""

import re

import pytest

from tests.formats import b64
from tests.people import PASSWORD, Person
from tests.problems import refused

PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"

# What the service does


def test_the_service_stores_documents_that_users_upload(alice):
    document = alice.upload(PDF, "application/pdf")
    assert alice.get(f"/v1/documents/{document['id']}/content").body == PDF


def test_it_returns_them_as_an_inline_html_viewer(alice, document):
    answer = alice.get(f"/v1/documents/{document['id']}/view")
    assert (answer.status, answer.kind) == (200, "text/html")
    assert not answer.headers.get("Content-Disposition", "inline").startswith("attachment")
    assert answer.text.lower().startswith("<!doctype html>")


def test_it_returns_them_as_a_self_contained_downloadable_html_file(alice, document):
    answer = alice.get(f"/v1/documents/{document['id']}/download")
    assert (answer.status, answer.kind) == (200, "text/html")
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert answer.text.count(b64(b"what Alice keeps")) == 1
    assert not re.findall(r"""(?:src|href)\s*=\s*["']?(?:https?:|/)""", answer.text)


def test_users_register_an_account_and_log_in_to_receive_a_session_token(anonymous):
    account = {"email": "specification@example.org", "password": PASSWORD}
    assert anonymous.post("/v1/auth/register", json=account).status == 201
    assert anonymous.post("/v1/auth/login", json=account).json["accessToken"]


def test_a_logged_in_user_creates_lists_and_revokes_api_keys(new_user):
    created = new_user.post("/v1/api-keys", json={}).json
    assert [k["id"] for k in new_user.get("/v1/api-keys").json["apiKeys"]] == [created["id"]]
    assert new_user.delete(f"/v1/api-keys/{created['id']}").status == 204


def test_api_keys_are_for_machine_to_machine_access(alice):
    machine = alice.create_api_key()
    document = machine.upload(b"from a machine")
    assert machine.get(f"/v1/documents/{document['id']}").status == 200


def test_documents_are_uploaded_as_base64_encoded_content(alice):
    document = alice.upload(bytes(range(256)), "application/octet-stream")
    assert document["size"] == 256


def test_the_service_encrypts_the_stored_content(service, alice):
    alice.upload(b"this sentence is encrypted on the disk")
    for path, stored in service.files().items():
        assert b"this sentence is encrypted" not in stored, path.name


def test_a_document_is_owned_by_the_authenticated_user_who_uploaded_it(alice, bob):
    document = alice.upload()
    assert alice.get(f"/v1/documents/{document['id']}").status == 200
    refused(bob.get(f"/v1/documents/{document['id']}"), 404, "not_found")


def test_listing_returns_the_documents_owned_by_the_caller(new_user, bob):
    bob.upload()
    document = new_user.upload()
    assert [d["id"] for d in new_user.get("/v1/documents").json["documents"]] == [document["id"]]


def test_deleting_a_document_also_revokes_all_tokens_that_belong_to_it(alice, temporary_document):
    links = [temporary_document["token"]["viewUrl"], alice.share(temporary_document)["viewUrl"]]
    assert [alice.open(link).status for link in links] == [200, 200]
    alice.delete(f"/v1/documents/{temporary_document['id']}")
    assert {alice.open(link).status for link in links} <= {401, 404, 410}


# Resources and their fields


@pytest.mark.parametrize("field", ["payload", "contentType"])
def test_payload_and_content_type_are_required_strings_on_upload(alice, field):
    good = {"payload": "", "contentType": "text/plain"}
    for bad in ({k: v for k, v in good.items() if k != field}, good | {field: 1}):
        assert alice.post("/v1/documents", json=bad).status == 422


def test_all_document_payloads_must_be_base64(alice):
    body = {"payload": "not base64!", "contentType": "text/plain"}
    assert alice.post("/v1/documents", json=body).status == 422


def test_content_type_is_the_media_type_of_the_content(alice):
    document = alice.upload(PDF, "application/pdf")
    assert document["contentType"] == "application/pdf"
    answer = alice.get(f"/v1/documents/{document['id']}/content")
    assert answer.headers["Content-Type"] == "application/pdf"


def test_the_id_of_a_document_is_a_string_used_in_paths(alice):
    document = alice.upload()
    assert isinstance(document["id"], str)
    assert alice.get(f"/v1/documents/{document['id']}").json["id"] == document["id"]


def test_a_key_is_a_string_that_starts_with_the_prefix_pk_live(alice):
    assert alice.post("/v1/api-keys", json={}).json["key"].startswith("pk_live_")


def test_a_key_has_an_identifier_used_in_its_revoke_path(alice):
    machine = alice.create_api_key()
    assert alice.delete(f"/v1/api-keys/{machine.record['id']}").status == 204
    assert machine.get("/v1/documents").status == 401


def test_listing_returns_keys_in_masked_form(alice):
    machine = alice.create_api_key()
    answer = alice.get("/v1/api-keys")
    assert machine.secret not in answer.text
    assert answer.json["apiKeys"][0]["maskedKey"].startswith("pk_live_")


def test_a_session_token_is_a_paseto_token_sent_as_a_bearer_token(alice):
    assert re.fullmatch(r"v4\.local\.[\w-]+(\.[\w-]+)?", alice.secret)
    assert alice.credential == {"Authorization": f"Bearer {alice.secret}"}
    assert alice.get("/v1/auth/me").status == 200


# Endpoints

ENDPOINTS = {
    "POST /v1/auth/register": "",
    "POST /v1/auth/login": "",
    "GET /v1/auth/me": "session",
    "POST /v1/api-keys": "session",
    "GET /v1/api-keys": "session",
    "DELETE /v1/api-keys/<id>": "session",
    "POST /v1/documents": "session or key",
    "GET /v1/documents": "session or key",
    "GET /v1/documents/<id>/view": "session or key",
    "GET /v1/documents/<id>/download": "session or key",
    "DELETE /v1/documents/<id>": "session or key",
}


@pytest.mark.parametrize("row", ENDPOINTS)
def test_every_endpoint_of_the_table_is_there(row, anonymous):
    method, path = row.split()
    answer = anonymous.request(method, path.replace("<id>", "doc_0"), json={})
    assert answer.status == (401 if ENDPOINTS[row] else 422)


def test_me_returns_the_authenticated_users_profile(alice):
    assert alice.get("/v1/auth/me").json["email"] == "alice@example.org"


def test_delete_deletes_the_document(alice, temporary_document):
    assert alice.delete(f"/v1/documents/{temporary_document['id']}").status == 204
    refused(alice.get(f"/v1/documents/{temporary_document['id']}"), 404, "not_found")


def test_upload_has_the_header_content_type_application_json(alice):
    body = b'{"payload": "", "contentType": "text/plain"}'
    for kind, status in {"application/json": 201, "text/plain": 415}.items():
        answer = alice.post("/v1/documents", data=body, headers={"Content-Type": kind})
        assert answer.status == status


def test_upload_takes_an_object_with_payload_and_content_type(alice):
    body = {"payload": b64(b"hello"), "contentType": "text/plain"}
    assert alice.post("/v1/documents", json=body).status == 201


def test_header_x_api_key_or_authorization_bearer_must_be_present(anonymous):
    body = {"payload": "", "contentType": "text/plain"}
    refused(anonymous.post("/v1/documents", json=body), 401, "not_authenticated")


# Authentication


def test_the_session_token_is_sent_in_the_header_authorization_bearer(service, alice):
    sender = Person(service, {"Authorization": f"Bearer {alice.secret}"})
    assert sender.get("/v1/auth/me").status == 200


def test_the_api_key_is_sent_in_the_header_x_api_key(service, alice):
    sender = Person(service, {"X-API-Key": alice.create_api_key().secret})
    assert sender.get("/v1/documents").status == 200


@pytest.mark.parametrize("row", [row for row in ENDPOINTS if ENDPOINTS[row] == "session"])
def test_account_and_api_key_management_accept_only_the_session_token(row, alice):
    method, path = row.split()
    machine = alice.create_api_key()
    answer = machine.request(method, path.replace("<id>", machine.record["id"]), json={})
    refused(answer, 403, "session_required")
    assert machine.get("/v1/documents").status == 200


@pytest.mark.parametrize("credential", ["session", "key"])
def test_upload_and_listing_accept_either_a_session_token_or_an_api_key(credential, alice):
    caller = alice if credential == "session" else alice.create_api_key()
    document = caller.upload()
    assert caller.get("/v1/documents").json["documents"][0]["id"] == document["id"]


def test_api_keys_let_a_client_authenticate_without_a_user_session(new_user):
    machine = new_user.create_api_key()
    new_user.post("/v1/auth/logout")
    assert machine.get("/v1/documents").status == 200


def test_listing_api_keys_returns_them_masked_not_in_full(alice):
    machine = alice.create_api_key()
    for record in alice.get("/v1/api-keys").json["apiKeys"]:
        assert "key" not in record
        assert record["maskedKey"] not in machine.secret


# Versioning


@pytest.mark.parametrize("row", ENDPOINTS)
def test_all_endpoints_live_under_the_path_prefix_v1(row, alice):
    method, path = row.split()
    refused(alice.request(method, path.removeprefix("/v1"), json={}), 404, "not_found")
