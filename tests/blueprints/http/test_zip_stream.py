"""blueprints/http/zip_stream.py, read by Python's zipfile and by Info-ZIP."""

import hashlib
import io
import subprocess
from zipfile import ZIP_STORED, ZipFile
from zlib import crc32

import pytest

from blueprints.http.zip_stream import (
    SUMS,
    CompressedBytes,
    EntryGoneError,
    GrowingEntry,
    IncompleteEntryError,
    ZipEntry,
    ZipStream,
    pieces_of_zip,
)

MOMENT = 1_700_000_000_000
GIB = 1 << 30


def entry(name, *pieces, **more):
    return ZipEntry(name, sum(map(len, pieces)), lambda: pieces, MOMENT, **more)


def opened(*entries):
    stream = ZipStream(entries, MOMENT)
    content = b"".join(stream)
    assert len(content) == stream.size
    return content, ZipFile(io.BytesIO(content))


def run(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def test_the_length_is_known_and_the_entries_are_stored_without_data_descriptors():
    _, archive = opened(entry("a.txt", b"one", b"two"), entry("b/ä 1.txt", b""))

    infos = archive.infolist()
    assert [info.filename for info in infos] == ["a.txt", "b/ä 1.txt", SUMS]
    assert archive.testzip() is None
    assert archive.read("a.txt") == b"onetwo"
    for info in infos:
        assert (info.compress_type, info.flag_bits & 8, info.extract_version) == (ZIP_STORED, 0, 20)
        assert info.date_time == (2023, 11, 14, 22, 13, 20)
    assert infos[1].flag_bits & 0x800


def test_an_archive_without_entries_opens_too():
    _, archive = opened()
    assert archive.read(SUMS) == b""


def test_unzip_and_sha256sum_agree(tmp_path):
    known = hashlib.sha256(b"known").hexdigest()
    content, _ = opened(entry("a.txt", b"one"), entry("b/日本 😀.txt", b"known", sha256=known))
    (tmp_path / "all.zip").write_bytes(content)

    assert "No errors detected" in run("unzip", "-t", "all.zip", cwd=tmp_path)
    with ZipFile(tmp_path / "all.zip") as archive:
        archive.extractall(tmp_path)
    assert run("sha256sum", "-c", SUMS, cwd=tmp_path) == "a.txt: OK\nb/日本 😀.txt: OK\n"


def test_an_entry_is_read_as_a_whole_before_its_first_byte_is_sent():
    def damaged():
        yield b"x" * 10
        raise ValueError("damaged")

    stream = ZipStream([entry("a", b"good"), ZipEntry("b", 20, damaged, MOMENT)], MOMENT)
    sent = []
    with pytest.raises(ValueError, match="damaged"):
        sent.extend(stream)
    assert b"good" in b"".join(sent)
    assert b"x" not in b"".join(sent)


def test_an_entry_of_known_checksums_is_read_once_while_it_is_sent(tmp_path):
    reads = []

    def read():
        for piece in (b"one", b"two"):
            reads.append(piece)
            yield piece

    known = {"sha256": hashlib.sha256(b"onetwo").hexdigest(), "crc32": crc32(b"onetwo")}
    stream = ZipStream([ZipEntry("a", 6, read, MOMENT, **known), entry("b", b"")], MOMENT)
    pieces = iter(stream)
    sent = [next(pieces)]
    assert reads == [b"one"]  # it opens
    sent += pieces
    assert reads == [b"one", b"two"]
    (tmp_path / "all.zip").write_bytes(b"".join(sent))

    assert (tmp_path / "all.zip").stat().st_size == stream.size
    assert "No errors detected" in run("unzip", "-t", "all.zip", cwd=tmp_path)


@pytest.mark.parametrize("sent", [b"ab", b"abcd"])
def test_an_entry_of_known_checksums_and_another_length_breaks_the_file_off(sent):
    known = ZipEntry("a", 3, lambda: [sent], MOMENT, sha256="0" * 64, crc32=crc32(b"abc"))
    with pytest.raises(IncompleteEntryError):
        list(ZipStream([known], MOMENT))


def test_an_entry_of_known_checksums_that_is_gone_is_left_out():
    def gone():
        raise EntryGoneError

    entries = [ZipEntry("a", 3, gone, MOMENT, sha256="0" * 64, crc32=1)]
    with ZipFile(io.BytesIO(b"".join(pieces_of_zip(entries, MOMENT)))) as archive:
        assert archive.namelist() == [SUMS]


@pytest.mark.parametrize("readings", [["ab"], ["abcd"], ["abc", "ab"], ["abc", "abcd"]])
def test_an_entry_of_another_length_breaks_the_file_off(readings):
    pieces = iter(readings)  # of a byte each
    with pytest.raises(IncompleteEntryError):
        list(ZipStream([ZipEntry("a", 3, lambda: map(str.encode, next(pieces)), MOMENT)], MOMENT))


def test_an_entry_may_grow_while_it_is_sent_and_others_follow_it(tmp_path):
    text = b"a line\n" * 100_000
    growing = GrowingEntry("log.txt", lambda: (text[:5], b"", text[5:]), MOMENT)
    empty = GrowingEntry("empty.txt", tuple, MOMENT)
    pieces = pieces_of_zip([entry("a.txt", b"one"), growing, empty, entry("z", b"two")], MOMENT)
    (tmp_path / "all.zip").write_bytes(b"".join(pieces))

    assert "No errors detected" in run("unzip", "-t", "all.zip", cwd=tmp_path)
    with ZipFile(tmp_path / "all.zip") as archive:
        archive.extractall(tmp_path)
        assert archive.namelist() == ["a.txt", "log.txt", "empty.txt", "z", SUMS]
        assert archive.getinfo("log.txt").flag_bits & 8
        assert archive.getinfo("log.txt").compress_size < len(text) // 100
    assert (tmp_path / "log.txt").read_bytes() == text
    assert run("sha256sum", "--quiet", "-c", SUMS, cwd=tmp_path) == ""


def test_an_entry_is_taken_when_those_before_it_were_sent():
    taken = []

    def entries():
        for name in ("a", "b"):
            taken.append(name)
            yield entry(name, b"content of " + name.encode())

    for piece in pieces_of_zip(entries(), MOMENT):
        if b"content of a" in piece:
            assert taken == ["a"]
    assert taken == ["a", "b"]


def test_an_entry_that_is_gone_is_left_out_unless_a_part_of_it_was_sent():
    def gone():
        raise EntryGoneError

    with ZipFile(
        io.BytesIO(b"".join(pieces_of_zip([ZipEntry("gone", 3, gone, MOMENT)], MOMENT)))
    ) as archive:
        assert archive.namelist() == [SUMS]
    readings = iter([lambda: [b"ab", b"c"], gone])

    def soon_gone():
        return next(readings)()

    with pytest.raises(EntryGoneError):
        list(pieces_of_zip([ZipEntry("gone", 3, soon_gone, MOMENT)], MOMENT))


def test_what_is_kept_compressed_is_read_as_it_was_added():
    kept = CompressedBytes()
    for number in range(10_000):
        kept.add(b"%d\n" % number)
    content = b"".join(b"%d\n" % number for number in range(10_000))
    assert (kept.size, kept.checksum) == (len(content), crc32(content))
    assert b"".join(kept.pieces()) == content


@pytest.mark.parametrize("moment", [0, 5_000_000_000_000])
def test_a_moment_that_the_format_does_not_have_is_its_nearest_year(moment):
    _, archive = opened(ZipEntry.of_bytes("a", b"", moment))
    assert archive.getinfo("a").date_time[0] in {1980, 2107}


@pytest.mark.slow
def test_what_is_larger_than_4_gib_or_lies_behind_it_is_in_zip64(tmp_path):
    zeros = bytes(GIB // 16)
    large = ZipEntry("large", len(zeros) * 65, lambda: [zeros] * 65, MOMENT, sha256="0" * 64)
    stream = ZipStream([large, entry("behind", b"it")], MOMENT)
    with (tmp_path / "large.zip").open("wb") as file:
        for piece in stream:
            file.seek(len(piece), 1) if piece is zeros else file.write(piece)  # sparse

        assert file.tell() == stream.size

    with ZipFile(tmp_path / "large.zip") as archive:
        assert archive.getinfo("large").file_size == len(zeros) * 65 > 4 * GIB
        assert archive.getinfo("large").extract_version == 45
        assert archive.read("behind") == b"it"
    assert "No errors detected" in run("unzip", "-tq", "large.zip", "behind", cwd=tmp_path)


@pytest.mark.slow
def test_more_than_65535_entries_are_counted_in_zip64():
    _, archive = opened(*(entry(f"{number}", b"") for number in range(65_600)))
    assert len(archive.infolist()) == 65_601
