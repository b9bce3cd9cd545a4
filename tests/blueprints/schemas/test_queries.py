"""Queries of lists, of which the usual ones are loaded once."""

import pytest
from marshmallow import ValidationError

from blueprints.schemas.requests import DocumentQuery, SpaceQuery


@pytest.mark.parametrize("data", [{}, {"limit": "7"}])
def test_what_changes_a_loaded_query_does_not_change_the_next_one(data):
    schema = DocumentQuery()
    schema.load(data)["limit"] = 99
    assert schema.load(data) == {"after": None, "limit": int(data.get("limit", 50))}


def test_each_schema_adds_its_own_defaults():
    assert SpaceQuery().load({}) == {"after": None, "limit": 50, "waiting": False}


def test_a_wrong_limit_is_refused_each_time():
    schema = DocumentQuery()
    for _ in range(2):
        with pytest.raises(ValidationError, match="limit"):
            schema.load({"limit": "0"})
