"""SECURITY.md names tests for each mitigation, and they exist."""

import difflib
import re

from tests.service import ROOT


def rows():
    """Threat, what it reaches, mitigation, residual risk."""
    lines = (ROOT / "SECURITY.md").read_text().splitlines()
    table = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    return [row for row in table if row[0] != "Threat"]


def existing_tests():
    folders = (ROOT / "tests", ROOT / "viewer" / "tests")
    files = [file for folder in folders for file in folder.rglob("test_*.py")]
    return {
        name for file in files for name in re.findall(r"^def (test_\w+)", file.read_text(), re.M)
    }


NAME = re.compile(r"`(test_\w+)`")


def test_every_mitigation_names_tests_and_all_that_the_page_names_exist():
    for threat, _, mitigation, _ in rows():
        assert NAME.search(mitigation) or mitigation == "None", threat
    existing = existing_tests()
    gone = set(NAME.findall((ROOT / "SECURITY.md").read_text())) - existing
    similar = {name: difflib.get_close_matches(name, existing, cutoff=0.4) for name in gone}
    assert similar == {}, "for each name that is gone, the most similar ones"


def test_every_threat_says_what_it_reaches_and_what_risk_remains():
    assert len(rows()) >= 15
    assert all(len(row) == 4 and all(row) for row in rows())
