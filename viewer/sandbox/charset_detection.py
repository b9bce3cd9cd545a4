"""Runs in the child process. Guesses the encoding of text that neither says it nor is UTF-8.

Texts in one byte a character are told apart by the letters of their language, Japanese, Chinese and
Korean ones by charset-normalizer. A short text can be wrong: the page has a menu.
"""

from typing import Final

from ..decoding import FALLBACK, needs_detection, preload_codecs
from .single_byte import LANGUAGES, detect_alphabet

SAMPLE: Final = 64 << 10
CANDIDATES: Final = ("cp932", "euc_jp", "iso2022_jp", "gb18030", "big5", "cp949", FALLBACK)


def prepare() -> None:
    """Import what the guess needs: files can't be opened later."""
    preload_codecs(*CANDIDATES, *(name for one in LANGUAGES for name in one.encodings))
    detect("これは日本語".encode("cp932"))


def detect(data: bytes, charset: str | None = None) -> str | None:
    """Return the guessed charset; the given one if the text says by itself what it is."""
    if not needs_detection(data, charset):
        return charset
    if found := detect_alphabet(data):
        return found
    from charset_normalizer import from_bytes  # noqa: PLC0415  (slow to import, seldom needed)

    best = from_bytes(data[:SAMPLE], cp_isolation=list(CANDIDATES)).best()
    return best.encoding if best else FALLBACK
