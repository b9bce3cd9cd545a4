"""Rows that got names of which nothing is seen, before such names were refused, and read well."""

import pytest

from models import ApiKey, Collection, Document, DocumentToken, User
from models.accounts import make_space
from models.links import LinkOptions
from tests.uploads import upload


@pytest.mark.parametrize("name", ["  ", "\u200b", "\u2800", "\u3164", "\x01"])
def test_a_row_whose_name_is_not_seen_is_read_by_a_stand_in(name, alice):
    document = upload(alice, name=name)
    assert Document.of_id(document.id).name == f"{document.id}.txt"

    collection = Collection.make(alice.id, name)
    assert Collection.find(collection.id).title == "Untitled collection"

    space = make_space(alice, name)
    assert User.find(space.id).name == space.name == "Unnamed space"

    link = DocumentToken.issue(document, LinkOptions.of(label=name))
    assert DocumentToken.one_of(alice.id, link.row.id).label is None

    key = ApiKey.issue(alice, name, "documents:read", None)
    assert ApiKey.one_of(alice.id, key.row.id).name is None

    alice.edit(name=name)
    assert User.find(alice.id).name is None


def test_a_name_that_is_seen_is_read_as_it_was_given(alice):
    name = "\u202e evil\u200b "
    document = upload(alice, name=name)
    assert Document.of_id(document.id).name == name
    collection = Collection.make(alice.id, name)
    assert Collection.find(collection.id).title == name
