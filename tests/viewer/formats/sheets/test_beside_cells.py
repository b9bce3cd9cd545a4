"""What the readers count beside the cells"""

from struct import pack

import pytest

from tests.viewer.samples import package, xls, xlsx
from viewer.formats.packages.package import Package
from viewer.formats.sheets import ods as ods_reader
from viewer.formats.sheets import xls as xls_reader
from viewer.formats.sheets import xlsx as xlsx_reader


def test_charts_and_pictures_of_xlsx_are_counted():
    parts = {f"xl__charts__{name}_dot_xml": "" for name in ("chart1", "chart2", "chartEx1")}
    more = {"xl__charts__style1_dot_xml": "", "xl__media__image1_dot_png": ""}

    assert xlsx_reader.read(Package(xlsx(**parts, **more))).left_out == {
        "hidden sheet": 0,
        "chart": 3,
        "picture": 1,
    }


def test_charts_and_pictures_of_ods_are_counted():
    entry = '<e full-path="{}/" media-type="application/vnd.oasis.opendocument.chart"/>'
    manifest = entry.format("Object 1") + entry.format("Object 2")
    parts = {"META-INF__manifest_dot_xml": manifest, "Pictures__1_dot_png": ""}

    assert ods_reader.read(Package(package(content_dot_xml="<x/>", **parts))).left_out == {
        "hidden sheet": 0,
        "chart": 2,
        "picture": 1,
    }


def test_charts_of_xls_are_counted(monkeypatch):
    records = [(0x0809, 0x0005), (0x000A, 0), (0x0809, 0x0020), (0x0809, 0x0020)]
    stream = b"".join(pack("<HHHH", kind, 4, 0x0600, what) for kind, what in records)
    monkeypatch.setattr(xls_reader.CompDoc, "get_named_stream", lambda *_: stream)

    assert xls_reader._charts(xls()) == 2


@pytest.mark.parametrize("data", [b"", b"\x09\x08\x08\0", xls()])
def test_a_file_without_charts_has_none(data):
    assert xls_reader._charts(data) == 0
