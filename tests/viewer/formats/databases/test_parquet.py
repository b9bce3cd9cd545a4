"""viewer/formats/databases/parquet.py and what it reads with"""

import gzip
import re
import struct
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.viewer.samples import original, parquet, parquet_page, preview_of
from viewer.formats.databases import parquet as reader
from viewer.formats.databases.unpacking import unpack
from viewer.rendering.registry import PARQUET

THREE = struct.pack("<3i", 7, -8, 9)
SNAPPY, GZIP, BROTLI, ZSTANDARD = 1, 2, 4, 6
DICTIONARY = parquet_page(THREE, head={7: {1: 3, 2: 0}})


def shown(data):
    preview = preview_of(original(data, "a.parquet"))
    return preview, preview.body.decode()


def cells(data):
    """The texts of all cells but those of heads, of all tables."""
    html = b"".join(block for _, block in reader.render(data, {})).decode()
    return re.findall(r"<td[^>]*>([^<]*)</td>", html)


def one(pages, kind=1, **more):
    """The cells of a file with one column of these pages."""
    return cells(parquet(("a", kind, 0), chunks=(pages,), **more))


def texts(*values):
    return b"".join(struct.pack("<I", len(value)) + value for value in values)


def test_the_first_rows_are_shown_with_the_types_of_the_columns():
    columns = ("id", 1, 0), ("name", 6, 0, None, 0)
    chunks = parquet_page(THREE), parquet_page(texts(b"Ink", "Tür".encode(), b"<b>" + b"x" * 300))
    preview, html = shown(parquet(*columns, chunks=chunks))

    assert (preview.label, preview.facts) == ("Parquet", ("2 columns", "3 rows"))
    assert 'name <span class="dim">text</span>' in html
    assert '<td class="num">-8</td><td>Tür</td>' in html
    assert f'<td class="long">&lt;b&gt;{"x" * 197}…</td>' in html
    assert "Columns without values" not in html


def test_of_many_rows_and_columns_the_first_are_shown():
    page = parquet_page(struct.pack("<99i", *range(99)), 99)
    columns = [(f"c{n}", 1, 0) for n in range(70)]
    html = shown(parquet(*columns, rows=99, chunks=[page] * 70))[1]

    assert "the first 50:" in html
    assert (html.count('<td class="num">'), html.count("after the first 60")) == (50 * 60, 10)


MOMENT = struct.pack("<q", 1_769_851_800_123_456)
MEANT = [  # converted type, logical type, type, its bytes, text
    (None, None, 0, b"\1", "true"),
    (None, None, 2, struct.pack("<q", -(1 << 40)), "-1099511627776"),
    (
        None,
        None,
        3,
        struct.pack("<qi", 10**9 + 1, 2_440_589),
        "1970-01-02 00:00:01.000000001",
    ),
    (None, None, 4, struct.pack("<f", 0.1), "0.1"),
    (None, None, 4, struct.pack("<f", 0.104736984), "0.104736984"),
    (None, None, 5, struct.pack("<d", 0.1), "0.1"),
    (None, None, 6, texts(b"\xff\0"), "2 bytes"),
    (4, None, 6, texts(b"red"), "red"),
    (19, None, 6, texts(b'{"a": 1}'), "{&quot;a&quot;: 1}"),
    (None, {5: {1: 2, 2: 9}}, 1, struct.pack("<i", -1234), "-12.34"),
    (None, {5: {1: 12, 2: 20}}, 6, texts(b"\1"), "0.000000000001"),
    (6, None, 1, struct.pack("<i", -1), "1969-12-31"),
    (6, None, 1, struct.pack("<i", 1 << 30), "1073741824"),
    (7, None, 1, struct.pack("<i", 45_296_007), "12:34:56.007"),
    (10, None, 2, MOMENT, "2026-01-31 09:30:00.123456Z"),
    (None, {8: {1: False, 2: {2: {}}}}, 2, MOMENT, "2026-01-31 09:30:00.123456"),
    (None, {8: {1: True, 2: {3: {}}}}, 2, MOMENT, "1970-01-21 11:37:31.800123456Z"),
    (13, None, 1, b"\xff" * 4, "4294967295"),
    (14, None, 2, b"\xff" * 8, "18446744073709551615"),
    (None, {14: {}}, 7, bytes(range(16)), "00010203-0405-0607-0809-0a0b0c0d0e0f"),
    (None, {15: {}}, 7, b"\0\x3e", "1.5"),
]


