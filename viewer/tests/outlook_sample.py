"""Messages as Outlook saves them: properties in a compound file (MS-CFB)."""

import struct
from datetime import datetime

SECTOR = 512
FREE = 0xFFFFFFFF
END = 0xFFFFFFFE
FAT = 0xFFFFFFFD


def compound_file(content):
    """A compound file of these streams (bytes) and storages (dictionaries of the same kind).

    Those of less than 4,096 bytes are in the mini stream.
    """
    entries = [["Root Entry", 5, FREE, FREE, END, 0]]  # name, type, next, first child, start, size
    sectors = []
    small = b""
    small_chains = []

    def put(item):
        start = len(sectors)
        pieces = [item[at : at + SECTOR] for at in range(0, len(item), SECTOR)]
        sectors.extend(zip(pieces, [*range(start + 1, start + len(pieces)), END], strict=True))
        return start

    def put_small(item):
        nonlocal small
        start = len(small_chains)
        count = -(-len(item) // 64)
        if not item:
            return END
        small += item.ljust(64 * count, b"\0")
        small_chains.extend([*range(start + 1, start + count), END])
        return start

    def add(folder, items):
        before = None
        for name, item in items.items():
            number = len(entries)
            is_stream = isinstance(item, bytes)
            entries.append([name, 2 if is_stream else 1, FREE, FREE, END, 0])
            entries[folder if before is None else before][3 if before is None else 2] = number
            before = number
            if is_stream:
                entries[number][4:] = put(item) if len(item) >= 4096 else put_small(item), len(item)
            else:
                add(number, item)

    add(0, content)
    entries[0][4:] = put(small) if small else END, len(small)
    links = struct.pack(f"<{len(small_chains)}I", *small_chains)
    first_small = put(links) if links else END
    small_tables = -(-len(links) // SECTOR)
    directory = b"".join(map(_entry, entries))
    first = len(sectors)
    count = -(-len(directory) // SECTOR)
    for n in range(count):
        chain = first + n + 1 if n + 1 < count else END
        sectors.append((directory[n * SECTOR : (n + 1) * SECTOR], chain))
    table = len(sectors)
    tables = -(-(table + 8) // (SECTOR // 4))
    links = [chain for _, chain in sectors] + [FAT] * tables
    links += [FREE] * (tables * SECTOR // 4 - len(links))
    body = b"".join(data.ljust(SECTOR, b"\0") for data, _ in sectors)
    header = struct.pack(
        "<8s16xHHHHH6xIIIIIIIII",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        0x3E,
        3,
        0xFFFE,
        9,
        6,
        0,
        tables,
        first,
        0,
        4096,
        first_small,
        small_tables,
        END,
        0,
    )
    places = [table + n for n in range(tables)] + [FREE] * (109 - tables)
    return header + struct.pack("<109I", *places) + body + struct.pack(f"<{len(links)}I", *links)


def _entry(entry):
    name, kind, following, child, start, size = entry
    encoded = name.encode("utf-16-le") + b"\0\0"
    return struct.pack(
        "<64sHBBIII36xIII", encoded, len(encoded), kind, 1, FREE, following, child, start, size, 0
    )


def properties(texts, numbers=(), head=32, **binary):
    """The streams of a storage: texts and numbers by property, binary ones as `p3701`."""
    fixed = b"".join(struct.pack("<HHIQ", 3, number, 6, value) for number, value in numbers)
    return {
        **{f"__substg1.0_{number:04X}001F": t.encode("utf-16-le") for number, t in texts.items()},
        **{f"__substg1.0_{name[1:]}0102": data for name, data in binary.items()},
        "__properties_version1.0": bytes(head) + fixed,
    }


SENT = int((datetime(2026, 1, 4, 8) - datetime(1601, 1, 1)).total_seconds()) * 10_000_000


def outlook():
    """A message with a picture in its text, a table, and a message attached to it."""
    names = {0x3707: "logo.png", 0x370E: "image/png", 0x3712: "logo@x"}
    picture = properties(names, [(0x3705, 1)], head=8, p3701=b"\x89PNG")
    table = properties({0x3707: "numbers.csv"}, [(0x3705, 1)], head=8, p3701=b"a,b\n")
    inner = properties({0x0037: "Before", 0x1000: "Earlier text"}, head=24)
    earlier = properties({0x3001: "Before"}, [(0x3705, 5)], head=8)
    return compound_file(
        properties(
            {
                0x0037: "Agenda",
                0x0C1A: "Lovelace, Ada",
                0x0C1F: "ada@example.org",
                0x0E04: "Babbage, Charles; Team",
                0x1000: "See you on Monday.",
            },
            [(0x0039, SENT), (0x3FDE, 1252)],
            p1013='<p>See <b>you</b> caf\xe9 <img src="cid:logo@x"></p>'.encode("cp1252"),
        )
        | {
            "__attach_version1.0_#00000000": picture,
            "__attach_version1.0_#00000001": table,
            "__attach_version1.0_#00000002": earlier | {"__substg1.0_3701000D": inner},
        }
    )


def moment(year, month, day, hour=0, minute=0):
    """A moment as Outlook counts it."""
    since = datetime(year, month, day, hour, minute) - datetime(1601, 1, 1)
    return int(since.total_seconds()) * 10_000_000


def item(kind, texts=(), numbers=(), named=()):
    """An item of this class, with properties by their numbers, and by names that are numbers."""
    entries = b""
    all_texts = {0x001A: kind, **dict(texts)}
    all_numbers = list(numbers)
    binary = {}
    for index, (name, value) in enumerate(named):
        entries += struct.pack("<IHH", name, 3 << 1, index)
        if isinstance(value, str):
            all_texts[0x8000 + index] = value
        elif isinstance(value, bytes):
            binary[f"p{0x8000 + index:04X}"] = value
        else:
            all_numbers.append((0x8000 + index, value))
    names = {"__substg1.0_00030102": entries}
    return compound_file(
        properties(all_texts, all_numbers, **binary)
        | ({"__nameid_version1.0": names} if named else {})
    )


def time_zone(bias, standard_begin=(), daylight_begin=(), flags=2):
    """A definition of a time zone: minutes to UTC; month, weekday, week and hour of its changes."""
    name = "Zone".encode("utf-16-le")
    rule = struct.pack("<4xHH14x3i", flags, 2026, bias, 0, -60)
    for begin in (standard_begin, daylight_begin):
        rule += struct.pack("<8H", 0, *begin, 0, 0, 0) if begin else bytes(16)
    return struct.pack("<BBHHH", 2, 1, len(name) + 6, 2, 4) + name + struct.pack("<H", 1) + rule


def appointment():
    named = [
        (0x820D, moment(2026, 3, 2, 18, 30)),
        (0x820E, moment(2026, 3, 2, 19)),
        (0x8208, "Room 4"),
        (0x8238, "Babbage, Charles; Hopper, Grace"),
    ]
    texts = {0x0037: "Review", 0x0C1A: "Lovelace, Ada", 0x1000: "Bring the numbers."}
    return item("IPM.Appointment", texts, named=named)
