"""How long an opened page may load what it shows, and how much that is."""

import pytest

from crypto import TokenClaims
from models import current_runtime
from models.links import TokenGrant
from models.links.grant import OPENS_ORIGINAL, OPENS_PAGES, OPENS_SHOWN


@pytest.mark.parametrize(
    ("target_id", "views_left", "most_seconds"),
    [("doc_a", None, 3600), ("doc_a", 1, 600), ("col_a", None, 3600), ("col_a", 1, 3600)],
)
def test_a_ticket_of_a_link_with_a_view_limit_is_valid_for_minutes(
    target_id, views_left, most_seconds, instance, monkeypatch
):
    issued = []
    monkeypatch.setattr(current_runtime(), "tickets", Recorder(issued))
    grant = TokenGrant("tok_a", target_id, frozenset(), (), None, views_left, None)
    grant.ticket(shows_original=False)
    assert issued == [(TokenClaims("tok_a", target_id, OPENS_PAGES), most_seconds)]


def test_a_ticket_says_what_it_opens(instance):
    for permissions, shows_original, scope in (
        ({"view"}, False, OPENS_PAGES),
        ({"view"}, True, OPENS_SHOWN),
        ({"view", "download"}, False, OPENS_ORIGINAL),
    ):
        grant = TokenGrant("tok_a", "doc_a", frozenset(permissions), (), None, None, None)
        ticket = grant.ticket(shows_original=shows_original)
        assert current_runtime().tickets.open(ticket).scope == scope


class Recorder:
    """Stands for the codec; records what is issued."""

    def __init__(self, issued):
        self.issue = lambda *arguments: issued.append(arguments)


def test_an_owner_gets_a_ticket_for_the_page_of_one_document_alone():
    owner = TokenGrant.of_owner("usr_a", "ses_a")
    with pytest.raises(ValueError, match="for a target"):
        owner.ticket(shows_original=False)
    assert owner.on_page_of("doc_a").target_id == "doc_a"
    assert owner.on_page_of("doc_a").is_page_of_owner
    assert not owner.is_page_of_owner
