"""blueprints/views/collection.py: names on a contents page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blueprints.views import collection
from blueprints.views.links import visible


def size(name):
    return len(visible(name).encode())


def test_a_name_that_has_room_stays_and_a_longer_one_keeps_its_beginning_and_end():
    assert collection.name_within("short.pdf", 9) == "short.pdf"
    assert collection.name_within("a long name.pdf", 13) == "a lon…e.pdf"


@given(st.text(max_size=255), st.integers(8, 240))
def test_a_name_takes_at_most_its_share_and_no_longer_cut_would(name, most_bytes):
    found = collection.name_within(name, most_bytes)
    assert size(found) <= most_bytes
    if found != name:
        half = (len(found) - 1) // 2 + 1
        longer = f"{name[:half]}…{name[len(name) - half :]}"
        assert half > len(name) // 2 or size(longer) > most_bytes


def test_the_longest_names_are_cut_in_few_steps(monkeypatch):
    asked = []
    monkeypatch.setattr(collection, "visible", lambda text: asked.append(text) or visible(text))
    collection.name_within("\u202e" * 255, 240)
    assert len(asked) <= 9


@pytest.mark.parametrize("name", ["x" * 255, "😀" * 255, "\u202e" * 255])
def test_a_name_without_room_is_an_ellipsis(name):
    assert collection.name_within(name, 3) == "…"
