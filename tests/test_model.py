"""The whole API against a small model of it: long random stories, every answer foretold.

`HYPOTHESIS_PROFILE=thorough` tells many more of them.
"""

import os
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    multiple,
    rule,
    run_state_machine_as_test,
)

from models.core import is_seen
from tests.formats import b64, time_from_now
from tests.people import PASSWORD, Person
from tests.problems import refused

pytestmark = pytest.mark.slow

READ, WRITE, DELETE = "documents:read", "documents:write", "documents:delete"
STORIES, STEPS = {"thorough": (100, 120)}.get(os.environ.get("HYPOTHESIS_PROFILE"), (10, 50))

characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
names = st.text(characters, min_size=1, max_size=20)
titles = names.filter(is_seen)
pairs = st.dictionaries(names, names, max_size=3)
contents = st.binary(max_size=60) | st.integers(0, 9).map(lambda n: bytes([n]) * 70_000 * n)
scope_lists = st.lists(st.sampled_from([READ, WRITE, DELETE]), min_size=1, unique=True)
permission_lists = st.lists(st.sampled_from(["view", "download"]), min_size=1, unique=True)


@dataclass
class Credential:
    person: Person
    owner: int
    scopes: set | None = None  # a session has none and needs none
    alive: bool = True

    def refusal(self, *scopes):
        """The status that this credential earns by itself; None if it may pass."""
        if not self.alive:
            return 401
        return None if self.scopes is None or self.scopes >= set(scopes) else 403


@dataclass
class Document:
    owner: int
    content: bytes
    content_type: str
    name: str
    metadata: dict
    id: str = ""
    expires_at: str | None = None
    gone: bool = False
    tokens: list = field(default_factory=list)

    def agrees(self, record):
        assert {name: record[name] for name in ("id", "size", "contentType", "name")} == {
            "id": self.id,
            "size": len(self.content),
            "contentType": self.content_type,
            "name": self.name,
        }
        assert (record["metadata"], record["expiresAt"]) == (self.metadata, self.expires_at)


@dataclass
class Token:
    document: Document
    permissions: list
    most: int | None
    password: str | None
    id: str
    holder: Person
    views: int = 0
    revoked: bool = False

    def refusal(self, permission):
        spent = self.most is not None and self.views >= self.most
        if self.revoked or self.document.gone or spent:
            return 410
        return None if permission in self.permissions else 403


