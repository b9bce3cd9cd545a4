"""blueprints/views/collection.py: names in a ZIP file."""

from unicodedata import normalize
from unittest.mock import patch

import pytest

from blueprints.views import collection
from blueprints.views.collection import names

HOSTILE = [
    "../x",
    "..\\x",
    "../../etc/x",
    "a/../b",
    "\u200b../x",
    "/etc/passwd",
    "C:\\x",
    "..",
    ".",
    "",
    " ",
    "a\0b\nc\x7f",
    "\u202egpj.exe",
    "CON",
    "nul.txt",
    "com1.tar.gz",
    "LPT¹",
    "con .pdf",
    "end.",
    "end ",
    "a:b*c?",
    "SHA256SUMS",
    "é" * 255,
    "x" * 255 + ".pdf",
    "日" * 200 + ".txt",
    "😀" * 100,
    "مكتب.pdf",
    "\ud800",
    "👩‍👩‍👧.png",
]


def test_a_name_that_is_there_already_gets_a_number():
    name = names()
    given = ["a.pdf", "a.pdf", "A.PDF", "ä.pdf", normalize("NFD", "ä.pdf"), "a (2).pdf", "a", "a"]
    assert [name(one) for one in given] == [
        "a.pdf",
        "a (2).pdf",
        "A (3).PDF",
        "ä.pdf",
        "a\u0308 (2).pdf",
        "a (2) (2).pdf",
        "a",
        "a (2)",
    ]


@pytest.mark.parametrize("others", [[], [f"a ({number}).pdf" for number in range(2, 1002)]])
def test_a_name_of_thousands_of_documents_is_numbered_without_counting_from_the_start(others):
    name, alike = names(), ["a.pdf"] * 1000
    with patch.object(collection, "_folded", wraps=collection._folded) as compared:
        found = [name(one) for one in others + alike]

    assert len(set(found)) == len(found)
    assert found[-1] == f"a ({1000 + len(others)}).pdf"
    assert compared.call_count <= 4 * len(found)


def test_no_name_leaves_the_folder_or_is_refused_by_a_system():
    for hostile in HOSTILE:
        name = names()
        for found in (name(hostile), name(hostile)):
            assert found == found.strip(" .") != "", hostile
            assert not found.startswith("_."), hostile
            assert "_.." not in found, hostile
            assert not set(found) & {*'\\/:*?"<>|', *map(chr, range(32)), "\x7f", "\u202e"}
            assert len(found.encode()) <= 255, hostile
            assert found.split(".")[0].strip().lower() not in {"con", "nul", "com1", "lpt¹"}
            assert found.lower() != "sha256sums", hostile
