"""viewer/formats/archives/members.py"""

import bz2
import gzip
import lzma

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viewer.formats.archives import members as archive
from viewer.formats.archives.members import list_files, render
from viewer.sandbox.messages import RefusedError
from viewer.tests.samples import package, tar

FILES = {"a.txt": b"some words", "folder/b": b"\0" * 3000, "größe": b""}


def read(data, name="a.zip"):
    """The files and whether there are more; the content of those that were taken out, by name."""
    files, contents, cut = list_files(data, name)
    names = [file for file, _, taken in files if taken]
    return {"files": files, "cut": cut}, dict(zip(names, contents, strict=True))


@pytest.mark.parametrize(
    "data",
    [
        package(**{name.replace(".", "_dot_"): data for name, data in FILES.items()}),
        *(tar(mode, **FILES) for mode in ("w:", "w:gz", "w:bz2", "w:xz")),
    ],
    ids=["zip", "tar", "tar.gz", "tar.bz2", "tar.xz"],
)
def test_files_are_listed_and_small_ones_taken_out(data):
    facts, contents = read(data)

    assert facts == {
        "files": [(name, len(data), True) for name, data in FILES.items()],
        "cut": False,
    }
    assert contents == FILES


@pytest.mark.parametrize(
    ("name", "encoding", "shown"),
    [
        *(("新しいフォルダの資料.doc", code, "") for code in ("cp932", "utf-8")),
        ("报告和文件.doc", "gb18030", ""),
        ("Отчёт за год.doc", "cp866", ""),
        ("Größe.doc", "cp437", ""),
        ("été.doc", "cp1252", "ΘtΘ.doc"),
    ],
)
def test_names_in_a_zip_archive_that_say_no_encoding_are_read_in_the_one_that_they_are_in(
    name, encoding, shown
):
    written = name.encode(encoding)
    data = package(**{"x" * len(written): b"words"}).replace(b"x" * len(written), written)

    assert read(data)[1] == {shown or name: b"words"}


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_single_packed_file_has_the_name_of_the_archive_without_its_extension(pack):
    facts, contents = read(pack(b"words"), "notes.txt.gz")

    assert facts["files"] == [("notes.txt", None, True)]
    assert contents == {"notes.txt": b"words"}
    assert read(pack(bytes(2 << 20)))[1] == {}


def test_what_is_taken_out_is_limited_in_size_and_number(monkeypatch):
    data = tar(a=b"x" * 50, b=b"x" * 50, c=b"x" * 90, d=b"x" * 10, e=b"x")
    monkeypatch.setattr(archive, "MAX_FILE", 80)
    assert set(read(data)[1]) == {"a", "b", "d", "e"}
    monkeypatch.setattr(archive, "MAX_ALL", 60)
    assert set(read(data)[1]) == {"a", "d"}
    monkeypatch.setattr(archive, "MAX_TAKEN", 1)
    assert set(read(data)[1]) == {"a"}


def test_a_size_that_is_too_small_in_the_list_takes_out_no_more(monkeypatch):
    data = package(a=b"x" * 5000).replace((5000).to_bytes(4, "little"), (5).to_bytes(4, "little"))

    assert all(len(content) <= 5000 for content in read(data)[1].values())


def test_the_list_is_limited(monkeypatch):
    monkeypatch.setattr(archive, "MAX_LISTED", 2)
    facts, _ = read(tar(a=b"", b=b"", c=b""))

    assert (len(facts["files"]), facts["cut"]) == (2, True)


def test_a_damaged_archive_is_listed_up_to_the_damage():
    facts, contents = read(tar("w:", a=b"x" * 600, b=b"y" * 600)[:2100])

    assert [name for name, _, _ in facts["files"]] == ["a", "b"]
    assert facts["cut"]
    assert contents == {"a": b"x" * 600}


@pytest.mark.parametrize("data", [b"", b"nonsense", b"PK\3\4", b"\x1f\x8b\x08"])
def test_another_file_is_refused(data):
    with pytest.raises(RefusedError):
        list(render(data, {"name": "", "type": "application/zip"}))


@settings(max_examples=60)
@given(
    st.sampled_from([package(a=b"x" * 99), tar("w:", a=b"x"), tar(a=b"x" * 99)]),
    st.lists(st.tuples(st.floats(0, 0.999), st.binary(min_size=1, max_size=4))),
)
def test_changed_bytes_give_a_list_or_are_refused(data, changes):
    changed = bytearray(data)
    for place, content in changes:
        at = int(place * len(data))
        changed[at : at + len(content)] = content
    try:
        messages = list(render(bytes(changed), {"name": "a", "type": "application/zip"}))
    except RefusedError:
        return
    assert messages[0][0]["facts"]