@pytest.mark.parametrize(("converted", "logical", "kind", "data", "text"), MEANT)
def test_values_are_shown_as_what_they_mean(converted, logical, kind, data, text):
    column = ("a", kind, 0, None, converted, logical, len(data))

    assert cells(parquet(column, rows=1, chunks=(parquet_page(data, 1),))) == [text]


PACKED = [
    (SNAPPY, b"\x0c\x2c" + THREE),
    (GZIP, gzip.compress(THREE[:5], mtime=0) + gzip.compress(THREE[5:], mtime=0)),
    (ZSTANDARD, b"\x28\xb5\x2f\xfd\x20\x0c" + b"\x61\0\0" + THREE),
]


@pytest.mark.parametrize(("codec", "data"), PACKED, ids=["Snappy", "gzip", "Zstandard"])
def test_packed_pages_are_unpacked(codec, data):
    assert one(parquet_page(data, size=12), codec=codec) == ["7", "-8", "9"]


def test_snappy_copies_what_it_has_unpacked():
    data = b"\x10\xf0\3ABCD" + b"\1\4" + b"\x0e\x08\0" + b"\x0f\1\0\0\0"
    abcd, dddd = (str(int.from_bytes(text, "little")) for text in (b"ABCD", b"DDDD"))

    assert one(parquet_page(data, 4, size=16), codec=SNAPPY, rows=4) == [abcd, abcd, abcd, dddd]
    distant = b"\xf4\x2b\1" + bytes(range(44)) + b"x" * 256 + b"\x21\x2c"
    assert unpack(SNAPPY, b"\xb0\2" + distant, 999)[300:] == bytes(range(4))
    for wrong in (b"\4\0a\1\2", b"\4\0a\1\0"):
        with pytest.raises(ValueError, match="before the beginning"):
            unpack(SNAPPY, wrong, 999)


V2 = {1: 3, 2: 1, 3: 3, 4: 0, 5: 2, 6: 0}
ENCODED = [  # type, repetition, pages, texts
    (1, 0, DICTIONARY + parquet_page(b"\2\3\x12\0", encoding=8), ["9", "7", "-8"]),
    (1, 0, DICTIONARY + parquet_page(b"\2\6\1", encoding=2), ["-8"] * 3),
    (1, 0, DICTIONARY + parquet_page(b"\0", encoding=8), ["7"] * 3),
    (0, 0, parquet_page(b"\2\0\0\0\3\5", encoding=3), ["true", "false", "true"]),
    (1, 1, parquet_page(b"\2\0\0\0\3\5" + THREE), ["7", "NULL", "-8"]),
    (1, 1, parquet_page(b"\3\5" + THREE, head={8: V2}), ["7", "NULL", "-8"]),
    (1, 0, parquet_page(THREE[:4], 1) + parquet_page(THREE[4:], 2), ["7", "-8", "9"]),
]


@pytest.mark.parametrize(("kind", "repetition", "pages", "found"), ENCODED)
def test_values_are_read_in_the_usual_encodings(kind, repetition, pages, found):
    assert cells(parquet(("a", kind, repetition), chunks=(pages,))) == found


def test_the_levels_of_pages_of_version_2_are_never_packed():
    packed = b"\3\5\x0c\x2c" + THREE
    plain = parquet_page(b"\3\5" + THREE, head={8: V2 | {7: False}})
    for pages in (parquet_page(packed, size=14, head={8: V2}), plain):
        found = cells(parquet(("a", 1, 1), chunks=(pages,), codec=SNAPPY))
        assert found == ["7", "NULL", "-8"]


def test_nested_columns_are_listed_without_values():
    columns = (
        *(("tags", None, 1, 1, 3), ("list", None, 2, 1), ("element", 6, 1, None, 0)),
        *(("sizes", None, 1, 1, 1), ("key_value", None, 2, 2), ("key", 6, 0), ("value", 1, 1)),
        *(("place", None, 1, 1), ("lat", 5, 0), ("ids", 1, 2), ("id", 1, 0)),
    )
    chunks = *[b""] * 5, parquet_page(THREE)

    assert cells(parquet(*columns, chunks=chunks)) == [
        *("7", "-8", "9", "tags", "list", "nested", "sizes", "map", "nested"),
        *("place", "struct", "nested", "ids", "int32", "nested"),
    ]


