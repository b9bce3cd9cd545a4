"""The entity tag of a view, by which a client goes on with a transfer."""

import pytest

from models import DocumentToken
from models.core import TokenSpent
from models.links import LinkOptions, TokenGrant
from models.links.grant import VIEW_TAG_SECONDS
from tests.uploads import upload


@pytest.fixture
def document(alice):
    return upload(alice)


@pytest.fixture
def link(document):
    return DocumentToken.issue(document, LinkOptions(max_views=1, permissions="download"))


@pytest.fixture
def tag(document, link):
    """The tag of the last view."""
    grant = TokenGrant.of_secret(link.secret)
    grant.count_view(document, "document.downloaded")
    return grant.new_view_tag(document)


def test_a_tag_goes_on_with_its_view_for_ten_minutes(document, link, tag, clock):
    clock(VIEW_TAG_SECONDS * 1000 - 1000)
    assert TokenGrant.of_secret(link.secret, tag).goes_on_with_view_of(document)
    clock(VIEW_TAG_SECONDS * 1000 + 1000)
    with pytest.raises(TokenSpent):
        TokenGrant.of_secret(link.secret, tag)


def test_a_tag_goes_on_with_no_other_document_and_no_other_link(alice, document, link, tag):
    assert not TokenGrant.of_secret(link.secret, tag).goes_on_with_view_of(upload(alice))
    other = DocumentToken.issue(document, LinkOptions(max_views=1))
    assert not TokenGrant.of_secret(other.secret, tag).goes_on_with_view_of(document)


@pytest.mark.parametrize("text", ["", "no tag", "v4.local.AAAA.AAAA"])
def test_another_text_is_no_tag(link, document, text):
    assert not TokenGrant.of_secret(link.secret, text).goes_on_with_view_of(document)


def test_a_ticket_is_no_tag(link, document):
    grant = TokenGrant.of_secret(link.secret)
    ticket = grant.ticket(shows_original=True)
    assert not TokenGrant.of_secret(link.secret, ticket).goes_on_with_view_of(document)
