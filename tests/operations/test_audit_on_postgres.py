"""Tests of `test_audit.py` once more, on PostgreSQL."""

import pytest

from tests.operations.test_audit import (  # noqa: F401
    older,
    test_a_head_that_was_altered_is_not_signed_again_by_later_events,
    test_a_head_that_was_deleted_is_not_made_anew_with_a_mac,
    test_an_event_with_a_pending_delivery_keeps_those_after_it,
    test_doctor_finds_an_altered_head_and_a_cut_and_with_deep_every_break,
    test_forgetting_moves_the_oldest_and_is_told_in_the_chain_of_the_service,
    test_random_tamperings_are_all_found_with_owner_and_number,
    test_rotating_and_retiring_is_told_and_breaks_nothing,
    test_the_separate_verifier_agrees_with_an_export,
    test_what_was_altered_is_not_forgotten,
)


@pytest.fixture
def runtime(configure_on_server):
    return configure_on_server()
