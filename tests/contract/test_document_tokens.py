"""Document tokens: links that open one document and can be revoked."""

import re

import pytest

from tests.formats import checksums, parse_time, time_from_now
from tests.people import Person
from tests.problems import refused, refused_field

RECORD = {
    *("id", "label", "permissions", "expiresAt", "maxViews", "views", "hasPassword"),
    *("allowedOrigins", "createdAt", "lastUsedAt", "revokedAt", "maskedToken"),
}
SHOWN_ONCE = {"token", "viewUrl", "downloadUrl", "contentUrl", "embedHtml"}


def tokens(document):
    return f"/v1/documents/{document['id']}/tokens"


@pytest.fixture(scope="module")
def shared(alice):
    return alice.upload(b"shared", "text/plain", token=None)


def link_to(document, token, call):
    """Return the path that a browser requests."""
    return f"/v1/documents/{document['id']}/{call}?token={token['token']}"


# Create


def test_creating_a_token_returns_its_record_the_token_and_the_links(alice, shared):
    later = time_from_now(days=1)
    answer = alice.post(tokens(shared), json={"label": "auditor", "expiresAt": later})
    assert answer.status == 201
    token = answer.json
    assert token.keys() == RECORD | SHOWN_ONCE
    assert (token["label"], token["expiresAt"]) == ("auditor", later)
    assert token["id"].startswith("tok_")


def test_every_field_of_a_new_token_is_optional(alice, shared):
    token = alice.share(shared)
    assert sorted(token["permissions"]) == ["download", "view"]
    assert token["allowedOrigins"] == []
    assert (token["hasPassword"], token["views"]) == (False, 0)
    assert [token[n] for n in ("label", "maxViews", "lastUsedAt", "revokedAt")] == [None] * 4
    life = (parse_time(token["expiresAt"]) - parse_time(time_from_now())).total_seconds()
    assert life == pytest.approx(604_800, abs=30)


def test_a_token_is_a_prefix_random_characters_and_a_checksum(alice, shared):
    token = alice.share(shared)["token"]
    assert re.fullmatch(r"dt_[0-9A-Za-z]{38}", token)
    assert token[-6:] in checksums(token[:-6])


def test_the_links_of_a_token_open(service, alice, shared):
    token = alice.share(shared)
    base = f"{service.url}/v1/documents/{shared['id']}"
    for call in ("view", "download", "content"):
        assert token[f"{call}Url"] == f"{base}/{call}?token={token['token']}"
        assert alice.open(token[f"{call}Url"]).status == 200


def test_settings_set_the_base_of_links_and_the_life_of_tokens(start_service):
    base = "https://documents.example/team"
    service = start_service(BASE_URL=base, TOKEN_SECONDS=60, RATE_LIMITS="off")
    document = service.register().upload()
    token = document["token"]
    assert token["viewUrl"] == f"{base}/v1/documents/{document['id']}/view?token={token['token']}"
    assert (parse_time(token["expiresAt"]) - parse_time(time_from_now())).total_seconds() <= 60


@pytest.mark.parametrize(
    ("field", "values"),
    {
        "label": [5, True, [], {}],
        "permissions": [["edit"], ["view", "x"], "view", [1], {}],
        "maxViews": [0, -1, 1.5, "3", True, 10**30],
        "password": [5, True, []],
        "allowedOrigins": [
            *("https://a.example", ["a.example"], ["https://a.example/path"], [5], ["null"]),
            *(["https://a.example; script-src *"], ["javascript:alert(1)"], ["https://a b"]),
            *(["https://u:p@a.example"], ["https://*.example"], ["ftp://a.example"], [""]),
            *(["https://a.example?b"], ["https://a.example\n"], ["https://"], ["https://a:99999"]),
        ],
        "colour": [1],
    }.items(),
)
def test_an_invalid_field_of_a_token_is_refused_with_its_pointer(field, values, alice, shared):
    for value in values:
        answer = alice.post(tokens(shared), json={field: value})
        errors = refused(answer, 422, "invalid_request")["errors"]
        assert errors[0]["pointer"].startswith(f"#/{field}"), (value, answer)


def test_max_views_and_password_are_recorded_and_the_password_never_shown(alice, shared):
    answer = alice.post(tokens(shared), json={"maxViews": 3, "password": "open sesame"})
    assert (answer.json["maxViews"], answer.json["hasPassword"]) == (3, True)
    assert "open sesame" not in answer.text + alice.get(tokens(shared)).text


def test_a_token_of_an_unknown_document_is_404(alice):
    refused(alice.post("/v1/documents/doc_nothing/tokens", json={}), 404, "not_found")
    refused(alice.get("/v1/documents/doc_nothing/tokens"), 404, "not_found")


# List


def test_the_list_of_tokens_is_masked(alice):
    document = alice.upload(token=None)
    token = alice.share(document, label="listed")
    answer = alice.get(tokens(document))
    assert answer.json == {"tokens": [{n: token[n] for n in RECORD}], "nextCursor": None}
    assert token["token"] not in answer.text
    bare = token["token"].removeprefix("dt_")
    assert token["maskedToken"] == f"dt_{bare[:4]}…{bare[-4:]}"


