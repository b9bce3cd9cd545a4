"""What has no end has not ended, however slowly the machine looks at it."""

import time
from itertools import count

import pytest

from models import ApiKey, DocumentToken
from models.core import TokenSpent, now
from models.links import LinkOptions, LinkState, count_view
from tests.uploads import upload


@pytest.fixture
def slow_machine(monkeypatch):
    """Ten milliseconds pass between two looks at the clock."""
    moments = count(time.time_ns(), 10_000_000)
    monkeypatch.setattr(time, "time_ns", lambda: next(moments))


def test_a_key_without_an_end_can_be_rotated(alice, slow_machine):
    key = ApiKey.issue(alice, None, "documents:read", None).row
    assert key.rotate(alice, 0).expires_at is None


def test_a_link_without_an_end_has_not_ended(alice, slow_machine):
    token = DocumentToken.issue(upload(alice), LinkOptions(None, "view", "", None)).row
    assert token.state is LinkState.LIVE


def test_who_comes_a_moment_too_late_for_the_last_view_is_told_that_it_is_used_up(alice):
    token = DocumentToken.issue(upload(alice), LinkOptions(None, "view", "", None, 1)).row
    count_view(token.target, token.id, "document.viewed")
    with pytest.raises(TokenSpent) as refused:
        count_view(token.target, token.id, "document.viewed")
    assert refused.value.cause == "used_up"


def test_who_comes_a_moment_too_late_is_told_why_on_a_page_that_the_sites_may_frame(alice, clock):
    expires_at = now() + 60_000
    options = LinkOptions(allowed_origins="https://a.example", expires_at=expires_at)
    token = DocumentToken.issue(upload(alice), options).row
    clock(61_000)
    with pytest.raises(TokenSpent) as refused:
        count_view(token.target, token.id, "document.viewed")
    assert (refused.value.cause, refused.value.ended_at) == ("expired", expires_at)
    assert refused.value.origins == ("https://a.example",)
    assert refused.value.owner_id == alice.id
