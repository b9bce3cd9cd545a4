"""Who can write the database file but lacks the keyring makes no credential good by it."""

import hashlib

import pytest

from tests.console.visitor import Visitor
from tests.formats import time_from_now
from tests.people import PASSWORD, Person, at
from tests.problems import refused
from tests.waiting import until

NEW_PASSWORD = "another correct horse"


@pytest.fixture(scope="module")
def service(start_service):
    return start_service(RATE_LIMITS="off")


@pytest.fixture
def victim(service):
    return service.register()


@pytest.fixture
def attacker(service):
    """An account of the attacker, whose rows can serve as templates."""
    return service.register()


@pytest.fixture
def document(victim):
    return victim.upload(b"secret")


@pytest.fixture
def execute(service):
    """Execute statements on the database file, beside the running service."""

    def execute(statement, **values):
        done = service.sql(statement, **values)
        assert done, statement
        return done

    return execute


@pytest.fixture
def was_reported(service):
    """Assert that the log names these rows, and `document-service doctor` as well."""

    def was_reported(*ids):
        lines = [f"{id} was altered outside of the service, and is refused." for id in ids]
        until(lambda: all(line in service.stderr() for line in lines))
        output = service.run_command("doctor", code=1)
        assert [line for line in lines if line not in output] == []

    return was_reported


def digest(secret):
    return hashlib.sha256(secret.encode()).digest()


def made_up(service, table, template, **changes):
    """Insert a row like the one with the id `template`, but for some columns; returns its id."""
    changes.setdefault("id", template[:-4] + "0000")
    names = service.columns(table)
    columns = ", ".join(f":{name}" if name in changes else name for name in names)
    copy = f"INSERT INTO {table} ({', '.join(names)}) SELECT {columns} FROM {table}"
    assert service.sql(f"{copy} WHERE id = :template", template=template, **changes) == 1
    return changes["id"]


def test_a_made_up_document_token_opens_nothing(
    service, attacker, victim, document, execute, was_reported
):
    token = attacker.share(attacker.upload())
    execute("UPDATE document_token SET digest = :no WHERE id = :id", id=token["id"], no=b"0")
    changes = {"owner_id": victim.record["id"], "document_id": document["id"]}
    changes["digest"] = digest(token["token"])
    id = made_up(service, "document_token", token["id"], **changes)
    path = f"/v1/documents/{document['id']}/content?token={token['token']}"
    refused(Person(service).get(path), 401, "not_authenticated")
    was_reported(id)


def test_a_made_up_api_key_opens_nothing(service, attacker, victim, execute, was_reported):
    key = attacker.create_api_key()
    execute("UPDATE api_key SET digest = :no WHERE id = :id", id=key.record["id"], no=b"0")
    changes = {"owner_id": victim.record["id"], "digest": digest(key.secret)}
    id = made_up(service, "api_key", key.record["id"], **changes)
    refused(key.get("/v1/documents"), 401, "key_revoked")
    was_reported(id)


def test_an_api_key_with_another_owner_or_other_rights_is_refused(
    attacker, victim, execute, was_reported
):
    ids = []
    for change in (
        f"owner_id = '{attacker.record['id']}'",
        "scopes = 'documents:read documents:delete'",
        "expires_at = NULL",
        "id = id || '0'",
        "sealed = NULL",
    ):
        key = victim.create_api_key(scopes=["documents:read"], expiresAt=time_from_now(hours=1))
        assert key.get("/v1/documents").status == 200, change
        execute(f"UPDATE api_key SET {change} WHERE id = :id", id=key.record["id"])

        assert refused(key.get("/v1/documents"), 401, "key_revoked"), change
        for person in (attacker, victim):
            assert person.get("/v1/api-keys").json["apiKeys"] == [], change
        ids.append(key.record["id"] + ("0" if change.startswith("id") else ""))
    was_reported(*ids)