def test_the_token_of_an_upload_is_listed(alice, document):
    listed = alice.get(tokens(document)).json["tokens"]
    assert document["token"]["id"] in [token["id"] for token in listed]


def test_a_token_has_its_last_use_and_the_number_of_views(alice):
    document = alice.upload()
    for _ in range(2):
        assert alice.open(document["token"]["viewUrl"]).status == 200
    (token,) = alice.get(tokens(document)).json["tokens"]
    assert token["views"] == 2
    assert parse_time(token["lastUsedAt"]) >= parse_time(token["createdAt"])


# Permissions

MAY = {
    ("view",): {"view": 200, "download": 403, "content": 403},
    ("download",): {"view": 403, "download": 200, "content": 200},
    ("view", "download"): {"view": 200, "download": 200, "content": 200},
}


@pytest.mark.parametrize("permissions", MAY, ids=" and ".join)
def test_a_token_grants_only_its_permissions(permissions, alice, anonymous, shared):
    token = alice.share(shared, permissions=list(permissions))
    assert sorted(token["permissions"]) == sorted(permissions)
    for call, status in MAY[permissions].items():
        answer = anonymous.get(link_to(shared, token, call))
        assert answer.status == status, (call, answer)
        if status == 403:
            refused(answer, 403, "scope_missing")
        assert anonymous.head(link_to(shared, token, call)).status == status


def test_a_token_works_with_ranges_and_conditional_requests(alice, anonymous, shared):
    link = link_to(shared, alice.share(shared), "content")
    tag = anonymous.get(link).headers["ETag"]
    assert anonymous.get(link, headers={"If-None-Match": tag}).status == 304
    assert anonymous.get(link, headers={"Range": "bytes=0-2"}).body == b"sha"


def test_a_page_does_not_contain_the_owners_credential(alice, shared):
    page = alice.get(f"/v1/documents/{shared['id']}/view").text
    assert alice.secret not in page


# Origins


@pytest.mark.parametrize(
    ("origins", "ancestors"),
    [
        ([], ["'self'"]),
        (["https://intranet.example"], ["https://intranet.example"]),
        (["http://localhost:3000"], ["http://localhost:3000"]),
        (
            ["https://a.example", "http://b.example:8080"],
            ["https://a.example", "http://b.example:8080"],
        ),
        (["*"], ["*"]),
    ],
)
def test_allowed_origins_become_frame_ancestors(origins, ancestors, alice, anonymous, shared):
    token = alice.share(shared, allowedOrigins=origins)
    assert token["allowedOrigins"] == origins
    policy = anonymous.get(link_to(shared, token, "view")).policy
    assert [one for one in policy["frame-ancestors"] if one != "'self'" or not origins] == ancestors


def test_only_the_own_origin_may_frame_a_page_opened_without_a_token(alice, shared):
    policy = alice.get(f"/v1/documents/{shared['id']}/view").policy
    assert policy["frame-ancestors"] == ["'self'"]


# The end of a token


def test_a_revoked_token_is_refused_at_once_and_others_still_work(alice, anonymous, shared):
    token, other = alice.share(shared), alice.share(shared)
    answer = alice.delete(f"{tokens(shared)}/{token['id']}")
    assert (answer.status, answer.body) == (204, b"")
    for call in ("view", "download", "content"):
        refused(anonymous.get(link_to(shared, token, call)), 410, "token_spent")
        assert anonymous.get(link_to(shared, other, call)).status == 200
    assert alice.delete(f"{tokens(shared)}/{token['id']}").status in (204, 404)


def test_a_revoked_token_is_listed_as_revoked(alice):
    document = alice.upload()
    alice.delete(f"{tokens(document)}/{document['token']['id']}")
    listed = alice.get(tokens(document)).json["tokens"]
    assert all(parse_time(token["revokedAt"]) for token in listed)


def test_tokens_of_a_deleted_document_are_refused(alice, anonymous):
    document = alice.upload()
    token = alice.share(document)
    alice.delete(f"/v1/documents/{document['id']}")
    for call in ("view", "download", "content"):
        answer = anonymous.get(link_to(document, token, call))
        assert answer.status in (401, 404, 410)
        bearer = Person(alice.service).with_token(token["token"])
        assert bearer.get(f"/v1/documents/{document['id']}/{call}").status == answer.status


def test_an_unknown_token_is_404(alice, shared):
    refused(alice.delete(f"{tokens(shared)}/tok_nothing"), 404, "not_found")


def test_a_token_outlives_the_key_that_created_it(alice, shared):
    machine = alice.create_api_key()
    token = machine.share(shared)
    alice.delete(f"/v1/api-keys/{machine.record['id']}")
    assert alice.open(token["viewUrl"]).status == 200
    assert machine.get(tokens(shared)).status == 401


def test_a_whole_number_may_have_a_zero_fraction(alice, shared):
    assert alice.post(tokens(shared), json={"maxViews": 3.0}).json["maxViews"] == 3
    refused_field(alice.post(tokens(shared), json={"maxViews": 3.5}), "#/maxViews")
