"""Counts what a workbook holds beside its cells, which a grid can't show."""

import io
import re
from collections import Counter
from struct import unpack_from
from typing import Final

from xlrd.compdoc import CompDoc

from ..packages.package import Package

CHART: Final = re.compile(r"xl/charts/chart(Ex)?\d+\.xml")
PICTURE: Final = re.compile(r"(?:xl/media|Pictures)/[^/]+")
MANIFEST: Final = "META-INF/manifest.xml"
OPEN_DOCUMENT_CHART: Final = b'media-type="application/vnd.oasis.opendocument.chart"'
BEGIN, CHART_SUBSTREAM = 0x0809, 0x0020  # MS-XLS 2.4.21


def of_package(package: Package) -> Counter[str]:
    """Return the numbers of charts and pictures in an XLSX or ODS file."""
    manifest = package.read(MANIFEST) if MANIFEST in package.names else b""
    charts = sum(map(bool, map(CHART.fullmatch, package.names)))
    pictures = sum(map(bool, map(PICTURE.fullmatch, package.names)))
    return +Counter(chart=charts + manifest.count(OPEN_DOCUMENT_CHART), picture=pictures)


def of_xls(data: bytes) -> Counter[str]:
    """Return the number of charts in an XLS file; in those before 1995 none are found."""
    stream = b""
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        container = CompDoc(data, logfile=io.StringIO())
        names = ("Workbook", "Book")
        stream = next(filter(None, map(container.get_named_stream, names)), b"")
    charts = at = 0
    while at + 8 <= len(stream):
        kind, size, _, substream = unpack_from("<HHHH", stream, at)
        charts += kind == BEGIN and substream == CHART_SUBSTREAM
        at += 4 + size
    return +Counter(chart=charts)
