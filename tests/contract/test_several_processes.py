"""Processes that serve the same PostgreSQL database: what is promised holds over all of them."""

import contextlib
import hashlib
import http.client
import json
import threading
from functools import partial

import pytest

from crypto import Keyring
from tests import postgres
from tests.contract.webhooks import create_webhook
from tests.formats import b64
from tests.people import PASSWORD, Person
from tests.problems import refused
from tests.service import Service, StartError
from tests.tus import Upload
from tests.waiting import run_in_threads, until

JSON = ("Content-Type", "application/json")
BODY = {"payload": b64(b"once"), "contentType": "text/plain", "token": None}


@pytest.fixture(scope="module")
def start_node(start_service, postgres_server, tmp_path_factory):
    """A function that starts a process of one database and keyring, unless it is told others."""
    keyring = tmp_path_factory.mktemp("keys") / "keyring"
    Keyring.create(keyring)
    common = {"DATABASE": postgres_server.new_database(), "KEYRING_FILE": keyring}

    def start(**settings):
        return start_service(**common | {"WEBHOOK_ALLOW": "127.0.0.0/8"} | settings)

    return start


@pytest.fixture(scope="module")
def nodes(start_node):
    return [start_node(QUOTA_DOCUMENTS=40, QUOTA_WEBHOOKS=5, QUOTA_API_KEYS=12) for _ in range(2)]


@pytest.fixture
def twins(nodes):
    """A new user, on each of the processes."""
    person = nodes[0].register()
    other = Person(nodes[1], person.credential)
    other.record = person.record
    return person, other


def at_once(*calls):
    """Make all calls in threads, and return their answers."""
    answers = [None] * len(calls)

    def call(number):
        answers[number] = calls[number]()

    run_in_threads(*(partial(call, number) for number in range(len(calls))))
    return answers


def test_each_merges_the_readings_of_a_link_that_it_answers(twins, nodes):
    one, other = twins
    document = one.upload()
    path = f"/v1/documents/{document['id']}/content?token={document['token']['token']}"
    for number in range(6):
        assert Person(nodes[number % 2]).get(path).status == 200
    assert other.delete(f"/v1/documents/{document['id']}").status == 204

    found = [(event["type"], event["data"].get("count")) for event in one.events()]
    assert found[2:] == [
        ("document.downloaded", 1),
        ("document.downloaded", 1),
        ("document.downloaded", 2),
        ("document.deleted", None),
        ("token.revoked", None),
    ]


def test_wrong_passwords_sent_at_once_are_no_more_than_those_sent_one_by_one(nodes):
    email = nodes[0].register().record["email"]
    statuses = []

    def guess(number):
        for _ in range(8):
            answer = Person(nodes[number % 2]).log_in(email, "a wrong password", errors=[503])
            statuses.append(answer.status)

    run_in_threads(*(partial(guess, number) for number in range(8)))

    assert statuses.count(401) == 10


def test_wrong_passwords_of_a_link_are_counted_over_all_processes(twins, nodes):
    document = twins[0].upload(token={"password": "open sesame"})
    path, secret = f"/v1/documents/{document['id']}/view", document["token"]["token"]

    def guess(number):
        holder = Person(nodes[number % 2]).with_token(secret)
        return holder.post(path, json={"password": "wrong"}).status

    assert [guess(number) for number in range(12)] == [401] * 10 + [429] * 2


def test_what_was_taken_back_is_dead_everywhere_at_once(twins, nodes):
    one, other = twins
    key = one.create_api_key()
    elsewhere = Person(nodes[1], key.credential)
    assert elsewhere.get("/v1/documents").status == 200
    assert one.delete(f"/v1/api-keys/{key.record['id']}").status == 204
    refused(elsewhere.get("/v1/documents"), 401, "key_revoked")

    second = nodes[0].log_in(one.record["email"])
    new = {"currentPassword": PASSWORD, "newPassword": "another password"}
    assert one.post("/v1/auth/password", json=new).status == 204
    refused(Person(nodes[1], second.credential).get("/v1/auth/me"), 401, "session_expired")
    assert other.get("/v1/auth/me").status == 200

    document = one.upload()
    token = document["token"]
    path = f"/v1/documents/{document['id']}/view?token={token['token']}"
    assert Person(nodes[1]).get(path).status == 200
    assert one.delete(f"/v1/documents/{document['id']}/tokens/{token['id']}").status == 204
    assert Person(nodes[1]).get(path).status == 410

    assert one.post("/v1/auth/logout").status == 204
    refused(other.get("/v1/auth/me"), 401, "session_expired")


