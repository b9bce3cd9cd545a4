"""Workbooks of Excel before 2007: records (MS-XLS) in a compound file."""

from struct import pack

from viewer.tests.outlook_sample import compound_file

GLOBALS = 5
SHEET = 0x10
ONE = b"\x1e\x01\x00"  # a formula: the number 1
OF_ANOTHER_CELL = b"\x01\0\0\0\0"  # the formula that the first cell shares


def record(number, body=b""):
    return pack("<HH", number, len(body)) + body


def beginning(kind, version=0x0600):
    return record(0x0809, pack("<HHHH", version, kind, 0x0DBB, 0x07CC) + bytes(8))


def formula(row, result, tokens=ONE, flags=0):
    """A formula in the first column, with the 8 bytes of its result."""
    body = pack("<HHH", row, 0, 15) + result + pack("<HIH", flags, 0, len(tokens)) + tokens
    return record(0x0006, body)


def number(value):
    return pack("<d", value)


def no_number(kind, value=0):
    return bytes([kind, 0, value, 0, 0, 0, 0xFF, 0xFF])


def text(words):
    return record(0x0207, pack("<HB", len(words), 1) + words.encode("utf-16-le"))


def stream(*cells, version=0x0600, name=b"\x05\0Sales", before=b""):
    """The records of a workbook of one sheet."""
    head = beginning(GLOBALS, version) + before
    formats = b"".join(
        record(0x00E0, pack("<HHH", 0, 0, 1 if n < 15 else 0) + bytes(14)) for n in range(16)
    )
    place = len(head) + len(formats) + 4 + 6 + len(name) + 4
    whole = head + formats + record(0x0085, pack("<IH", place, 0) + name) + record(0x000A)
    size = record(0x0200, pack("<IIHHH", 0, 99, 0, 1, 0))
    return whole + beginning(SHEET, version) + size + b"".join(cells) + record(0x000A)


def workbook(*cells, **options):
    """A workbook of one sheet with these records of cells."""
    return compound_file({"Workbook": stream(*cells, **options)})
