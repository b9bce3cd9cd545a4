"""The compressed RTF that Outlook keeps the body of a message in.

Source: MS-OXRTFCP, 2.1.3.1 (header) and 2.2 (algorithm).

size behind this field (4 bytes) | size of the RTF (4 bytes) | kind (4 bytes) | CRC (4 bytes) | data

In the data, a byte of eight flags, least significant first, is followed by eight items. An item is
a byte as it is, or two bytes that refer to earlier ones: 12 bits for their place in a ring, and 4
bits for how many they are.
"""

from struct import Struct
from typing import Final

HEADER: Final = Struct("<I I 4s I")
COMPRESSED: Final = b"LZFu"
UNCOMPRESSED: Final = b"MELA"
RING: Final = 4096
SHORTEST: Final = 2  # a reference is as many bytes longer than its number says
MAX_RTF: Final = 2 << 20  # takes four seconds of CPU time at worst, read as well
KNOWN: Final = (  # what the ring holds at first
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript "
    rb"\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)


def decompress(data: bytes) -> bytes:
    """Return the RTF, up to where it is damaged and at most MAX_RTF; empty if this is none."""
    if len(data) < HEADER.size:
        return b""
    _, size, kind, _ = HEADER.unpack_from(data)
    most = min(size, MAX_RTF)
    if kind == UNCOMPRESSED:
        return data[HEADER.size : HEADER.size + most]
    if kind != COMPRESSED:
        return b""
    made = bytearray(KNOWN)  # its end is what the ring holds: place n of the ring is n modulo RING
    end = len(KNOWN) + most
    at = HEADER.size
    while at < len(data) and len(made) < end:
        flags = data[at]
        at += 1
        for bit in range(8):
            if flags >> bit & 1:
                reference = int.from_bytes(data[at : at + 2])
                at += 2
                back = (len(made) - (reference >> 4)) % RING
                if back == 0 or at > len(data):  # the mark of the end
                    return bytes(made[len(KNOWN) : end])
                _repeat(made, back, (reference & 15) + SHORTEST)
            else:
                made += data[at : at + 1]
                at += 1
    return bytes(made[len(KNOWN) : end])


def _repeat(made: bytearray, back: int, count: int) -> None:
    """Append bytes from so far back, which may reach into those that are appended."""
    start = max(len(made) - back, 0)
    piece = bytes(made[start : start + count])
    made += (piece * count)[:count]
