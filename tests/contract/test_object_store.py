"""A service whose payloads above one piece are objects of a real S3 server."""

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from models.storage.payloads import PIECE_BYTES
from tests.contract.requests import JSON
from tests.contract.test_at_rest import holds
from tests.contract.test_damage import broken_off
from tests.contract.test_memory import AT_ONCE, LIMIT_KIB, SIZE, peak_kib
from tests.formats import b64
from tests.object_gateway import SECRET
from tests.people import Person
from tests.problems import refused
from tests.service import Service, StartError
from tests.tus import Upload
from tests.waiting import until

obstore = pytest.importorskip("obstore")

MARK = b"<what only its owner may read>\n"
TEXT = MARK * (1 + 2 * PIECE_BYTES // len(MARK))
LARGE = os.urandom(42 * PIECE_BYTES + 11)


@pytest.fixture(scope="module")
def start(tmp_path_factory, gateway):
    """A function that starts a service with its payloads at this address."""
    started = []

    def start(address=None, url=None, secret=SECRET, secret_file=None, **settings):
        folder = tmp_path_factory.mktemp("objects")
        credentials = gateway.environment(url, secret)
        if secret_file:
            del credentials["AWS_SECRET_ACCESS_KEY"]
            credentials["AWS_SECRET_ACCESS_KEY_FILE"] = str(secret_file)
        service = ServiceWithObjects(gateway, folder, address, credentials, settings)
        started.append(service)
        return service

    yield start
    for service in started:
        service.close()


class ServiceWithObjects(Service):
    def __init__(self, gateway, folder, address, credentials, settings):
        self.credentials = credentials
        self.options = gateway.environment()
        self.address = address or gateway.address()
        super().__init__(folder, PAYLOADS=self.address, RATE_LIMITS="off", **settings)

    def environment(self):
        return super().environment() | self.credentials

    def bucket(self):
        """The bucket, below the prefix of this service."""
        name, prefix = self.address.removeprefix("s3://").split("/", 1)
        options = {name.removeprefix("AWS_").lower(): v for name, v in self.options.items()}
        del options["allow_http"]
        return obstore.store.S3Store(
            name, prefix=prefix, config=options, client_options={"allow_http": True}
        )

    def objects(self):
        """Path -> content of every object."""
        bucket = self.bucket()
        return {path: bytes(obstore.get(bucket, path).bytes()) for path in self._paths("")}

    def payloads(self):
        """The paths of the payloads."""
        return self._paths("payload/")

    def _paths(self, folder):
        listed = obstore.list(self.bucket(), folder)
        return [one["path"] for page in listed for one in page]


@pytest.fixture(scope="module")
def service(start):
    return start()


@pytest.fixture
def owner(service):
    return service.register()


@pytest.mark.parametrize("content", [b"", b"small", TEXT, LARGE], ids=len)
def test_documents_are_read_as_they_were_uploaded(service, owner, content):
    document = owner.upload(content, "application/x-any")
    path = f"/v1/documents/{document['id']}"

    assert document["sha256"] == hashlib.sha256(content).hexdigest()
    assert owner.get(f"{path}/content").body == content
    assert len(owner.get(f"{path}/download").body) > len(content)
    assert owner.head(f"{path}/content").headers["Content-Length"] == str(len(content))
    for first, last in [(0, 0), (PIECE_BYTES - 2, PIECE_BYTES + 1), (len(content) - 3, None)]:
        if len(content) > PIECE_BYTES:
            asked = {"Range": f"bytes={first}-{'' if last is None else last}"}
            answer = owner.get(f"{path}/content", headers=asked)
            expected = content[first : None if last is None else last + 1]
            assert (answer.status, answer.body) == (206, expected)
    is_object = f"payload/{document['id']}" in service.payloads()
    assert is_object == (len(content) > PIECE_BYTES)


def test_neither_bucket_nor_disk_holds_plaintext(service, owner):
    document = owner.upload(TEXT, "text/plain", name="a name")
    owner.get(f"/v1/documents/{document['id']}/view")
    objects = service.objects()
    assert f"payload/{document['id']}" in objects
    for stored in [*objects.values(), *service.files().values()]:
        assert not holds(stored, MARK * 2)
    assert b"a name" not in b"".join(objects.values())


def test_many_upload_and_read_at_once(owner):
    contents = [os.urandom(PIECE_BYTES * number + 1) for number in range(1, 9)]
    with ThreadPoolExecutor(8) as pool:
        documents = list(pool.map(owner.upload, contents))
        paths = [f"/v1/documents/{one['id']}/content" for one in documents]
        assert [one.body for one in pool.map(owner.get, paths)] == contents


def test_a_deleted_document_takes_its_object_with_it(service, owner):
    document = owner.upload(TEXT)
    path = f"payload/{document['id']}"
    assert path in service.payloads()
    assert owner.delete(f"/v1/documents/{document['id']}").status == 204
    until(lambda: path not in service.payloads())


@pytest.mark.logs_traceback("crypto.sealing.DecryptionError")
def test_an_answer_that_reaches_the_end_of_a_cut_object_is_cut_off(service, owner):
    document = owner.upload(LARGE, "application/x-any")
    path, bucket = f"payload/{document['id']}", service.bucket()
    stored = bytes(obstore.get(bucket, path).bytes())
    obstore.put(bucket, path, stored[: 20 * PIECE_BYTES])
    came = broken_off(owner, f"/v1/documents/{document['id']}/content")
    assert 0 < len(came) < 20 * PIECE_BYTES
    assert LARGE.startswith(came)


def test_while_the_store_is_away_only_large_documents_wait(start, proxy):
    service = start(url=proxy.url)
    owner = service.register()
    large, small = owner.upload(TEXT), owner.upload(b"small")
    path = f"/v1/documents/{large['id']}"
    proxy.is_open = False

    body = {"payload": b64(TEXT), "contentType": "a/b"}
    for answer in (
        owner.post("/v1/documents", json=body, errors=[503]),
        owner.get(f"{path}/content", errors=[503]),
    ):
        refused(answer, 503, "busy")
        assert int(answer.headers["Retry-After"]) > 0
    assert owner.get(f"/v1/documents/{small['id']}/content").body == b"small"
    assert owner.upload(b"small too")
    assert len(owner.get("/v1/documents").json["documents"]) == 3
    assert Person(service).get("/readyz").status == 200
    assert owner.delete(f"/v1/documents/{owner.upload(b'x')['id']}").status == 204
    assert "does not answer" in service.stderr()

    proxy.is_open = True
    assert owner.get(f"{path}/content").body == TEXT
    assert owner.upload(TEXT)


def test_kill_9_loses_nothing_that_was_acknowledged(start):
    service = start()
    owner = service.register()
    document = owner.upload(LARGE)
    path = f"/v1/documents/{owner.upload(TEXT)['id']}"
    with ThreadPoolExecutor(1) as pool:
        sending = pool.submit(owner.upload, LARGE)
        until(lambda: sending.done() or len(service.payloads()) > 2)
        assert owner.delete(path).status == 204
        service.kill()
        kept = {document["id"]}
        if not sending.exception():
            kept.add(sending.result()["id"])
    service.start()
    if "DATABASE" in service.settings:  # no start knows of a server which uploads still run
        service.sql("UPDATE unreferenced_object SET drop_at = 0")  # an hour has passed

    listed = {one["id"] for one in owner.get("/v1/documents").json["documents"]}
    assert kept <= listed
    until(lambda: {one.removeprefix("payload/") for one in service.payloads()} == listed)
    for id in listed:
        assert owner.get(f"/v1/documents/{id}/content").body == LARGE


def test_memory_does_not_grow_with_concurrent_large_uploads(start):
    service = start()
    owner = service.register()
    payload = os.urandom(SIZE)
    body = b'{"contentType":"a/b","payload":"' + b64(payload).encode() + b'"}'

    with ThreadPoolExecutor(AT_ONCE) as pool:
        sent = [
            pool.submit(owner.post, "/v1/documents", data=body, headers=JSON)
            for _ in range(AT_ONCE)
        ]
        paths = [f"/v1/documents/{one.result().json['id']}/content" for one in sent]
        sizes = [len(answer.body) for answer in pool.map(owner.get, paths)]

    assert sizes == [SIZE] * AT_ONCE
    assert peak_kib(service.process) < LIMIT_KIB


def test_payloads_are_moved_while_the_service_runs(start):
    service = start(address="rows")
    owner = service.register()
    documents = [owner.upload(TEXT), owner.upload(b"small"), owner.upload(LARGE)]
    paths = [f"/v1/documents/{one['id']}/content" for one in documents]
    service.stop()
    service.settings["PAYLOADS"] = service.address = "s3://documents/moved"
    service.start()

    for place, objects in (("objects", 2), ("rows", 0)):
        assert "2 payloads were moved." in service.run_command("payloads", "move", "--to", place)
        assert [owner.get(path).body for path in paths] == [TEXT, b"small", LARGE]
        until(lambda expected=objects: len(service.payloads()) == expected)
    assert "0 payloads were moved." in service.run_command("payloads", "move", "--to", "rows")
    assert "WRONG" not in service.run_command("doctor", "--deep")


def test_the_secret_may_lie_in_a_file(start, tmp_path):
    file = tmp_path / "secret"
    file.write_text(f"{SECRET}\n")
    service = start(secret_file=file)
    document = service.register().upload(TEXT)

    assert len(service.payloads()) == 1
    assert service.run_command("doctor", "--deep").count("WRONG") == 0
    file.write_text("an0ther-secret")
    assert service.register().upload(TEXT)["id"] != document["id"]  # the file is read once
    service.stop()
    for content in ("an0ther-secret", "an0ther-secret\n\n", ""):
        file.write_text(content)
        with pytest.raises(StartError) as failed:
            service.start()
        assert failed.value.exit_code == 1
        for absent in ("Traceback", "an0ther-secret", SECRET):
            assert absent not in str(failed.value), content


def test_a_store_that_cannot_be_used_stops_the_start_with_a_sentence(
    start, service, proxy, tmp_path, monkeypatch
):
    proxy.is_open = False
    (tmp_path / "obstore.py").write_text("raise ModuleNotFoundError('obstore')")
    for sentence, settings in (
        ("refuses these credentials", {"secret": "an0ther-secret"}),
        ("There is no bucket", {"address": "s3://no-such-bucket/x"}),
        ("does not answer", {"url": proxy.url}),
        ("rows, or s3://bucket/prefix", {"address": "http://bucket/x"}),
        ("another database", {"address": service.address}),
        ("pip install -e '.[s3]'", {}),
    ):
        if not settings:
            monkeypatch.setenv("PYTHONPATH", str(tmp_path))
            monkeypatch.setattr(ServiceWithObjects, "is_forked", False)  # it reads the path
        with pytest.raises(StartError) as failed:
            start(**settings)
        assert failed.value.exit_code == 1, sentence
        (line,) = [one for one in str(failed.value).splitlines() if "does not start" in one]
        assert sentence in line
        for absent in ("Traceback", "an0ther-secret", SECRET):
            assert absent not in str(failed.value), sentence


# Uploads in pieces, of an object for each 64 pieces

FILM = os.urandom(1 << 20) * 70  # above 64 MiB
STEP = 8 << 20
FILM_SHA256 = hashlib.sha256(FILM).hexdigest()


@pytest.mark.slow
def test_an_upload_goes_on_after_an_outage_of_the_store_with_all_that_was_acknowledged(
    start, proxy
):
    service = start(url=proxy.url)
    owner = service.register()
    upload = Upload.begin(owner, len(FILM), filename="film.mp4")
    assert upload.send(FILM[: 3 * STEP], 0).status == 204
    proxy.is_open = False
    acknowledged = 3 * STEP
    refusals = 0
    while refusals < 2:  # a step that fills no segment needs no store
        answer = upload.send(FILM[acknowledged : acknowledged + STEP], acknowledged, errors=[503])
        if answer.status == 204:
            acknowledged += STEP
            continue
        refusals += 1
        refused(answer, 503, "busy")
        assert int(answer.headers["Retry-After"]) > 0
        assert upload.offset() == acknowledged
    rest = upload.send(FILM[acknowledged:], acknowledged, errors=[503])
    refused(rest, 503, "busy")
    assert upload.offset() == acknowledged

    proxy.is_open = True
    assert upload.send(FILM[acknowledged:], acknowledged).status == 204
    assert upload.get().json["document"]["sha256"] == FILM_SHA256
    assert hashlib.sha256(upload.content()).hexdigest() == FILM_SHA256
    assert sorted(service.payloads()) == [f"payload/{upload.id}/{n}" for n in range(6)]


@pytest.mark.slow
def test_an_outage_within_one_request_ends_it_behind_the_steps_that_were_stored(start, proxy):
    service = start(url=proxy.url)
    owner = service.register()
    upload = Upload.begin(owner, len(FILM))
    proxy.break_after = 30 << 20  # in the third segment
    refused(upload.send(FILM, 0, errors=[503]), 503, "busy")
    arrived = upload.offset()
    assert 2 * STEP <= arrived < len(FILM)
    proxy.break_after, proxy.is_open = None, True
    assert upload.send(FILM[arrived:], arrived).status == 204
    assert hashlib.sha256(upload.content()).hexdigest() == FILM_SHA256


@pytest.mark.slow
def test_a_service_that_is_killed_within_an_upload_in_segments_goes_on(start):
    service = start()
    owner = service.register()
    upload = Upload.begin(owner, len(FILM))
    with ThreadPoolExecutor(1) as pool:
        sending = pool.submit(upload.send, FILM, 0)
        until(lambda: upload.offset() >= 3 * STEP)
        service.kill()
        assert sending.exception()
    service.start()
    arrived = upload.offset()
    assert 3 * STEP <= arrived < len(FILM)
    assert upload.send(FILM[arrived:], arrived).status == 204
    assert until(lambda: upload.get().json["document"])["sha256"] == FILM_SHA256
    assert hashlib.sha256(upload.content()).hexdigest() == FILM_SHA256
    assert owner.delete(f"/v1/documents/{upload.get().json['documentId']}").status == 204
    until(lambda: service.payloads() == [])


@pytest.mark.slow
def test_what_has_arrived_is_deleted_from_store_and_rows_when_an_upload_is_ended(start):
    service = start()
    owner = service.register()
    upload = Upload.begin(owner, len(FILM), FILM[: 4 * STEP])
    assert service.payloads()
    assert not any(holds(one, FILM[:64]) for one in service.objects().values())
    assert upload.end().status == 204
    assert service.sql("SELECT 1 FROM piece WHERE document_id = :id", id=upload.id) == []
    until(lambda: service.payloads() == [])
