"""Processes of one PostgreSQL database, killed while many clients work."""

from crypto import Keyring
from tests.chaos import Chaos
from tests.receiver import Receiver
from tests.waiting import run_in_threads

NODES, SECONDS, SEED = 4, 5, 17


def test_whatever_process_is_killed_nothing_is_lost_missed_or_done_twice(
    start_service, postgres_server, tmp_path
):
    Keyring.create(tmp_path / "keyring")
    common = {"DATABASE": postgres_server.new_database(), "KEYRING_FILE": tmp_path / "keyring"}
    common |= {"QUOTA_DOCUMENTS": 12, "RATE_LIMITS": "off", "WEBHOOK_ALLOW": "127.0.0.0/8"}
    nodes = []
    run_in_threads(*[lambda: nodes.append(start_service(**common))] * NODES)
    assert len(nodes) == NODES, "all of them start at once on an empty database"

    with Receiver(answer_seconds=0.02) as receiver:
        result = Chaos(nodes, receiver, SEED).run(SECONDS)

    assert result["faults"] == {}
    assert min(result["kills"], result["documents acknowledged"], result["deliveries"]) > 0
    assert "OK     totals" in nodes[0].run_command("doctor")
