"""blueprints/commands/isolation.py"""

import pytest

from blueprints.commands import isolation


@pytest.mark.parametrize(
    ("seccomp", "user_id", "said"),
    [
        (True, 1000, []),
        (True, 0, ["The service runs as root"]),
        (False, 1000, ["There is no seccomp here"]),
        (False, 0, ["There is no seccomp here", "The service runs as root"]),
    ],
)
def test_each_weakness_is_one_sentence_with_its_remedy(monkeypatch, seccomp, user_id, said):
    monkeypatch.setattr(isolation, "seccomp_available", lambda: seccomp)
    notes = list(isolation.isolation_notes(user_id, "off"))

    assert [note.partition(":")[0].partition(",")[0] for note in notes] == said
    assert all(". " in note and note.endswith(".") for note in notes)


def test_a_converter_that_cannot_be_used_is_one_sentence_more(monkeypatch):
    monkeypatch.setattr(isolation, "seccomp_available", lambda: True)
    (note,) = isolation.isolation_notes(1000, "/bin/sh")

    assert note.startswith("Documents and slides are not converted to pages. /bin/sh")
