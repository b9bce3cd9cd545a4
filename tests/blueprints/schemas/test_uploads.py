"""The JSON of an upload is loaded field by field, to what marshmallow loads"""

import pytest
from marshmallow import ValidationError

from blueprints.http.base64_payload import Base64Payload
from blueprints.schemas.fields import CamelCaseSchema, loaded_field_by_field
from blueprints.schemas.requests import Upload

LEAST = {"contentType": "text/plain", "payload": "YWJj"}
GOOD = [
    LEAST,
    LEAST | {"token": None},
    LEAST | {"token": {"maxViews": 3}, "name": "a.txt"},
    LEAST | {"metadata": {"case": "7"}, "collectionId": "col_1"},
    LEAST | {"metadata": None, "expiresAt": None, "name": None},
]
WRONG = [
    {},
    {"payload": "YWJj"},
    LEAST | {"colour": "red"},
    LEAST | {"payload": "YWJ"},
    LEAST | {"contentType": None},
    LEAST | {"token": {"maxViews": 0}},
    LEAST | {"metadata": {str(number): "" for number in range(100)}},
    LEAST | {"name": "\0", "expiresAt": "soon"},
]


def plain(values):
    """The values, of which a payload is its bytes: two of the same bytes differ."""
    payload = values["payload"]
    assert isinstance(payload, Base64Payload)
    return list(values.items())[:-2] + [b"".join(payload.pieces()), values["content_type"]]


@pytest.mark.parametrize("body", GOOD, ids=str)
def test_what_is_right_is_loaded_as_marshmallow_loads_it(body):
    loaded = loaded_field_by_field(Upload(), body)

    assert plain(loaded) == plain(CamelCaseSchema.load(Upload(), body))
    assert plain(Upload().load(body)) == plain(loaded)


def test_a_schema_that_is_loaded_field_by_field_has_no_hooks():
    assert not any(Upload()._hooks.values())
    assert list(Upload().load_fields) == list(Upload().fields)  # and none is only written


@pytest.mark.parametrize("body", WRONG, ids=str)
def test_of_what_is_wrong_all_is_said(body):
    with pytest.raises(ValidationError):
        loaded_field_by_field(Upload(), body)
    with pytest.raises(ValidationError) as theirs:
        CamelCaseSchema.load(Upload(), body)
    with pytest.raises(ValidationError) as ours:
        Upload().load(body)
    assert ours.value.messages == theirs.value.messages


@pytest.mark.parametrize("body", [None, [], "text", 5])
def test_what_is_no_object_is_refused(body):
    with pytest.raises(ValidationError, match="Send a JSON object"):
        Upload().load(body)
