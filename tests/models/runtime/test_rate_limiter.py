"""Wrong tries are slowed, never locked out, and cost bounded memory."""

import contextlib

import pytest

from models.core import By, Limit, TooManyRequests
from models.runtime import network_of
from models.runtime.rate_limiter import PasswordFailureLimiter, RateLimiter
from tests.waiting import run_in_threads


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def limit(count, seconds):
    return Limit("tries", "tries", count, seconds, By.LINK)


def test_a_burst_is_allowed_then_time_gives_tries_back_one_by_one():
    clock = Clock()
    throttle = RateLimiter(limit(5, 60), clock=clock)
    for _ in range(5):
        assert throttle.allowance("a").wait_seconds == 0
        throttle.hit("a")

    assert throttle.allowance("a").wait_seconds == pytest.approx(12)
    assert throttle.allowance("b").wait_seconds == 0
    clock.now += 12.1
    assert throttle.allowance("a").wait_seconds == 0


def test_trying_on_while_refused_does_not_make_the_wait_longer():
    clock = Clock()
    throttle = RateLimiter(limit(1, 10), clock=clock)
    for _ in range(1000):
        if not throttle.allowance("a").wait_seconds:
            throttle.hit("a")
    clock.now += 10.01
    assert throttle.allowance("a").wait_seconds == 0


def test_tries_that_were_judged_at_once_are_all_owed():
    clock = Clock()
    throttle = RateLimiter(limit(1, 10), clock=clock)
    for _ in "1234":  # each had been allowed before the first of them was wrong
        throttle.hit("a")
    assert throttle.allowance("a").left == 0
    assert throttle.allowance("a").wait_seconds == pytest.approx(40)
    clock.now += 40
    assert throttle.allowance("a").wait_seconds == 0


def test_memory_is_bounded_whoever_sends_what():
    throttle = RateLimiter(limit(5, 60), keys=100)
    for number in range(5000):
        throttle.hit(str(number) * 1000)
    assert len(throttle._due) == 100
    assert all(isinstance(key, int) for key in throttle._due)  # however long the name


def test_a_strangers_guesses_do_not_hold_up_the_owner_at_another_address():
    wrong = PasswordFailureLimiter()
    for _ in range(10):
        wrong.record_failure("alice@example.com", "192.0.2.1")

    with pytest.raises(TooManyRequests):  # one that was judged beside the others
        wrong.record_failure("alice@example.com", "192.0.2.1")
    with pytest.raises(TooManyRequests) as refused:
        wrong.refuse_if_many("alice@example.com", "192.0.2.1")
    assert refused.value.retry_after_seconds > 0
    wrong.refuse_if_many("alice@example.com", "192.0.2.2")


def test_one_address_may_not_try_many_accounts():
    wrong = PasswordFailureLimiter()
    for number in range(60):
        wrong.record_failure(f"{number}@example.com", "2001:db8::1")
    with pytest.raises(TooManyRequests):
        wrong.refuse_if_many("new@example.com", "2001:db8::2")


def test_what_is_left_is_counted_down_and_a_refusal_costs_nothing():
    clock = Clock()
    throttle = RateLimiter(limit(3, 30), clock=clock)

    assert [throttle.spend("a").left for _ in range(3)] == [2, 1, 0]
    for _ in range(5):
        with pytest.raises(TooManyRequests, match=r"Too many tries\. Wait 10 s, then try again\."):
            throttle.spend("a")
    clock.now += 10
    assert throttle.spend("a").left == 0
    clock.now += 1000
    assert throttle.spend("a").left == 2


def test_threads_that_spend_at_once_get_no_more_than_there_is():
    throttle, spent = RateLimiter(limit(100, 3600)), []

    def spend():
        with contextlib.suppress(TooManyRequests):
            while True:
                spent.append(throttle.spend("a"))

    run_in_threads(*[spend] * 8)

    assert len(spent) == 100


@pytest.mark.parametrize(
    ("address", "network"),
    [("192.0.2.7", "192.0.2.7/32"), ("2001:db8::1", "2001:db8::/64"), ("", "")],
)
def test_a_subscriber_is_one_ipv4_address_or_one_ipv6_network(address, network):
    assert network_of(address) == network
