"""Lists: order, pages and cursors."""

import pytest

from tests.problems import refused_query

LISTS = {
    "documents": lambda person, _: person.upload(b"")["id"],
    "apiKeys": lambda person, _: person.create_api_key().record["id"],
    "tokens": lambda person, document: person.share(document)["id"],
}
PATHS = {"documents": "/v1/documents", "apiKeys": "/v1/api-keys", "sessions": "/v1/auth/sessions"}


@pytest.fixture(scope="module")
def lister(service):
    """Somebody with five things in every list, by name the newest first."""
    person = service.register()
    shared = person.upload(token=None)
    paths = PATHS | {"tokens": f"/v1/documents/{shared['id']}/tokens"}
    made = {name: [make(person, shared) for _ in range(5)][::-1] for name, make in LISTS.items()}
    made["documents"].append(shared["id"])
    for _ in range(3):
        service.log_in(person.record["email"])
    return person, paths, made


def test_a_list_is_sorted_newest_first(lister):
    person, paths, made = lister
    for name in LISTS:
        answer = person.get(paths[name])
        assert answer.json.keys() == {name, "nextCursor"}
        assert answer.json["nextCursor"] is None
        ids = [record["id"] for record in answer.json[name]]
        assert ids == made[name] == sorted(ids, reverse=True), name


def test_the_pages_together_have_every_record_once(lister):
    person, paths, _ = lister
    for name in paths:
        whole = person.get(paths[name]).json[name]
        for limit in (1, 2, 5, 100):
            paged = list(person.pages(f"{paths[name]}?limit={limit}"))
            assert [one["id"] for page in paged for one in page] == [one["id"] for one in whole]
            assert all(len(page) == limit for page in paged[:-1]), (name, limit)
            assert paged[-1], (name, limit)


def test_pages_are_stable_while_records_are_created_and_deleted(new_user):
    ids = [new_user.upload(b"")["id"] for _ in range(4)]
    first = new_user.get("/v1/documents?limit=2").json
    new_user.upload(b"")
    new_user.delete(f"/v1/documents/{ids[2]}")
    second = new_user.get(f"/v1/documents?limit=2&cursor={first['nextCursor']}").json
    assert [d["id"] for d in second["documents"]] == [ids[1], ids[0]]


def test_the_default_limit_is_50(new_user):
    for _ in range(51):
        new_user.upload(b"", token=None)
    answer = new_user.get("/v1/documents").json
    assert len(answer["documents"]) == 50
    assert answer["nextCursor"]
    assert len(new_user.get("/v1/documents?limit=100").json["documents"]) == 51


BAD_QUERIES = [
    *[f"limit={limit}" for limit in ("0", "101", "-1", "abc", "", "1.5", "1e1", "9" * 5000)],
    *[f"cursor={cursor}" for cursor in ("nonsense", "%00", "%FF", "0", "%E2%82%AC", "a" * 3000)],
    "unknown=1",
    "limit=1&limit=2",
]


def test_a_bad_limit_cursor_or_unknown_query_is_refused(lister):
    person, paths, _ = lister
    for name in paths:
        for query in BAD_QUERIES:
            refused_query(person.get(f"{paths[name]}?{query}"), (name, query))


def test_a_cursor_of_another_user_shows_none_of_their_records(lister, new_user):
    person, *_ = lister
    cursor = person.get("/v1/documents?limit=1").json["nextCursor"]
    answer = new_user.get(f"/v1/documents?cursor={cursor}")
    assert answer.status == 422 or answer.json["documents"] == []
