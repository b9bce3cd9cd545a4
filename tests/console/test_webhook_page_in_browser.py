"""The page of a webhook in a browser: it refreshes itself while a delivery is under way."""

import re

from tests.accessible import assert_accessible
from tests.console.test_webhooks import new_webhook, path_of
from tests.console.visitor import Visitor
from tests.receiver import Receiver


def test_a_delivery_fails_and_succeeds_before_the_eyes_of_somebody(start_service, open_browser):
    service = start_service(WEBHOOK_ALLOW="127.0.0.0/8")
    owner = Visitor(service).sign_up("owner@example.org")
    with Receiver() as receiver:
        receiver.answers.append((500, "not now"))
        new_webhook(owner, url=receiver.url())
        page = open_browser()
        owner.enter(page, path_of(owner))
        page.get_by_role("button", name="Send a test").click()
        page.get_by_role("list", name="Deliveries").wait_for()
        loaded = page.evaluate("performance.timeOrigin")

        delivery = page.get_by_role("list", name="Deliveries").get_by_role("listitem")
        failed = delivery.get_by_text("Failed: HTTP 500 after")
        failed.wait_for()
        assert re.search(r"again (now|in 1 min)", delivery.inner_text())
        assert re.search(r"Webhook test\s+just now", delivery.inner_text())
        delivery.get_by_text("Delivered").wait_for()  # by the second attempt, five seconds later

        assert "2 tries" in delivery.inner_text()
        assert len(receiver.requests) == 2
        assert page.evaluate("performance.timeOrigin") == loaded  # nobody has loaded it again
        page.wait_for_function("!document.querySelector('[data-refresh]')")


def test_a_failed_delivery_is_a_row_that_opens_to_its_answer_and_body(start_service, open_browser):
    owner = Visitor(start_service(WEBHOOK_ALLOW="127.0.0.0/8")).sign_up("owner@example.org")
    with Receiver() as receiver:
        receiver.answers.append((500, "queue is full"))
        new_webhook(owner, url=receiver.url())
        page = open_browser(390)
        owner.enter(page, path_of(owner))
        page.get_by_role("button", name="Send a test").click()
        deliveries = page.get_by_role("list", name="Deliveries")
        deliveries.get_by_text("Failed: HTTP 500").wait_for()
        assert not page.get_by_text("queue is full").is_visible()
        deliveries.get_by_text("Webhook test").click()
        assert page.get_by_text("queue is full").is_visible()
        assert page.get_by_text('"type": "webhook.test"').is_visible()
        page.get_by_role("button", name="Send again").click()
        page.get_by_text("It was sent again.").wait_for()
        assert_accessible(page)
