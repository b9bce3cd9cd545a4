"""SECURITY.md says what is tested."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def rows():
    lines = (ROOT / "SECURITY.md").read_text().splitlines()
    table = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    return [row for row in table if row[0] != "Who"]


def test_every_guard_names_tests_that_exist():
    there = set()
    for file in (ROOT / "tests").rglob("test_*.py"):
        there |= set(re.findall(r"^def (test_\w+)", file.read_text(), re.M))
    for who, _, guard, _ in rows():
        named = set(re.findall(r"`(test_\w+)`", guard))
        assert named or guard == "–", who
        assert named <= there, named - there
