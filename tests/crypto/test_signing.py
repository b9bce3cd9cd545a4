"""Signatures of webhooks, by the published rule."""

import base64

import pytest

from crypto import signing

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
ID, MOMENT = "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330
BODY = b'{"test": 2432232314}'


def test_the_signature_is_the_one_of_the_specification():
    expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

    assert signing.signature([SECRET], ID, MOMENT, BODY) == expected


def test_a_secret_is_32_random_bytes_behind_a_prefix():
    one, other = signing.generate_secret(), signing.generate_secret()

    assert len(base64.b64decode(one.removeprefix("whsec_"), validate=True)) == 32
    assert one != other


@pytest.mark.parametrize("changed", [(ID + "x", MOMENT, BODY), (ID, 1, BODY), (ID, MOMENT, b"{}")])
def test_id_time_and_body_are_all_signed(changed):
    assert signing.signature([SECRET], *changed) != signing.signature([SECRET], ID, MOMENT, BODY)


def test_two_secrets_make_two_signatures():
    other = signing.generate_secret()
    both = signing.signature([SECRET, other], ID, MOMENT, BODY)

    assert both.split() == [signing.signature([one], ID, MOMENT, BODY) for one in (SECRET, other)]
