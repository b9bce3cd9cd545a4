"""Create webhooks, and read what was delivered to them."""

import base64
import hashlib
import hmac

from tests.waiting import until

URL = "https://hook.example/in"


def create_webhook(person, url=URL, **fields):
    answer = person.post("/v1/webhooks", json={"url": url, **fields})
    assert answer.status == 201, answer
    return answer.json


def deliveries(person, webhook):
    """Return the deliveries of a webhook, newest first."""
    return person.get(f"/v1/webhooks/{webhook['id']}/deliveries?limit=100").json["deliveries"]


def attempted_deliveries(person, webhook):
    """Return the deliveries, newest first, once each was attempted."""
    until(lambda: all(one["attempts"] for one in deliveries(person, webhook)))
    return deliveries(person, webhook)


def signature(secret, request):
    """Return the signature of a request (Standard Webhooks 1.0)."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    timestamp = request.headers["webhook-timestamp"]
    signed = f"{request.headers['webhook-id']}.{timestamp}.".encode() + request.body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