def test_what_one_process_remembers_of_a_row_outlives_no_change_by_another_one(twins, nodes):
    one, other = twins
    document = other.upload(name="before.txt")
    record = f"/v1/documents/{document['id']}"
    for _ in range(2):
        assert other.get(record).json["name"] == "before.txt"
        assert [found["id"] for found in other.get("/v1/documents").json["documents"]] == [
            document["id"]
        ]
    assert one.patch(record, json={"name": "after.txt"}).status == 200
    assert other.get(record).json["name"] == "after.txt"

    altered = "UPDATE document SET expires_at = :later WHERE id = :id"
    assert nodes[0].sql(altered, later=2**42, id=document["id"]) == 1
    refused(other.get(record), 404, "not_found")
    assert other.get("/v1/documents").json["documents"] == []
    back = "UPDATE document SET expires_at = NULL WHERE id = :id"
    assert nodes[0].sql(back, id=document["id"]) == 1
    assert other.get(record).json["name"] == "after.txt"

    assert one.delete(record).status == 204
    refused(other.get(record), 404, "not_found")
    assert other.get("/v1/documents").json["documents"] == []

    key = one.create_api_key()
    elsewhere = Person(nodes[1], key.credential)
    assert elsewhere.get("/v1/documents").status == 200
    nodes[0].run_command("users", "disable", one.record["email"])
    refused(elsewhere.get("/v1/documents"), 401, "key_revoked")
    refused(other.get("/v1/auth/me"), 401, "session_expired")


@pytest.mark.parametrize(
    ("path", "body", "most"),
    [("/v1/webhooks", {"url": "https://hook.example/in"}, 5), ("/v1/api-keys", {}, 12)],
)
def test_the_quota_of_rows_is_exact_though_processes_create_them_at_once(path, body, most, twins):
    answers = at_once(*[partial(person.post, path, json=body) for person in twins] * 8)
    assert sum(answer.status == 201 for answer in answers) == most


def test_a_one_time_link_opens_once_of_many_tries_on_all_processes(twins, nodes):
    one, _ = twins
    for _ in range(4):
        document = one.upload(token={"maxViews": 1})
        path = f"/v1/documents/{document['id']}/view?token={document['token']['token']}"
        openers = [Person(nodes[number % 2]) for number in range(6)]
        answers = at_once(*(partial(opener.post, path) for opener in openers))
        assert sorted(answer.status for answer in answers) == [200, *[410] * 5]


def test_a_quota_is_exact_though_processes_upload_at_once(twins):
    uploads = [partial(person.post, "/v1/documents", json=BODY) for person in twins]
    answers = at_once(*uploads * 30)
    assert sum(answer.status == 201 for answer in answers) == 40
    assert len(list(twins[0].events("&type=document.created"))) == 40


@pytest.mark.parametrize("path", ["/v1/documents", "/v1/api-keys"])
def test_a_request_sent_to_both_with_one_key_is_executed_once(path, twins):
    body = BODY if path == "/v1/documents" else {"name": "twin"}
    for number in range(8):
        headers = {"Idempotency-Key": f"twin-{number}"}
        calls = [partial(person.post, path, json=body, headers=headers) for person in twins]
        answers = at_once(*calls * 2)
        created = [answer for answer in answers if answer.status == 201]

        assert len({json.dumps(answer.json) for answer in created}) == 1
        assert {answer.status for answer in answers} <= {201, 409}
    type = "document.created" if path == "/v1/documents" else "api_key.created"
    assert len(list(twins[0].events(f"&type={type}"))) == 8


def test_a_registration_sent_to_both_makes_one_account(nodes):
    calls = [partial(Person(node).register, "twin@example.org") for node in nodes]
    assert sorted(answer.status for answer in at_once(*calls * 2)) == [201, 409, 409, 409]


def test_a_poller_misses_no_event_that_any_process_commits(twins):
    done = threading.Event()
    seen = []

    def write(person):
        for _ in range(12):
            person.post("/v1/webhooks", json={"url": "https://hook.example/in"})
            key = person.create_api_key()
            person.delete(f"/v1/api-keys/{key.record['id']}")

    def poll():
        while True:
            was_done = done.is_set()
            person = twins[len(seen) % 2]
            after = f"&after={seen[-1]['id']}" if seen else ""
            events = person.get(f"/v1/events?limit=3{after}").json["events"]
            seen.extend(events)
            if was_done and not events:
                return

    poller = threading.Thread(target=poll)
    poller.start()
    run_in_threads(*(partial(write, person) for person in twins * 2))
    done.set()
    poller.join()

    assert [event["sequence"] for event in seen] == list(range(1, len(seen) + 1))
    assert len(seen) == 2 * 2 * 12 * 2


def test_each_event_is_delivered_once_and_in_order_whoever_committed_it(twins, receiver):
    create_webhook(twins[0], receiver.url())
    for number in range(10):
        twins[number % 2].upload(token=None)
    events = list(twins[0].events())
    received = receiver.wait_for(10)
    assert [one.headers["webhook-id"] for one in received] == [one["id"] for one in events]


def test_another_process_delivers_what_a_killed_one_has_queued(start_node, nodes, receiver):
    doomed = start_node()
    person = doomed.register()
    create_webhook(person, receiver.url())
    receiver.answers = [(500, "not now")] * 3
    person.upload(token=None)
    receiver.wait_for(1)
    doomed.kill()
    nodes[0].sql("UPDATE claim SET until = until - 20000")  # so much time has passed

    received = receiver.wait_for(2)

    assert len({one.headers["webhook-id"] for one in received}) == 1