def test_a_link_without_its_password_or_limit_is_refused(victim, document, execute, was_reported):
    ids = []
    for fields, change in (
        ({"password": "a password of the link"}, "sealed = NULL"),
        ({"maxViews": 1}, "spent_at = NULL, max_views = NULL"),
        ({"maxViews": 1}, "spent_at = NULL, max_views = 9"),
        ({"maxViews": 1}, "spent_at = NULL, views = 0"),
    ):
        link = victim.share(document, **fields)
        if "maxViews" in fields:
            assert victim.open(link["contentUrl"]).body == b"secret"
        execute(f"UPDATE document_token SET {change} WHERE id = :id", id=link["id"])

        assert refused(victim.open(link["contentUrl"]), 401, "not_authenticated"), change
        ids.append(link["id"])
    was_reported(*ids)


def test_a_former_password_put_back_is_refused(service, victim, execute, was_reported):
    id, email = victim.record["id"], victim.record["email"]
    ((former,),) = execute("SELECT sealed FROM user_account WHERE id = :id", id=id)
    change = {"currentPassword": PASSWORD, "newPassword": NEW_PASSWORD}
    assert victim.post("/v1/auth/password", json=change).status == 204
    put_back = "UPDATE user_account SET sealed = :former WHERE id = :id"
    execute(put_back, former=former, id=id)

    for password in (PASSWORD, NEW_PASSWORD):
        refused(Person(service).log_in(email, password), 401, "wrong_credentials")
    was_reported(id)


def test_a_link_with_other_rights_is_refused(service, attacker, victim, document, execute):
    attacker.upload()
    changes = [
        "permissions = 'view download'",
        "allowed_origins = '*'",
        "expires_at = NULL",
        "owner_id = (SELECT id FROM user_account WHERE id <> owner_id LIMIT 1)",
        "document_id = (SELECT id FROM document WHERE id <> document_id LIMIT 1)",
    ]
    if not service.server_url:  # there a column takes values of its type only
        changes.append("permissions = CAST(permissions AS BLOB)")
    for change in changes:
        fields = {
            "permissions": ["view"],
            "allowedOrigins": [],
            "expiresAt": time_from_now(hours=1),
        }
        token = victim.share(document, **fields)
        execute(f"UPDATE document_token SET {change} WHERE id = :id", id=token["id"])

        assert refused(victim.open(token["viewUrl"]), 401, "not_authenticated"), change
        assert token["id"] not in [link["id"] for link in victim.links(document)], change


@pytest.mark.sqlite_only("there a column takes values of its type only")
@pytest.mark.parametrize("use", ["CAST('x' AS BLOB)", "'x'", "1.5", "-1", "253402300800000"])
def test_a_credential_whose_last_use_is_no_moment_is_refused_and_left_out(
    service, victim, document, execute, was_reported, use
):
    visitor = Visitor(service)
    visitor.log_in(victim.record["email"])
    session = service.log_in(victim.record["email"])
    key, link = victim.create_api_key(), victim.share(document)
    listed = victim.get("/v1/auth/sessions").json["sessions"]
    ids = {"session": listed[0]["id"], "api_key": key.record["id"], "document_token": link["id"]}
    for table, id in ids.items():
        execute(f"UPDATE {table} SET last_used_at = {use} WHERE id = :id", id=id)

    refused(session.get("/v1/auth/me"), 401, "session_expired")
    refused(key.get("/v1/documents"), 401, "key_revoked")
    refused(victim.open(link["contentUrl"]), 401, "not_authenticated")
    assert victim.get("/v1/auth/sessions").json["sessions"] == listed[1:]
    assert victim.get("/v1/api-keys").json["apiKeys"] == []
    assert link["id"] not in [one["id"] for one in victim.links(document)]
    for page in ("documents", f"documents/{document['id']}", "links", "keys", "account"):
        assert visitor.get(f"/app/{page}").status == 200, page
    was_reported(*ids.values())


