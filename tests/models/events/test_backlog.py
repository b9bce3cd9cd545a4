"""The operator's numbers of webhooks: receivers that are gone, and accounts that are disabled, are
no fault of the service.
"""

import pytest

from models import Webhook, connected, transaction
from models.events import Event
from models.storage import database


@pytest.fixture
def hooks(alice, bob):
    """A webhook of Alice whose receiver is gone, and one of Bob that was never tried."""
    found = []
    for owner in (alice, bob):
        found.append(Webhook.register(owner.id, "https://hook.example/", ("webhook.test",)).row)
        for _ in range(3):
            with transaction(owner.id):
                Event.record(owner.id, "webhook.test", {}, to=found[-1].id)
    failed = """
        UPDATE delivery SET attempts = 1
        WHERE id IN (SELECT min(id) FROM delivery WHERE webhook_id = :id)"""
    with connected():
        database.execute_sql(failed, {"id": found[0].id})
    return found


def backlog():
    with connected():
        return Webhook.backlog()


def test_deliveries_to_a_receiver_that_fails_are_not_due_for_the_operator(hooks):
    assert backlog() == (1, 3)


def test_webhooks_of_disabled_accounts_do_not_count(hooks, alice, bob):
    alice.disable()
    assert backlog() == (0, 3)
    bob.disable()
    assert backlog() == (0, 0)
