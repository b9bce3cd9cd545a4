"""How long an opened page may load its original."""

import pytest

from crypto import TokenClaims
from models import current_runtime
from models.token_grant import TokenGrant


@pytest.mark.parametrize(("has_view_limit", "most_seconds"), [(False, 3600), (True, 600)])
def test_a_ticket_of_a_link_with_a_view_limit_is_valid_for_minutes(
    has_view_limit, most_seconds, instance, monkeypatch
):
    issued = []
    monkeypatch.setattr(current_runtime(), "tickets", Recorder(issued))

    TokenGrant("tok_a", "doc_a", frozenset(), (), has_view_limit, None).ticket()

    assert issued == [(TokenClaims("tok_a", "doc_a"), most_seconds)]


class Recorder:
    """Stands for the codec; records what is issued."""

    def __init__(self, issued):
        self.issue = lambda *arguments: issued.append(arguments)
