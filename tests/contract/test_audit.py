"""The log over HTTP and through the commands: receipts hold over kills, rotations and restores."""

import json

import pytest

from tests.waiting import join_threads, start_threads


def receipt(person, event):
    return f"{person.record['id']} {event['sequence']} {event['hash']}\n"


def test_events_are_numbered_without_gaps_for_each_owner(new_user, bob):
    for _ in range(3):
        new_user.upload()
        bob.upload()
    events = list(new_user.events())
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
    assert len({event["hash"] for event in events}) == len(events)
    filtered = list(new_user.events("&type=token.created"))
    assert filtered == [event for event in events if event["type"] == "token.created"]


@pytest.mark.sqlite_only("a backup is made with the server's tools")
def test_receipts_from_the_feed_hold_over_kills_rotation_sweeping_and_restoring(
    start_service, tmp_path
):
    service = start_service(RATE_LIMITS="off")
    person = service.register()
    receipts = tmp_path / "receipts.txt"

    def write():
        try:
            while True:
                person.upload(token={"maxViews": 1})
        except OSError:
            return

    for _ in range(3):
        writers = start_threads(write, write)
        person.upload(b"1" * 100_000)
        service.kill()
        join_threads(writers)
        service.start()
        events = list(person.events())
        assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
        receipts.write_text("".join(receipt(person, event) for event in events))
        assert " unbroken" in service.run_command("audit", "verify", "--against", receipts)
    service.run_command("keys", "rotate")
    roots = service.run_command("keys", "list").splitlines()
    service.run_command("keys", "retire", roots[-1].split()[0])
    service.run_command("sweep")
    assert " unbroken" in service.run_command("audit", "verify", "--against", receipts)

    printed = service.run_command("backup", tmp_path / "copy")
    person.upload()
    ((before, hash_before),) = [
        line.split()[1:]
        for line in service.run_command("audit", "checkpoint").splitlines()
        if line.startswith("service ")
    ]
    service.stop()
    service.run_command("restore", tmp_path / "copy", "--force")
    receipts.write_text(receipts.read_text() + printed)
    assert " unbroken" in service.run_command("audit", "verify", "--against", receipts)
    restored = json.loads(service.run_command("audit", "export", "service").splitlines()[-1])
    body = json.loads(restored["body"])
    assert body["type"] == "service.restored"
    assert (body["data"]["replacedSequence"], body["data"]["replacedHash"]) == (
        int(before),
        hash_before,
    )
    assert f"service {body['data']['restoredSequence']} {body['data']['restoredHash']}" in printed
    service.start()
    assert [event["sequence"] for event in person.events()][: len(events)] == [
        event["sequence"] for event in events
    ]
