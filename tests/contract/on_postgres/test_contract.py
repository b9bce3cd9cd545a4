"""Tests of the contract once more, on PostgreSQL: those that touch locks, order and time."""

from tests.contract.test_api_keys import (  # noqa: F401
    test_a_key_has_the_time_of_its_last_use,
    test_a_revoked_key_is_refused_at_once_and_stays_listed,
    test_the_old_key_is_refused_at_once_without_an_overlap,
)
from tests.contract.test_documents import (  # noqa: F401
    librarian,
    shelf,
    test_a_new_name_is_found_and_the_former_one_is_not,
    test_a_part_of_the_name_is_found_in_any_case_newest_first,
    test_a_refused_patch_changes_nothing,
    test_case_and_accents_are_those_of_unicode_and_nothing_is_a_wildcard,
    test_delete_removes_the_document_and_its_tokens_at_once,
    test_filters_and_pages_combine,
    test_the_list_is_filtered_by_content_type,
    test_the_list_is_filtered_by_time,
    test_the_pages_of_a_search_together_have_each_document_once,
)
from tests.contract.test_events import (  # noqa: F401
    machine,
    test_a_crash_loses_no_view_of_a_limited_link_and_only_the_count_of_a_minute,
    test_a_crash_loses_no_view_of_a_plain_link_that_was_recorded,
    test_head_304_and_ranges_are_no_event_but_the_original_of_an_opened_page_is,
    test_no_event_carries_a_name_a_payload_or_a_secret,
    test_revoking_a_token_twice_is_one_event,
    test_the_events_of_a_document_are_in_order,
    test_the_feed_continues_after_any_id,
    test_the_feed_filters_by_type_and_refuses_an_unknown_type,
    test_views_are_written_and_counted_before_the_service_stops,
    test_views_are_written_within_moments_and_survive_sigkill,
)
from tests.contract.test_idempotency import (  # noqa: F401
    creating,
    test_a_key_of_another_user_replays_nothing,
    test_a_registration_can_be_repeated_with_its_key,
    test_a_stored_answer_keeps_no_secret_in_clear,
    test_concurrent_requests_with_one_key_create_one_document,
    test_the_answer_about_a_deleted_document_is_not_given_again,
    test_the_same_key_and_body_get_the_first_answer_again,
    test_the_same_key_creates_once,
    test_the_same_key_with_another_body_is_a_mismatch,
)
from tests.contract.test_limited_tokens import (  # noqa: F401
    test_a_link_that_ends_ends_its_transfers,
    test_a_tag_of_a_link_that_leads_elsewhere_goes_on_with_nothing,
    test_a_transfer_of_the_last_view_goes_on_as_often_as_it_breaks_off,
    test_eight_requests_at_once_go_on_with_one_view,
    test_fifty_clients_that_know_the_document_get_it_once_together,
    test_without_the_tag_of_the_view_a_range_is_a_new_view,
)
from tests.contract.test_lists import (  # noqa: F401
    lister,
    test_a_cursor_of_another_user_shows_none_of_their_records,
    test_a_list_is_sorted_newest_first,
    test_pages_are_stable_while_records_are_created_and_deleted,
    test_the_pages_together_have_every_record_once,
)
from tests.contract.test_tokens import (  # noqa: F401
    owner,
    shared,
    test_a_link_that_ends_twice_has_two_events_of_its_end,
    test_a_revoked_token_is_refused_at_once_and_others_still_work,
    test_a_state_selects_the_links_that_still_open_or_no_longer,
    test_a_token_has_its_last_use_and_the_number_of_views,
    test_a_token_outlives_the_key_that_created_it,
    test_concurrent_changes_and_views_lose_no_view,
    test_more_views_open_a_spent_link_again,
    test_null_clears_label_expiry_view_limit_and_password,
    test_the_links_of_all_documents_are_listed_newest_first_with_their_document,
    test_tokens_of_a_deleted_document_are_refused,
)
from tests.contract.test_webhook_deliveries import (  # noqa: F401
    test_a_delivery_is_signed_as_standard_webhooks_prescribes,
    test_a_redelivery_sends_the_same_event_again,
    test_address_description_and_secret_are_sealed_at_rest,
    test_after_a_rotation_both_secrets_verify,
    test_the_feed_and_the_deliveries_have_the_same_events_in_order,
)
from tests.contract.test_webhook_records import (  # noqa: F401
    test_a_user_has_at_most_twenty_webhooks,
    test_webhooks_are_listed_newest_first_page_by_page,
)


def test_people_here_talk_to_a_service_on_postgresql(alice, start_service):
    assert alice.service.settings["DATABASE"].startswith("postgresql://")
    assert start_service().settings["DATABASE"].startswith("postgresql://")
