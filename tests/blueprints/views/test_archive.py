"""blueprints/views/collection.py: paths in a ZIP file."""

from types import SimpleNamespace
from unicodedata import normalize
from unittest.mock import patch

import pytest

from blueprints.views import collection
from blueprints.views.collection import unique_paths
from models.documents import READ_TWICE_BYTES

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


@pytest.mark.parametrize(("size", "crc32"), [(READ_TWICE_BYTES, None), (READ_TWICE_BYTES + 1, 7)])
def test_a_document_of_more_than_64_mib_is_not_read_before_it_is_sent(size, crc32):
    facts = {"owner_id": "usr_1", "id": "doc_1", "created_at": 0, "sha256": "0" * 64}
    document = SimpleNamespace(**facts, size=size, crc32=7)
    assert collection.entry_of(document, "a").crc32 == crc32


def test_a_name_that_is_there_already_gets_a_number():
    path = unique_paths()
    given = ["a.pdf", "a.pdf", "A.PDF", "ä.pdf", normalize("NFD", "ä.pdf"), "a (2).pdf", "a", "a"]
    assert [path(one, "") for one in given] == [
        "a.pdf",
        "a (2).pdf",
        "A (3).PDF",
        "ä.pdf",
        "a\u0308 (2).pdf",
        "a (2) (2).pdf",
        "a",
        "a (2)",
    ]


def test_a_name_gets_a_number_only_among_those_of_its_folder():
    path = unique_paths()
    given = [("a.pdf", ""), ("a.pdf", "x"), ("A.pdf", "X"), ("a.pdf", "x/y"), ("a.pdf", "")]
    assert [path(*one) for one in given] == [
        "a.pdf",
        "x/a.pdf",
        "X/A (2).pdf",
        "x/y/a.pdf",
        "a (2).pdf",
    ]


def test_a_file_and_a_folder_never_have_the_same_path():
    path = unique_paths()
    given = [
        ("a", ""),
        ("x.txt", "a"),
        ("a (2)", ""),
        ("y.txt", "A/b"),
        ("b", "a"),
        ("a", ""),
        ("z.txt", "a"),
        ("sums", "SHA256SUMS"),
    ]
    assert [path(*one) for one in given] == [
        "a",
        "a (2)/x.txt",
        "a (2) (2)",
        "A (2)/b/y.txt",
        "a (2)/b (2)",
        "a (3)",
        "a (2)/z.txt",
        "SHA256SUMS (2)/sums",
    ]


@pytest.mark.parametrize("others", [[], [f"a ({number}).pdf" for number in range(2, 1002)]])
def test_a_name_of_thousands_of_documents_is_numbered_without_counting_from_the_start(others):
    path, alike = unique_paths(), ["a.pdf"] * 1000
    with patch.object(collection, "_folded", wraps=collection._folded) as compared:
        found = [path(one, "") for one in others + alike]

    assert len(set(found)) == len(found)
    assert found[-1] == f"a ({1000 + len(others)}).pdf"
    assert compared.call_count <= 4 * len(found)


def test_no_name_leaves_the_folder_or_is_refused_by_a_system():
    for hostile in HOSTILE:
        path = unique_paths()
        for found in (path(hostile, ""), path(hostile, "")):
            assert found == found.strip(" .") != "", hostile
            assert not found.startswith("_."), hostile
            assert "_.." not in found, hostile
            assert not set(found) & {*'\\/:*?"<>|', *map(chr, range(32)), "\x7f", "\u202e"}
            assert len(found.encode()) <= 255, hostile
            assert found.split(".")[0].strip().lower() not in {"con", "nul", "com1", "lpt¹"}
            assert found.lower() != "sha256sums", hostile
