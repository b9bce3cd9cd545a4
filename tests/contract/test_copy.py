"""A whole instance moves from SQLite to PostgreSQL, and everybody goes on as before."""

import pytest

from tests.contract.webhooks import create_webhook
from tests.service import StartError

pytestmark = pytest.mark.sqlite_only("it begins with an SQLite file")
CONTENT = b"0123456789" * 60_000


def test_everything_goes_on_after_the_move(start_service, receiver, postgres_server, tmp_path):
    service = start_service(RATE_LIMITS="off", WEBHOOK_ALLOW="127.0.0.0/8")
    person, address = service.register(), postgres_server.new_database()
    key, document = person.create_api_key(), person.upload(CONTENT)
    link = person.share(document, maxViews=2)
    create_webhook(person, receiver.url(), events=["document.created", "document.deleted"])
    person.upload()
    receiver.wait_for(1)
    (receipts := tmp_path / "receipts").write_text(service.run_command("audit", "checkpoint"))
    events = list(person.events())
    service.stop()

    printed = service.run_command("copy", "--to", address)

    assert "All of it decrypts" in printed
    assert "set DOCSERVICE_DATABASE=postgresql://…@/" in printed
    with pytest.raises(StartError, match=r"was copied to postgresql://.* delete .*\.copied"):
        service.start()
    service.settings["DATABASE"] = address
    assert " unbroken" in service.run_command("audit", "verify", "--against", receipts)
    assert "WRONG" not in service.run_command("doctor", "--deep")
    service.start()
    for caller in (person, key, service.log_in(person.record["email"], person.password)):
        assert caller.get(f"/v1/documents/{document['id']}/content").body == CONTENT
    assert person.open(link["viewUrl"]).status == 200
    person.delete(f"/v1/documents/{document['id']}")
    receiver.wait_for(2)
    after = list(person.events())
    assert after[: len(events)] == events
    assert [event["sequence"] for event in after] == [*range(1, len(after) + 1)]
