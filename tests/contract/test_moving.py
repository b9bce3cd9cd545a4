"""Accounts move between running instances by commands, and each document is compared."""

import os
import random
import subprocess
import sys

import pytest

from tests.people import PASSWORD
from tests.service import ROOT
from tests.waiting import until

pytestmark = pytest.mark.slow
PASSPHRASE = "four words that nobody guesses"
SMALL = 100
LARGE_BYTES = 8_000_000


def filled(service):
    """A person with a hundred small documents, a large one, a collection and links."""
    chance = random.Random(7)
    person = service.register("ana@example.org")
    machine = person.create_api_key()
    kept = {}
    for number in range(SMALL):
        content = chance.randbytes(chance.choice([0, 10, 3_000, 192 << 10]))
        document = machine.upload(content, "application/x-any", name=f"{number}.bin", token=None)
        kept[document["id"]] = content
    large = chance.randbytes(LARGE_BYTES)
    document = machine.upload(large, "application/x-large", name="large.bin", token=None)
    kept[document["id"]] = large
    person.share(document, label="for Bob", maxViews=3)
    members = list(kept)[:3]
    body = {"title": "Minutes", "documentIds": members}
    collection = person.post("/v1/collections", json=body).json
    return person, kept, collection, members


def shared_space(service, person):
    """The ids of a space that the person manages with another one, and of a document in it."""
    other = service.register("bob@example.org")
    space = person.post("/v1/spaces", json={"name": "Accounting"}).json
    fields = {"email": "bob@example.org", "role": "write"}
    assert person.post(f"/v1/spaces/{space['id']}/members", json=fields).status == 201
    document = acting(other, space["id"]).upload(b"a bill", name="bill.txt", token=None)
    return space["id"], document["id"]


def acting(person, space_id):
    """The person who acts as a space."""
    answer = person.post(f"/v1/spaces/{space_id}/sessions")
    assert answer.status == 201, answer
    return person.with_token(answer.json["accessToken"])


def move(service, other, folder):
    """Export all of one instance and import it into another; both are running."""
    printed = service.run_command("export", folder, input=f"{PASSPHRASE}\n")
    assert f"{folder} is complete" in printed
    assert f"{SMALL + 1}" in printed
    return other.run_command("import", folder, input=f"{PASSPHRASE}\n")


def compare(other, kept, collection, members):
    """Log in to the instance after the import, and compare everything by HTTP."""
    other.run_command("users", "password", "ana@example.org", input=f"{PASSWORD}\n")
    person = other.log_in("ana@example.org")
    for id, content in kept.items():
        assert person.get(f"/v1/documents/{id}/content").body == content
    there = person.get(f"/v1/collections/{collection['id']}").json
    assert there["title"] == "Minutes"
    assert [one["id"] for one in there["documents"]] == members
    return person


@pytest.mark.parametrize("direction", ["sqlite to postgres", "postgres to sqlite"])
@pytest.mark.sqlite_only("it names its engines")
def test_an_account_moves_to_a_running_instance_of_the_other_engine(
    start_service, postgres_server, tmp_path, direction
):
    on_server = start_service(RATE_LIMITS="off", DATABASE=postgres_server.new_database())
    in_file = start_service(RATE_LIMITS="off")
    service, other = in_file, on_server
    if direction.startswith("postgres"):
        service, other = on_server, in_file
    person, kept, collection, members = filled(service)
    space_id, document_id = shared_space(service, person)
    of_space = [event["hash"] for event in acting(person, space_id).events()]
    link = person.share({"id": members[0]}, label="an old one")
    events = [(event["sequence"], event["hash"]) for event in person.events()]
    (receipts := tmp_path / "receipts").write_text(
        "\n".join(f"{person.record['id']} {number} {hash}" for number, hash in events)
    )

    printed = move(service, other, tmp_path / "moved")

    assert "ana@example.org is imported and compared with the export." in printed
    assert f"space {space_id} is imported and compared with the export." in printed
    again = compare(other, kept, collection, members)
    as_space = acting(again, space_id)
    assert as_space.get(f"/v1/documents/{document_id}/content").body == b"a bill"
    assert [event["hash"] for event in as_space.events()][: len(of_space)] == of_space
    roles = [one["role"] for one in again.get(f"/v1/spaces/{space_id}/members").json["members"]]
    assert sorted(roles) == ["manage", "write"]
    assert again.record["id"] == person.record["id"]
    old_link = link["viewUrl"].replace(service.url, other.url)
    assert again.open(old_link).status == 410
    verified = other.run_command("audit", "verify", "--against", receipts)
    assert "unbroken" in verified
    assert f"{len(events)} receipts hold" in verified
    assert "WRONG" not in other.run_command("doctor", "--deep")
    repeated = other.run_command("import", tmp_path / "moved", input=f"{PASSPHRASE}\n")
    assert "ana@example.org is here already; nothing was changed." in repeated


def started(service, *words):
    """A command of the service in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "flask", "--app", "app", *map(str, words)],
        cwd=ROOT,
        env=service.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    process.stdin.write(f"{PASSPHRASE}\n")
    process.stdin.close()
    return process


def test_commands_that_were_killed_in_the_middle_go_on(start_service, tmp_path):
    service, other = (start_service(RATE_LIMITS="off") for _ in range(2))
    _person, kept, collection, members = filled(service)
    folder = tmp_path / "moved"
    originals = folder / "documents"

    exporting = started(service, "export", folder)
    until(lambda: originals.exists() and len(os.listdir(originals)) > SMALL // 3)
    exporting.kill()
    exporting.wait()
    assert not (folder / "contents").exists()
    refused = other.run_command("import", folder, input=f"{PASSPHRASE}\n", code=1)
    assert "is not complete" in refused
    service.run_command("export", folder, input=f"{PASSPHRASE}\n")

    importing = started(other, "import", folder)
    until(lambda: other.sql("SELECT count(*) FROM document")[0][0] > SMALL // 20)
    importing.kill()
    importing.wait()
    assert other.sql("SELECT count(*) FROM document")[0][0] <= SMALL
    assert "import " in other.run_command("users", "list")
    other.restart()
    printed = other.run_command("import", folder, input=f"{PASSPHRASE}\n")

    assert "ana@example.org is imported" in printed
    compare(other, kept, collection, members)
    assert "WRONG" not in other.run_command("doctor", "--deep")


def test_a_wrong_passphrase_is_one_sentence(start_service, tmp_path):
    service = start_service(RATE_LIMITS="off")
    service.register()
    service.run_command("export", tmp_path / "moved", input=f"{PASSPHRASE}\n")
    said = service.run_command("import", tmp_path / "moved", input="something else\n", code=1)
    assert said.startswith("Error: The passphrase does not open")
    assert said.count("\n") == 1
