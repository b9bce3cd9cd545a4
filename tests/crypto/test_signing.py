"""Webhook signatures as Standard Webhooks 1.0 defines them."""

import base64

from crypto import signing

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
ID, TIME = "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330
BODY = b'{"test": 2432232314}'
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_the_signature_equals_the_example_of_the_specification_and_covers_every_part():
    assert signing.signature([SECRET], ID, TIME, BODY) == SIGNATURE
    for changed in ((ID + "x", TIME, BODY), (ID, 1, BODY), (ID, TIME, b"{}")):
        assert signing.signature([SECRET], *changed) != SIGNATURE


def test_two_secrets_of_32_random_bytes_make_two_signatures():
    one, other = signing.generate_secret(), signing.generate_secret()

    assert one != other
    assert len(base64.b64decode(one.removeprefix("whsec_"), validate=True)) == 32
    both = signing.signature([SECRET, other], ID, TIME, BODY).split()
    assert both == [SIGNATURE, signing.signature([other], ID, TIME, BODY)]
