"""The table of event types: what is in no table is not recorded, and a count ends as it says."""

import pytest

from models import Event
from models.events import EVENT_TYPES, SERVICE_TYPES, event_type
from models.events.event_types import Icon, Merging
from tests.models.runtime.test_unrecorded import read
from tests.uploads import upload


@pytest.mark.parametrize("type", ["token.spnet", *SERVICE_TYPES])
def test_an_event_of_an_unknown_type_is_not_recorded(alice, type):
    with pytest.raises(KeyError):
        Event.record(alice.id, type, {})


@pytest.mark.parametrize("type", ["account.crated", *EVENT_TYPES])
def test_the_service_records_only_types_of_its_own(instance, type):
    with pytest.raises(KeyError):
        Event.record_of_service(type, {})


def test_a_type_that_an_export_brings_and_nobody_knows_is_called_by_its_name():
    assert event_type("api_key.melted").words == "api key melted"


def test_whatever_deletes_a_document_has_the_drawing_of_the_bin():
    ends = ("document.binned", "document.deleted", "document.expired")
    assert {EVENT_TYPES[name].icon for name in ends} == {Icon.BIN}


@pytest.mark.parametrize("name", EVENT_TYPES)
def test_what_a_minute_has_counted_is_recorded_before_an_event_that_ends_it(alice, name):
    document = upload(alice)
    read(document, times=3)
    Event.record(alice.id, name, {"document_id": document.id})
    events = Event.feed(alice.id, 100, None)[0]
    counts = [event.data.get("count") for event in events]
    if EVENT_TYPES[name].merging is Merging.ENDS_MINUTE:
        assert counts[-3:] == [1, 2, None]
    else:
        assert 2 not in counts