class Story(RuleBasedStateMachine):
    """Two people, their credentials, their documents, the links to these."""

    people: tuple = ()
    credentials, documents, tokens = Bundle("credentials"), Bundle("documents"), Bundle("tokens")

    def __init__(self):
        super().__init__()
        self.of = {0: [], 1: []}

    def teardown(self):
        for owner, known in self.of.items():
            for document in known:
                if not document.gone:
                    assert self.people[owner].delete(f"/v1/documents/{document.id}").status == 204

    @initialize(target=credentials)
    def come_with_sessions(self):
        return multiple(*map(self.session_of, (0, 1)))

    @initialize(target=documents, owner=st.integers(0, 1), content=contents)
    def begin_with_a_document(self, owner, content):
        return self.uploaded(self.session_of(owner), content, "begun", {}, repeated=False)

    @initialize(
        target=tokens,
        permissions=permission_lists,
        most=st.none() | st.integers(1, 3),
        password=st.none() | st.just("open sesame"),
    )
    def begin_with_a_link(self, permissions, most, password):
        document = self.uploaded(self.session_of(0), b"linked", "linked", {}, repeated=False)
        return self.shared(self.session_of(0), document, permissions, most, password)

    def session_of(self, owner):
        return Credential(self.people[owner], owner)

    @rule(target=credentials, owner=st.integers(0, 1))
    def log_in(self, owner):
        someone = self.people[owner].service.log_in(self.people[owner].record["email"], PASSWORD)
        return Credential(someone, owner)

    @rule(credential=credentials)
    def log_out(self, credential):
        if credential.scopes is None and credential.person not in self.people:
            answer = credential.person.post("/v1/auth/logout")
            assert answer.status == (204 if credential.alive else 401)
            credential.alive = False

    @rule(target=credentials, credential=credentials, scopes=scope_lists)
    def make_a_key(self, credential, scopes):
        answer = credential.person.post("/v1/api-keys", json={"scopes": scopes})
        if not credential.alive or credential.scopes is not None:
            assert answer.status == (403 if credential.alive else 401)
            return multiple()
        key = credential.person.with_api_key(answer.json["key"])
        key.record = answer.json
        return Credential(key, credential.owner, set(scopes))

    @rule(target=credentials, credential=credentials, rotated=st.booleans())
    def end_a_key(self, credential, rotated):
        if credential.scopes is None:
            return multiple()
        path = f"/v1/api-keys/{credential.person.record['id']}"
        owner, stranger = self.people[credential.owner], self.people[1 - credential.owner]
        refused(stranger.delete(path), 404, "not_found")
        answer = owner.post(f"{path}/rotate", json={}) if rotated else owner.delete(path)
        was, credential.alive = credential.alive, False
        assert answer.status == ((201 if was else 404) if rotated else 204)
        if answer.status != 201:
            return multiple()
        key = owner.with_api_key(answer.json["key"])
        key.record = answer.json
        return replace(credential, person=key, alive=True)

    @rule(
        target=documents,
        credential=credentials,
        content=contents,
        name=titles,
        metadata=pairs,
        repeated=st.booleans(),
    )
    def upload(self, credential, content, name, metadata, repeated):
        return self.uploaded(credential, content, name, metadata, repeated)

    def uploaded(self, credential, content, name, metadata, repeated):
        made = Document(credential.owner, content, "text/plain", name, metadata)
        body = {"payload": b64(content), "contentType": made.content_type, "name": name}
        body |= {"metadata": metadata, "token": None}
        key = {"Idempotency-Key": f"story-{os.urandom(8).hex()}"}
        answer = credential.person.post("/v1/documents", json=body, headers=key)
        if credential.refusal(WRITE):
            assert answer.status == credential.refusal(WRITE)
            return multiple()
        assert answer.status == 201, answer
        made.id = answer.json["id"]
        made.agrees(answer.json)
        if repeated:
            again = credential.person.post("/v1/documents", json=body, headers=key)
            assert (again.status, again.json) == (201, answer.json)
            assert again.headers["Idempotency-Replayed"] == "true"
            other = credential.person.post("/v1/documents", json=body | {"name": "x"}, headers=key)
            assert other.status == 422
        self.of[credential.owner].append(made)
        return made

    def told(self, credential, document, scopes, answer, status=200):
        """Whether it was done; if not, it was refused as it should be."""
        scopes = [scopes] if isinstance(scopes, str) else scopes
        hidden = document.gone or document.owner != credential.owner
        expected = credential.refusal(*scopes) or (404 if hidden else status)
        assert answer.status == expected, (expected, answer)
        return answer.status == status

    @rule(credential=credentials, document=documents)
    def get(self, credential, document):
        answer = credential.person.get(f"/v1/documents/{document.id}")
        if self.told(credential, document, READ, answer):
            document.agrees(answer.json)

    @rule(credential=credentials, document=documents)
    def read_all(self, credential, document):
        answer = credential.person.get(f"/v1/documents/{document.id}/content")
        if self.told(credential, document, READ, answer):
            assert answer.body == document.content

    @rule(
        credential=credentials,
        document=documents,
        first=st.integers(0, 80_000),
        more=st.integers(0, 80_000),
    )
    def read_a_range(self, credential, document, first, more):
        asked = {"Range": f"bytes={first}-{first + more}"}
        answer = credential.person.get(f"/v1/documents/{document.id}/content", headers=asked)
        beyond = first >= len(document.content)
        if self.told(credential, document, READ, answer, 416 if beyond else 206) and not beyond:
            assert answer.body == document.content[first : first + more + 1]

    @rule(
        credential=credentials,
        document=documents,
        name=titles,
        metadata=st.none() | pairs,
        prefetch=st.none() | st.integers(1, 99),
    )
    def edit(self, credential, document, name, metadata, prefetch):
        expires_at = time_from_now(days=prefetch) if prefetch else None
        change = {"name": name, "metadata": metadata, "expiresAt": expires_at}
        answer = credential.person.patch(f"/v1/documents/{document.id}", json=change)
        earlier = expires_at and expires_at < (document.expires_at or "~")
        status = credential.refusal(DELETE) or 200 if earlier else 200
        if self.told(credential, document, WRITE, answer, status) and status == 200:
            document.name, document.metadata = name, metadata or {}
            document.expires_at = expires_at
            document.agrees(answer.json)

    @rule(credential=credentials, document=documents)
    def delete(self, credential, document):
        answer = credential.person.delete(f"/v1/documents/{document.id}")
        if self.told(credential, document, DELETE, answer, 204):
            document.gone = True
            for token in document.tokens:
                assert token.holder.get(f"/v1/documents/{document.id}/content").status == 410

    @rule(credential=credentials, limit=st.integers(1, 5))
    def list(self, credential, limit):
        listed, cursor = [], ""
        while cursor is not None:
            query = f"?limit={limit}" + (f"&cursor={cursor}" if cursor else "")
            answer = credential.person.get("/v1/documents" + query)
            if credential.refusal(READ):
                assert answer.status == credential.refusal(READ)
                return
            listed += answer.json["documents"]
            cursor = answer.json["nextCursor"]
        alive = [one for one in reversed(self.of[credential.owner]) if not one.gone]
        assert [record["id"] for record in listed] == [one.id for one in alive]
        for one, record in zip(alive, listed, strict=True):
            one.agrees(record)

    @rule(
        target=tokens,
        credential=credentials,
        document=documents,
        permissions=permission_lists,
        most=st.none() | st.integers(1, 3),
        password=st.none() | st.just("open sesame"),
    )
    def share(self, credential, document, permissions, most, password):
        return self.shared(credential, document, permissions, most, password)

    def shared(self, credential, document, permissions, most, password):
        terms = {"permissions": permissions, "maxViews": most, "password": password}
        path = f"/v1/documents/{document.id}/tokens"
        answer = credential.person.post(path, json=terms)
        if not self.told(credential, document, (READ, WRITE), answer, 201):
            return multiple()
        holder = credential.person.with_token(answer.json["token"])
        made = Token(document, permissions, most, password, answer.json["id"], holder)
        document.tokens.append(made)
        return made

    @rule(token=tokens)
    def view_by_a_link(self, token):
        answer = token.holder.get(f"/v1/documents/{token.document.id}/view")
        assert answer.status == (token.refusal("view") or 200)
        token.views += answer.status == 200 and token.most is token.password is None
        self.links_agree(token.document)

    @rule(token=tokens, password=st.sampled_from(["open sesame", "wrong"]))
    def open_a_link(self, token, password):
        path, body = f"/v1/documents/{token.document.id}/view", {"password": password}
        wrong = token.password is not None and password != token.password
        answer = token.holder.post(path, json=body)
        assert answer.status == (token.refusal("view") or (401 if wrong else 200))
        token.views += answer.status == 200
        self.links_agree(token.document)

    @rule(token=tokens)
    def read_by_a_link(self, token):
        answer = token.holder.get(f"/v1/documents/{token.document.id}/content")
        locked = 403 if token.password is not None else 200
        assert answer.status == (token.refusal("download") or locked)
        assert answer.status != 200 or answer.body == token.document.content
        token.views += answer.status == 200 and token.most is not None
        self.links_agree(token.document)

    @rule(token=tokens, document=documents)
    def try_a_link_on_another_document(self, token, document):
        if document is not token.document:
            answer = token.holder.get(f"/v1/documents/{document.id}/content")
            assert answer.status == (token.refusal("download") or 404)

    @rule(credential=credentials, token=tokens)
    def revoke(self, credential, token):
        path = f"/v1/documents/{token.document.id}/tokens/{token.id}"
        answer = credential.person.delete(path)
        token.revoked |= self.told(credential, token.document, WRITE, answer, 204)

    def links_agree(self, document):
        self.compare_links(self.session_of(document.owner), document)

    @rule(credential=credentials, document=documents)
    def list_links(self, credential, document):
        self.compare_links(credential, document)

    def compare_links(self, credential, document):
        answer = credential.person.get(f"/v1/documents/{document.id}/tokens")
        if self.told(credential, document, READ, answer):
            told = [
                (one["id"], one["views"], bool(one["revokedAt"])) for one in answer.json["tokens"]
            ]
            known = [(one.id, one.views, one.revoked) for one in reversed(document.tokens)]
            assert told == known


def test_every_answer_of_a_long_story_is_foretold(start_service):
    service = start_service(RATE_LIMITS="off")

    class Told(Story):
        people = (service.register(), service.register())

    run_state_machine_as_test(
        Told,
        settings=settings(
            max_examples=STORIES,
            stateful_step_count=STEPS,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