def test_a_killed_upload_leaves_nothing(start_node, nodes, postgres_server):
    doomed = start_node()
    person = doomed.register()
    large = b'{"contentType":"a/b","payload":"' + b64(bytes(40 << 20)).encode() + b'"}'
    running = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'INSERT INTO piece%'"

    def send():
        with contextlib.suppress(OSError, http.client.HTTPException):
            person.exchange("POST", "/v1/documents", [*person.credential.items(), JSON], large)

    thread = threading.Thread(target=send)
    thread.start()
    until(lambda: postgres.execute(postgres_server.url(), running)[0][0])
    doomed.kill()
    thread.join()

    kept = "SELECT id FROM document UNION SELECT id FROM preview"  # of views in earlier tests
    left = f"SELECT count(*) FROM piece WHERE document_id NOT IN ({kept})"
    assert nodes[0].sql(left) == [(0,)]


def test_a_sender_changes_between_processes_and_the_file_is_the_same(twins):
    one, other = twins
    content = bytes(range(256)) * 8_000  # 2,048,000 bytes: of eleven pieces
    part = 300_007
    upload = Upload.begin(one, len(content), filename="moved.bin")
    for number, at in enumerate(range(0, len(content), part)):
        by, beside = (other, one) if number % 2 else (one, other)
        answer = upload.send(content[at : at + part], at, by=by)
        assert answer.status == 204
        assert upload.offset(beside) == min(at + part, len(content))
        refused(upload.send(b"late", at, by=beside), 409, "offset_mismatch")

    record = other.get(f"/v1/documents/{answer.headers['Document-Id']}").json
    assert record["sha256"] == hashlib.sha256(content).hexdigest()
    assert upload.content() == content


def test_of_two_senders_at_two_processes_one_is_stored(twins):
    one, other = twins
    content = bytes(400_000)
    upload = Upload.begin(one, len(content))
    answers = at_once(*(partial(upload.send, content, 0, by=person) for person in (one, other)))
    assert sorted(answer.status for answer in answers) == [204, 409]
    assert upload.content() == content


def test_a_process_with_another_keyring_does_not_start(start_node, nodes, tmp_path):
    other = tmp_path / "other"
    Keyring.create(other)
    with pytest.raises(StartError, match="The keyring lacks root key"):
        start_node(KEYRING_FILE=other)


def test_a_primary_that_a_running_process_lacks_is_refused(start_node, nodes, tmp_path):
    own = nodes[0].settings["KEYRING_FILE"]
    ahead = tmp_path / "ahead"
    Keyring.create(ahead)
    ahead.write_text(ahead.read_text() + own.read_text())
    ahead.chmod(0o600)
    with pytest.raises(StartError, match="lacks root key .* Append its line to that keyring"):
        start_node(KEYRING_FILE=ahead)


def test_of_two_first_starts_at_once_one_serves_if_their_keyrings_differ(
    start_service, postgres_server, tmp_path
):
    database = postgres_server.new_database()
    for name in "ab":
        Keyring.create(tmp_path / name)
    outcomes = start_at_once(
        *(partial(start_service, DATABASE=database, KEYRING_FILE=tmp_path / name) for name in "ab"),
    )
    (refused_start,) = [one for one in outcomes if isinstance(one, StartError)]

    assert "The keyring lacks root key" in str(refused_start)
    assert "Traceback" not in str(refused_start)


class WithoutKeyring(Service):
    """Is started in the way of a fresh container."""

    def environment(self):
        return super().environment() | {"DOCSERVICE_KEYRING_FILE": ""}


def test_of_two_first_starts_at_once_none_makes_a_keyring(postgres_server, tmp_path):
    database = postgres_server.new_database()

    def start(name):
        (tmp_path / name).mkdir()
        return WithoutKeyring(tmp_path / name, DATABASE=database, KEYRING_FILE="none")

    outcomes = start_at_once(partial(start, "a"), partial(start, "b"))

    assert all("Make it once" in str(one) and "keys make" in str(one) for one in outcomes)
    assert list(tmp_path.rglob("keyring")) == []


def start_at_once(*starts):
    """What each has started, or its StartError."""

    def outcome(start):
        try:
            return start()
        except StartError as error:
            return error

    return at_once(*(partial(outcome, start) for start in starts))


def test_commands_that_copy_a_file_name_those_of_the_server(nodes):
    for words in (("backup", "copy.sqlite"), ("restore", "copy.sqlite")):
        assert "pg_dump" in nodes[0].run_command(*words, code=1)


def test_the_start_says_where_the_data_lies(nodes):
    assert "its data lies in postgresql://…@/" in nodes[0].stderr()


def test_the_doctor_finds_nothing(nodes):
    output = nodes[0].run_command("doctor")
    assert "OK     server" in output
