"""JSON that is read strictly, at a cost that grows with its length only."""

import json
import time

import pytest

from blueprints.http.body import parse_json
from blueprints.http.problems import MalformedJson

NAMES = [f"{number:x}" for number in range(40_000)]


def test_a_repeated_name_among_many_is_found_in_linear_time():
    pairs = [f'"{name}":1' for name in [*NAMES, NAMES[-1]]]
    body = f"{{{','.join(pairs)}}}".encode()

    began = time.thread_time()
    with pytest.raises(MalformedJson, match=f"The name '{NAMES[-1]}' is there twice"):
        parse_json(body)
    assert time.thread_time() - began < 2  # a search for each name takes ten times that


def test_many_different_names_are_accepted():
    value = dict.fromkeys(NAMES, 1)

    assert parse_json(json.dumps(value).encode()) == value
