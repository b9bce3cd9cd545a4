"""Webhook signatures as Standard Webhooks 1.0 defines them."""

import base64

import pytest

from crypto import signing

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
ID, TIME = "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330
BODY = b'{"test": 2432232314}'


def test_the_signature_equals_the_example_of_the_specification():
    expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

    assert signing.signature([SECRET], ID, TIME, BODY) == expected


def test_a_secret_is_32_random_bytes_behind_a_prefix():
    one, other = signing.generate_secret(), signing.generate_secret()

    assert len(base64.b64decode(one.removeprefix("whsec_"), validate=True)) == 32
    assert one != other


@pytest.mark.parametrize("changed", [(ID + "x", TIME, BODY), (ID, 1, BODY), (ID, TIME, b"{}")])
def test_the_signature_covers_id_timestamp_and_body(changed):
    assert signing.signature([SECRET], *changed) != signing.signature([SECRET], ID, TIME, BODY)


def test_two_secrets_make_two_signatures():
    other = signing.generate_secret()
    both = signing.signature([SECRET, other], ID, TIME, BODY)

    assert both.split() == [signing.signature([one], ID, TIME, BODY) for one in (SECRET, other)]
