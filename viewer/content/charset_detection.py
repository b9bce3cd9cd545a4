"""In the child process: the encoding of a text that neither names one nor is UTF-8, as a guess."""

from functools import cache
from typing import Final

import chardet

from .decoding import FALLBACK, fits, needs_detection, preload_codecs, safe_codec

EAST_ASIAN: Final = ("cp932", "euc-jp", "gb18030", "big5", "cp949")
ENCODINGS: Final = (
    "windows-1250",
    "windows-1251",
    "windows-1252",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "iso-8859-2",
    "iso-8859-7",
    "koi8-r",
    "cp866",
    "cp874",
    *EAST_ASIAN,
)
SURE: Final = 0.05  # less is a text of few letters: Western ones are the most frequent
SAMPLE: Final = 20_000  # bytes of the lines that are not ASCII


@cache
def prepare() -> None:
    """Load the models and codecs, once: files can't be opened later."""
    preload_codecs(FALLBACK, *ENCODINGS)
    every = bytes(range(0xC0, 0x100))  # of many different pairs, for which it loads more
    for sample in ("テキスト".encode("cp932"), b" ".join(every[::n] for n in range(1, 64))):
        detect(sample)


def detect(data: bytes, charset: str | None = None) -> str | None:
    """Return the guessed charset; the given one if the text says by itself what it is."""
    if not needs_detection(data, charset):
        return charset
    sample = b"\n".join(line for line in data.split(b"\n") if not line.isascii())[:SAMPLE]
    if fits(sample, "utf-8"):  # of which a few bytes are damaged
        return "utf-8"
    found = chardet.detect(sample, include_encodings=ENCODINGS)
    guess = safe_codec(found["encoding"]) or FALLBACK
    is_sure = found["confidence"] >= SURE or guess.replace("_", "-") in EAST_ASIAN
    return guess if is_sure else FALLBACK