@pytest.mark.sqlite_only("there a column takes values of its type only")
def test_the_list_of_documents_is_shown_where_the_end_of_a_link_is_no_moment(
    service, victim, execute
):
    visitor = Visitor(service)
    visitor.log_in(victim.record["email"])
    link = victim.upload(expiresAt=time_from_now(hours=1))["token"]
    execute("UPDATE document_token SET expires_at = 'x' WHERE id = :id", id=link["id"])
    assert visitor.get("/app/documents").status == 200


def test_a_revocation_that_is_struck_out_does_not_bring_the_credential_back(
    victim, document, execute
):
    key, token = victim.create_api_key(), victim.share(document)
    assert victim.delete(f"/v1/api-keys/{key.record['id']}").status == 204
    assert victim.revoke(document, token).status == 204
    for table, id, secret in (
        ("api_key", key.record["id"], key.secret),
        ("document_token", token["id"], token["token"]),
    ):
        struck_out = f"UPDATE {table} SET revoked_at = NULL, digest = :digest WHERE id = :id"
        execute(struck_out, digest=digest(secret), id=id)

    refused(key.get(at(document)), 401, "key_revoked")
    refused(victim.open(token["contentUrl"]), 401, "not_authenticated")


def test_a_disabled_account_that_is_enabled_in_the_file_stays_closed(
    service, victim, document, execute, was_reported
):
    key, link = victim.create_api_key(), victim.share(document)
    service.run_command("users", "disable", victim.record["email"])
    id = victim.record["id"]
    execute("UPDATE user_account SET disabled_at = NULL WHERE id = :id", id=id)
    refused(key.get("/v1/documents"), 401, "key_revoked")
    refused(victim.open(link["contentUrl"]), 401, "not_authenticated")
    refused(Person(service).log_in(victim.record["email"]), 401, "wrong_credentials")
    was_reported(id)


def test_a_session_that_was_ended_cannot_be_made_up_again(service, victim, execute):
    other = victim.service.log_in(victim.record["email"])
    sessions = victim.get("/v1/auth/sessions").json["sessions"]
    template, ended = sessions[1]["id"], sessions[0]["id"]
    assert other.post("/v1/auth/logout").status == 204
    made_up(service, "session", template, id=ended)
    refused(other.get("/v1/auth/me"), 401, "session_expired")
    assert victim.get("/v1/auth/me").status == 200


def test_a_session_from_before_a_password_change_stays_ended_when_its_row_is_put_back(
    victim, execute
):
    other = victim.service.log_in(victim.record["email"])
    (row,) = execute("SELECT * FROM session ORDER BY id DESC LIMIT 1")
    change = {"currentPassword": PASSWORD, "newPassword": NEW_PASSWORD}
    assert victim.post("/v1/auth/password", json=change).status == 204
    values = {f"c{number}": value for number, value in enumerate(row)}
    execute(f"INSERT INTO session VALUES ({', '.join(f':{name}' for name in values)})", **values)
    refused(other.get("/v1/auth/me"), 401, "session_expired")
    assert victim.get("/v1/auth/me").status == 200


def test_a_document_with_another_owner_or_end_is_absent(attacker, victim, execute, was_reported):
    ids = []
    for change in (
        f"owner_id = '{attacker.record['id']}'",
        "expires_at = 1",
        "expires_at = NULL",
        "place = 'objects'",
        "content_type = 'a/b'",
        "binned_at = 1",
    ):
        document = victim.upload(expiresAt=time_from_now(hours=1))
        execute(f"UPDATE document SET {change} WHERE id = :id", id=document["id"])

        for person in (attacker, victim):
            assert refused(person.get(at(document, "/content")), 404, "not_found"), change
        assert victim.open(document["token"]["contentUrl"]).status in (404, 410), change
        ids.append(document["id"])
    was_reported(*ids)
