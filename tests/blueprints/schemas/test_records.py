"""Records: each attribute by its name in JSON, and nothing of what is absent."""

from types import SimpleNamespace

from marshmallow import fields

from blueprints.schemas.fields import Timestamp
from blueprints.schemas.responses import ResponseSchema


class Thing(ResponseSchema):
    optional = ("ended_at", "note")

    id = fields.String(attribute="number")
    created_at = Timestamp()
    ended_at = Timestamp(allow_none=True)
    note = fields.String()


def test_a_record_has_each_attribute_by_its_name_in_json_in_the_order_of_the_schema():
    thing = SimpleNamespace(note="n", ended_at=None, created_at=1_000, number="one", other="x")
    record = Thing().dump(thing)
    assert list(record.items()) == [
        ("id", "one"),
        ("createdAt", "1970-01-01T00:00:01.000Z"),
        ("endedAt", None),
        ("note", "n"),
    ]


def test_an_attribute_that_is_absent_is_left_out():
    expected = {"id": "one", "createdAt": "1970-01-01T00:00:01.000Z"}
    assert Thing().dump(SimpleNamespace(number="one", created_at=1_000)) == expected
    assert Thing().dump({"number": "one", "created_at": 1_000}) == expected