def test_a_column_whose_values_are_not_read_is_listed_with_the_reason():
    said = {
        "a": (parquet_page(THREE, encoding=5), "in an unusual encoding"),
        "b": (parquet_page(THREE, encoding=9), "in an unusual encoding"),
        "c": (DICTIONARY + parquet_page(b"\2\6\3", encoding=8), "damaged, or too large"),
        "d": (parquet_page(THREE[:7]), "damaged, or too large"),
        "e": (parquet_page(texts(*[bytes(2 << 20)] * 3)), "damaged, or too large"),
        "f": (parquet_page(b"\2\0\0\0\4\1" + THREE), "damaged, or too large"),  # two levels
    }
    columns = [(name, 6 if name == "e" else 1, int(name == "f")) for name in said]
    columns.append(("whole", 1, 0))
    chunks = [*(pages for pages, _ in said.values()), parquet_page(THREE)]
    html = shown(parquet(*columns, chunks=chunks))[1]

    assert '<td class="num">9</td></tr>' in html
    for name, (_, reason) in said.items():
        kind = "bytes" if name == "e" else "int32"
        assert f"<td>{name}</td><td>{kind}</td><td>{reason}</td>" in html
    locked = parquet(("a", 1, 0), chunks=(parquet_page(THREE),), more={8: {1: {}}})
    assert "<td>encrypted</td>" in shown(locked)[1]
    short = parquet(("a", 1, 0), chunks=(parquet_page(THREE),), more={3: {4: 0, 5: 2, 9: 4}})
    assert "<td>damaged, or too large</td>" in shown(short)[1]
    brotli = parquet(("a", 1), chunks=(parquet_page(THREE),), codec=BROTLI)
    assert "compressed with Brotli" in shown(brotli)[1]
    assert "<td>int32</td><td>no values</td>" in shown(parquet(("a", 1), rows=9))[1]


def test_values_of_some_megabytes_are_shown():
    assert one(parquet_page(texts(*[bytes(1 << 20)] * 3)), kind=6) == ["1.0 MiB"] * 3


def test_a_table_that_takes_too_long_shows_its_columns(monkeypatch):
    monkeypatch.setattr(reader, "SECONDS", -1)

    assert one(parquet_page(THREE)) == ["a", "int32", "takes too long"]


HOSTILE = {
    "copies": b"\xff\xff\xff\x7f\0a" + b"\xfe\1\0" * 200_000,
    "single bytes": b"\xff\xff\xff\x7f" + b"\0a" * 1_000_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_end_before_the_limit_of_the_job(name):
    columns = [(f"c{n}", 6, 0) for n in range(20)]
    pages = parquet_page(HOSTILE[name], size=1 << 40)
    data = parquet(*columns, chunks=[pages] * 20, codec=SNAPPY)
    start = time.process_time()

    assert len(cells(data)) == 60
    assert time.process_time() - start < PARQUET.job.cpu_seconds


@pytest.mark.parametrize(
    "data",
    [
        b"PAR1" + bytes(8) + b"PAR1",
        parquet(("a", 1), length=1 << 31),
        parquet(("a", 99)),
        b"PAR1\x19\xfc\xff\xff\xff\xff\x0f" + b"\7\0\0\0PAR1",
        b"PAR1" + b"\x1c" * 999 + b"\xe7\3\0\0PAR1",
        parquet(("a", 1))[:-1] + b"E",
    ],
)
def test_what_is_no_parquet_file_has_a_card(data):
    assert shown(data)[0].kind == "unknown"


WHOLE = [parquet(("a", kind, level), chunks=(pages,)) for kind, level, pages, _ in ENCODED]


@settings(max_examples=200)
@given(st.sampled_from(WHOLE), st.lists(st.tuples(st.integers(4, 500), st.binary(max_size=4))))
def test_changed_bytes_end_in_a_page_or_an_ordinary_error(data, changes):
    data = bytearray(data)
    for place, new in changes:
        at = place % len(data)
        data[at : at + len(new)] = new
    try:
        ((facts, _),) = reader.render(bytes(data), {})
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError):
        return
    assert facts["label"] == "Parquet"
