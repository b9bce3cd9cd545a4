"""Runs in the child process. Guesses the encoding of text that neither says it nor is UTF-8.

charset-normalizer tells Japanese, Chinese, Korean, Cyrillic and Greek texts from each other and
from Western ones; between Western encodings it errs, so for these it is cp1252 as in browsers.
"""

from typing import Final

from ..decoding import needs_detection, preload_codecs

SAMPLE: Final = 64 << 10
WESTERN: Final = "cp1252"
CANDIDATES: Final = (
    *("cp932", "euc_jp", "iso2022_jp", "gb18030", "big5", "cp949"),
    *("cp1251", "koi8_r", "cp866", "cp1253", WESTERN),
)


def prepare() -> None:
    """Import what the guess needs: files can't be opened later."""
    preload_codecs(*CANDIDATES)
    detect("Größe: текст".encode("cp1251", "replace"))


def detect(data: bytes, charset: str | None = None) -> str | None:
    """Return the guessed charset; the given one if the text says by itself what it is."""
    if not needs_detection(data, charset):
        return charset
    from charset_normalizer import from_bytes  # noqa: PLC0415  (slow to import, seldom needed)

    best = from_bytes(data[:SAMPLE], cp_isolation=list(CANDIDATES)).best()
    return best.encoding if best else WESTERN
