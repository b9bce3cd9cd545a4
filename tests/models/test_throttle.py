"""Wrong tries are slowed, never locked out, and cost bounded memory."""

import pytest

from models.errors import TooManyRequests
from models.throttle import Throttle, WrongPasswords


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def test_a_burst_is_allowed_then_time_gives_tries_back_one_by_one():
    clock = Clock()
    throttle = Throttle(5, 60, clock=clock)
    for _ in range(5):
        assert throttle.wait_seconds("a") == 0
        throttle.hit("a")

    assert throttle.wait_seconds("a") == pytest.approx(12)
    assert throttle.wait_seconds("b") == 0
    clock.now += 12.1
    assert throttle.wait_seconds("a") == 0


def test_trying_on_while_refused_does_not_make_the_wait_longer():
    clock = Clock()
    throttle = Throttle(1, 10, clock=clock)
    for _ in range(1000):
        throttle.hit("a")
    clock.now += 10.01

    assert throttle.wait_seconds("a") == 0


def test_memory_is_bounded_whoever_sends_what():
    throttle = Throttle(5, 60, keys=100)
    for number in range(5000):
        throttle.hit(str(number))

    assert len(throttle._due) == 100


def test_a_strangers_guesses_do_not_hold_up_the_owner_at_another_address():
    wrong = WrongPasswords()
    for _ in range(20):
        wrong.note("alice@example.com", "192.0.2.1")

    with pytest.raises(TooManyRequests) as refused:
        wrong.refuse_if_many("alice@example.com", "192.0.2.1")
    assert refused.value.retry_after_seconds > 0
    wrong.refuse_if_many("alice@example.com", "192.0.2.2")


def test_one_address_may_not_try_many_accounts():
    wrong = WrongPasswords()
    for number in range(60):
        wrong.note(f"{number}@example.com", "2001:db8::1")

    with pytest.raises(TooManyRequests):
        wrong.refuse_if_many("new@example.com", "2001:db8::2")


def test_limits_can_be_switched_off():
    wrong = WrongPasswords(on=False)
    for _ in range(100):
        wrong.note("alice@example.com", "192.0.2.1")

    wrong.refuse_if_many("alice@example.com", "192.0.2.1")
