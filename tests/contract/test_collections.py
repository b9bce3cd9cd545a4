"""Collections over HTTP: made, listed, changed without whole lists, deleted without documents."""

import pytest

from tests.people import at
from tests.problems import refused, refused_field

PATH = "/v1/collections"


@pytest.fixture
def alice(new_user):
    return new_user


@pytest.fixture
def documents(alice):
    return [alice.upload(bytes(4 + n), name=f"{n}.txt", token=None) for n in range(3)]


def change(person, collection, **fields):
    return person.patch(at(collection), json=fields)


def names(answer):
    return [one["name"] for one in answer.json["documents"]]


def test_a_collection_is_answered_with_its_documents_in_order(alice, documents):
    answer = alice.post(
        PATH,
        json={
            "title": "Offer",
            "note": "For\nMonday",
            "documentIds": [one["id"] for one in documents],
        },
    )
    made = answer.json
    assert made.pop("token") is None
    assert answer.headers["Location"] == f"{alice.service.url}{at(made)}"
    assert made["documents"] == [
        {name: value for name, value in one.items() if name != "token"} for one in documents
    ]
    assert (made["documentCount"], made["size"], made["maxBytes"]) == (3, 15, 1 << 30)
    assert (made["title"], made["note"]) == ("Offer", "For\nMonday")
    assert alice.get(at(made)).json == made
    del made["documents"]
    assert alice.get(PATH).json == {"collections": [made], "nextCursor": None}


def test_it_is_changed_by_what_comes_goes_and_stands_first(alice, documents):
    first, second, third = documents
    made = alice.collect(first, second)
    answer = change(alice, made, add=[third["id"]], remove=[first["id"]], order=[third["id"]])
    assert names(answer) == ["2.txt", "1.txt"]
    answer = change(alice, made, title="Better", note=None, maxBytes=7)
    assert [answer.json[name] for name in ("title", "note", "maxBytes")] == ["Better", None, 7]
    assert names(answer) == ["2.txt", "1.txt"]


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"title": ""}, "#/title"),
        ({"title": "x" * 201}, "#/title"),
        ({"note": "x" * 2001}, "#/note"),
        ({"maxBytes": None}, "#/maxBytes"),
        ({"maxBytes": 10**12 + 1}, "#/maxBytes"),
        ({"add": ["doc_x"] * 201}, "#/add"),
        ({"order": ["doc_unknown"]}, "#/order"),
        ({"documentIds": []}, "#/documentIds"),
    ],
)
def test_what_is_not_valid_is_told_at_its_field(fields, pointer, alice):
    refused_field(change(alice, alice.collect(), **fields), pointer)


def test_documents_of_others_are_as_unknown_ones_and_nothing_is_made(alice, bob, documents):
    for id in (bob.upload()["id"], "doc_unknown"):
        body = {"title": "Offer", "documentIds": [documents[0]["id"], id]}
        refused(alice.post(PATH, json=body), 404, "not_found")
    assert alice.get(PATH).json["collections"] == []


def test_a_list_can_be_of_those_with_a_document(alice, documents):
    made = [alice.collect(documents[0]), alice.collect(*documents)]
    for document, expected in ((documents[0], made[::-1]), (documents[2], made[1:])):
        found = alice.get(f"{PATH}?documentId={document['id']}").json["collections"]
        assert [one["id"] for one in found] == [one["id"] for one in expected]


def test_an_upload_is_appended_as_json_and_as_a_form(alice, documents):
    made = alice.collect(documents[0])
    alice.upload(name="json.txt", collectionId=made["id"])
    parts = b""
    for name, more, value in (
        ("file", '; filename="form.txt"', b"hello"),
        ("collectionId", "", made["id"].encode()),
    ):
        head = f'--x\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'
        parts += head.encode() + value + b"\r\n"
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    assert alice.post("/v1/documents", data=parts + b"--x--\r\n", headers=headers).status == 201
    assert names(alice.get(at(made))) == ["0.txt", "json.txt", "form.txt"]
    added = [one["type"] for one in alice.events(f"&collectionId={made['id']}")]
    assert added == ["collection.created", *["collection.added"] * 3]


def test_an_upload_to_no_collection_of_ones_own_stores_nothing(alice, bob):
    upload = {"payload": "", "contentType": "text/plain"}
    for id in (bob.collect()["id"], "col_unknown"):
        refused(alice.post("/v1/documents", json=upload | {"collectionId": id}), 404, "not_found")
    writer = alice.create_api_key(scopes=["documents:write"])
    body = upload | {"collectionId": alice.collect()["id"]}
    refused(writer.post("/v1/documents", json=body), 403, "scope_missing")
    assert alice.get("/v1/documents").json["documents"] == []


@pytest.mark.slow
def test_what_is_full_takes_no_more(alice):
    ids = [alice.upload(b"", token=None)["id"] for _ in range(200)]  # as many as there may be
    made = alice.collect(documentIds=ids)
    upload = {"payload": "", "contentType": "text/plain", "collectionId": made["id"]}
    refused_field(alice.post("/v1/documents", json=upload), "#/collectionId")
    assert sum(map(len, alice.pages("/v1/documents"))) == 200


def test_deleting_it_leaves_its_documents_and_deleting_them_leaves_it(alice, documents):
    made, other = alice.collect(*documents), alice.collect(*documents)
    assert alice.delete(at(made)).status == 204
    refused(alice.delete(at(made)), 404, "not_found")
    assert alice.delete(at(documents[0])).status == 204
    assert names(alice.get(at(other))) == ["1.txt", "2.txt"]
    query = f"&collectionId={other['id']}"
    assert alice.event_types(query)[-1] == "collection.removed"


def test_a_repeated_request_makes_one_collection(alice, documents):
    body = {"title": "Offer", "documentIds": [documents[0]["id"]]}
    key = {"Idempotency-Key": "one"}
    first, again = (alice.post(PATH, json=body, headers=key) for _ in range(2))
    assert first.json == again.json
    assert len(alice.get(PATH).json["collections"]) == 1
    alice.delete(at(documents[0]))
    refused(alice.post(PATH, json=body, headers=key), 404, "not_found")


def test_title_and_note_are_in_no_event_and_in_no_file_in_clear(alice, documents):
    alice.collect(documents[0], title="Takeover of Example", note="Nobody knows")
    assert "Takeover" not in str(list(alice.events()))
    stored = b"".join(path.read_bytes() for path in alice.service.instance.glob("*"))
    assert b"Takeover" not in stored
    assert b"Nobody knows" not in stored
