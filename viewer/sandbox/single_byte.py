"""Runs in the child process. Guesses which alphabet a text in a single-byte encoding is written in.

Each language has the letters outside ASCII that its texts use. Read in a wrong encoding, a text has
others: signs within words, capitals behind small letters, two scripts in one word.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ..decoding import FALLBACK


class Language(NamedTuple):
    encodings: tuple[str, ...]
    letters: str  # those that few texts lack; a space; the others
    latin: bool = True


WESTERN, CENTRAL, BALTIC = (FALLBACK,), ("cp1250", "iso8859_2"), ("cp1257",)
LANGUAGES: Final = (  # the first one of those that fit equally
    *(
        Language(WESTERN, letters)
        for letters in ("äöüß", "éèàçêâùîôëïûœæ", "ñíóúáéü", "ãõçáéíóúâêôàü", "àèéìòù", "åäöæøé")
    ),
    Language(WESTERN, "áéíóúö ðþýæ"),
    *(
        Language(CENTRAL, letters)
        for letters in ("ąćęłńóśźż", "ěščřžýáíéúůťďňóľôä", "áéíóöőúüű", "ăâîşţ", "čćžšđ")
    ),
    Language(("cp1254",), "ığşçöüİ âî"),
    *(Language(BALTIC, letters) for letters in ("ąčęėįšųūž", "āčēģīķļņšūž", "õäöüšž")),
    Language(("cp1255",), "יוהלאתרשמבם ןכדנעחפקטצסגזךףץ", latin=False),
    Language(("cp1251", "koi8_r", "cp866"), "оеаинтсрвлкмдпуя ыьгзбчйхжшюцщэфъё", latin=False),
    Language(("cp1251",), "оаинтевіркслудмпя зьгбчйїхжщцєюшфґ", latin=False),
    Language(("cp1253", "iso8859_7"), "αοιετσνρκπλυης βγδζθμξφχψωίόάέήύώϊϋ", latin=False),
    Language(("cp1256",), "اليمنوترهبدعفسةك قحجصشطخغذثزضظءآأؤإئىپچژگ،؟", latin=False),
    Language(("cp874",), "กนรอางเทสมยลวดค ่้ีัิืุูะาำแโใไขฃคฅฆจฉชซฌญฎฏฐฑฒณตถธบปผฝพฟภศษหฬฮ็์ๆๅึฯ", latin=False),
)
WORD: Final = re.compile(r"[^\s!-@\[-`{-~]+")  # also with signs that are not ASCII
SIGNS: Final = frozenset("„“”‚‘’«»‹›–—…•·°§€£№¿¡\xa0")
RARE: Final = 0.6  # what a letter counts that is not among the usual ones
CAPITAL: Final = 0.9  # and one that follows another
FITS: Final = 0.7
SAMPLE: Final = 4_000  # bytes


def detect_alphabet(data: bytes) -> str | None:
    """Return the encoding whose language fits best; None if none fits."""
    sample = b"\n".join(line for line in data.split(b"\n") if not line.isascii())[:SAMPLE]
    rated = [
        (_fit(text, language), encoding, text)
        for language in LANGUAGES
        for encoding in language.encodings
        if (text := _decoded(sample, encoding)) is not None
    ]
    fit, encoding, text = max(rated, key=lambda one: one[0], default=(0.0, "", ""))
    if fit < FITS:
        return None
    return FALLBACK if text == _decoded(sample, FALLBACK) else encoding


def _decoded(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _fit(text: str, language: Language) -> float:
    """Return how well the characters outside ASCII fit, at most 1."""
    usual, _, rare = language.letters.partition(" ")
    rates = dict.fromkeys(rare + rare.upper(), RARE) | dict.fromkeys(usual + usual.upper(), 1.0)
    found = [rate for word in WORD.findall(text) for rate in _rates(word, rates, language.latin)]
    return sum(found) / len(found) if found else 0.0


def _rates(word: str, rates: dict[str, float], latin: bool) -> Iterator[float]:  # noqa: FBT001
    """Yield what each character outside ASCII is worth."""
    mixed = not latin and any(character.isascii() for character in word)
    for before, character in zip(" " + word, word, strict=False):
        at_an_end = character in SIGNS and character in (word[0], word[-1])
        if character.isascii() or at_an_end:
            continue
        if mixed or (character.isupper() and before.islower()):
            yield -1.0
        else:
            rate = rates.get(character, -1.0)
            yield rate * CAPITAL if character.isupper() and before.isupper() else rate
