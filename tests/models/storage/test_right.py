"""The right of a request: the first transaction that changes something judges it, and no other."""

from contextlib import suppress

import pytest

from models import User, in_one_transaction, transaction
from models.storage import Prepared, Right, RightLost, current_right, separate_transaction


class Asked:
    """A right that counts how often it was judged, and is held until it `is_lost`."""

    def __init__(self):
        self.times, self.is_lost, self.needed = 0, False, frozenset()

    def __call__(self, _row, needed):
        self.times += 1
        self.needed = needed
        return not self.is_lost


@pytest.fixture
def asked(alice):
    """What judges the right of the present request; without a request there is none."""
    asked = Asked()
    before = current_right.set(Right(Prepared(User.select), {}, asked, ("documents:write",)))
    yield asked
    current_right.reset(before)


def test_the_first_transaction_judges_the_right_and_later_ones_are_finished(alice, asked):
    with transaction(alice.id):
        assert asked.times == 1
        with transaction(alice.id):
            asked.is_lost = True
    with transaction(alice.id):
        alice.change(email="other@example.com")
    assert asked.times == 1


def test_what_changes_without_the_right_is_undone(alice, asked):
    asked.is_lost = True
    with pytest.raises(RightLost), transaction(alice.id):
        pytest.fail("it went on without the right")
    with pytest.raises(RightLost), transaction(), transaction(alice.id):
        pytest.fail("it went on without the right")
    with pytest.raises(RightLost), in_one_transaction(), transaction(alice.id):
        pytest.fail("it went on without the right")


def test_a_right_is_judged_again_if_the_transaction_that_judged_it_is_undone(alice, asked):
    with suppress(ZeroDivisionError), transaction(alice.id):
        raise ZeroDivisionError
    asked.is_lost = True
    with pytest.raises(RightLost), transaction(alice.id):
        pass


def test_a_transaction_judges_the_right_when_it_takes_its_lock(alice, asked):
    with transaction(None):
        assert asked.times == 0
        with transaction(alice.id):
            assert asked.times == 1


def test_a_transaction_without_a_lock_judges_the_right_before_it_is_committed(alice, asked):
    asked.is_lost = True
    with pytest.raises(RightLost), transaction(None):
        assert asked.times == 0


def test_what_the_service_does_by_itself_judges_no_right(alice, asked):
    asked.is_lost = True
    with separate_transaction(alice.id), transaction(alice.id):
        alice.change(email="other@example.com")
    with separate_transaction(None), transaction(alice.id):
        pass
    assert asked.times == 0


def test_a_permission_that_is_needed_later_is_judged_as_well(alice, asked):
    current_right.get().need("documents:delete")
    with transaction(alice.id):
        pass
    assert asked.needed == {"documents:write", "documents:delete"}
