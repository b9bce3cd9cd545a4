"""Root keys are rotated and retired while the service is in use, and no request fails."""

import random
import threading

import pytest

from crypto import Keyring
from tests.formats import b64
from tests.problems import refused
from tests.service import StartError
from tests.waiting import until

pytestmark = pytest.mark.slow


def roots(service):
    """The ids in the keyring; the first one seals."""
    return [root.id for root in Keyring(service.instance / "keyring")]


def content_of(person, document):
    answer = person.get(f"/v1/documents/{document['id']}/content")
    assert answer.status == 200, answer
    return answer.body


class Load:
    """Threads that read and write all the time; `wrong` collects what failed."""

    def __init__(self, callers, documents):
        self.callers, self.documents, self.wrong, self.calls = callers, documents, [], 0
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._work, args=(n,)) for n in range(2)]

    def __enter__(self):
        for one in self._threads:
            one.start()
        return self

    def __exit__(self, *_):
        self._stopped.set()
        for one in self._threads:
            one.join()

    def _work(self, seed):
        chance = random.Random(seed)
        while not self._stopped.is_set():
            try:
                self._call(chance.choice(self.callers), chance)
                self.calls += 1
            except Exception as error:
                self.wrong.append(error)

    def _call(self, person, chance):
        document, content = chance.choice(self.documents)
        path = f"/v1/documents/{document['id']}"
        if chance.random() < 0.6:
            assert person.get(f"{path}/content").body == content
        elif chance.random() < 0.5:
            assert person.patch(path, json={"name": "a name"}).status == 200
        else:
            fresh = chance.randbytes(chance.choice([10, 300_000, 2_500_000]))
            body = {"payload": b64(fresh), "contentType": "application/x-any"}
            answer = person.post("/v1/documents", json=body)
            assert answer.status == 201, answer
            assert content_of(person, answer.json) == fresh
            assert person.open(answer.json["token"]["viewUrl"]).status == 200
            assert person.delete(f"/v1/documents/{answer.json['id']}").status == 204


def test_keys_rotate_and_retire_under_load_and_no_call_fails(start_service):
    service = start_service(RATE_LIMITS="off")
    person = service.register()
    machine = person.create_api_key()
    contents = [random.Random(n).randbytes(1_000 * n) for n in range(60)]
    documents = [(machine.upload(one, "application/x-any"), one) for one in contents]
    first, *_ = roots(service)

    with Load((person, machine), documents) as load:
        service.run_command("keys", "rotate")
        service.run_command("keys", "retire", roots(service)[1])
        service.run_command("keys", "check", "--deep")
        until(lambda: load.calls > 20 or load.wrong)

    assert load.wrong == []
    assert load.calls > 20
    assert first not in roots(service)
    assert len(roots(service)) == 1
    assert [content_of(machine, document) for document, _ in documents] == contents


def test_a_service_with_only_a_retired_root_names_the_missing_one(start_service):
    service = start_service(RATE_LIMITS="off")
    person = service.register()
    document, keyring = person.upload(b"sealed"), service.instance / "keyring"
    former = keyring.read_bytes()
    service.run_command("keys", "rotate")
    service.run_command("keys", "retire", roots(service)[1])
    kept, needed = keyring.read_bytes(), roots(service)[0]
    service.stop()

    keyring.write_bytes(former)
    with pytest.raises(StartError, match=needed):
        service.start()
    assert keyring.read_bytes() == former
    keyring.write_bytes(kept)
    service.start()

    assert content_of(service.log_in(person.record["email"]), document) == b"sealed"


@pytest.fixture(scope="module")
def service(start_service):
    return start_service(RATE_LIMITS="off")


def test_sessions_survive_the_retirement_of_their_root(service):
    person = service.register()
    service.run_command("keys", "rotate")
    later = service.log_in(person.record["email"])
    service.run_command("keys", "retire", roots(service)[1])

    for one in (person, later, service.log_in(person.record["email"])):
        assert one.get("/v1/auth/me").status == 200
    service.restart()
    for one in (person, later):
        assert one.get("/v1/auth/me").status == 200


def test_a_rotation_can_end_all_sessions(service):
    person = service.register()
    machine = person.create_api_key()
    service.run_command("keys", "rotate", "--end-sessions")
    refused(person.get("/v1/auth/me"), 401, "session_expired")
    assert machine.get("/v1/documents").status == 200
    assert service.log_in(person.record["email"]).get("/v1/auth/me").status == 200
