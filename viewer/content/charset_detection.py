"""Runs in the child process. Guesses the encoding of text that neither says it nor is UTF-8.

Each language has letters outside ASCII that its texts use. Read in a wrong encoding, a text has
others: signs within words, capitals behind small letters, two scripts in one word. Of Chinese,
Japanese and Korean the frequent characters count. A short text can be wrong: the page has a menu.
"""

import codecs
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from .decoding import FALLBACK, needs_detection, preload_codecs


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
KANA: Final = "".join(map(chr, range(0x3041, 0x30FD)))
FREQUENT: Final = {  # characters of languages that have thousands, by their encodings
    ("cp932", "euc_jp"): KANA
    + (
        "。、「」・日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地"
        "合市業内相方四定今回新場金員九入選立開手米力学問高代明実円関決子動京全目表経通外最言氏現理"
        "調体化田当八六約主題下首意法不来作性的要用制治度務強気小七成期公野協取都和統以機平総加山思"
        "家話世受区領多県続進正安設保改数記院女初北午指権心界支第産結百派点教報済書府活原先共得解名"
        "交資予川向際査勝"
    ),
    ("gb18030",): (
        "，。、：的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去"
        "之过家学对可里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本"
        "见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话"
        "儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听"
        "世气信北少关并内加化由却代军产入先山五太水万市务请张王李"
    ),
    ("big5",): (
        "，。、：的一是不了人我在有他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去"
        "之過家學對可裡後小麼心多天而能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本"
        "見經頭面公同三已老從動兩長知民樣現分將外但身些與高意進把法此實回二理美點月明其種聲全工己話"
        "兒者向情部正名定女問力機給等幾很業最間新什打便位因重被走電四第門相次東政海口使教西再平真聽"
        "世氣信北少關並內加化由卻代軍產入先山五太水萬市務請張王李臺灣"
    ),
    ("cp949",): (
        "이다는에의가을하고를은로기지사도서나어한아리자시라대인스니해전정일수부그있제으여보년장주들"
        "조구게과적만상공동신원와성국선소무우요오계였월말까회안내비것면중문위되세때업경들유모양실관"
        "발미연생했던할러었데등물단거려알금간학민방화분차마진재개체통립울"
    ),
}
SURE: Final = 0.3  # of all characters are frequent ones


def prepare() -> None:
    """Import what the guess needs: files can't be opened later."""
    named = [name for one in LANGUAGES for name in one.encodings]
    preload_codecs(FALLBACK, *named, *(name for names in FREQUENT for name in names))


def detect(data: bytes, charset: str | None = None) -> str | None:
    """Return the guessed charset; the given one if the text says by itself what it is."""
    if not needs_detection(data, charset):
        return charset
    sample = b"\n".join(line for line in data.split(b"\n") if not line.isascii())[:SAMPLE]
    share, frequent = _by_frequent_characters(sample)
    fit, alphabet = _by_alphabet(sample)
    if fit >= FITS and share < SURE:
        return alphabet
    return frequent if share else FALLBACK


def _by_frequent_characters(sample: bytes) -> tuple[float, str]:
    """Return which share of a text is frequent characters, and the encoding that has most."""
    shares = [(0.0, FALLBACK)]
    for encodings, characters in FREQUENT.items():
        for encoding in encodings:
            found = [one for one in _decoded(sample, encoding) or "" if not one.isascii()]
            shares.append((sum(map(characters.count, found)) / max(1, len(found)), encoding))
    return max(shares)


def _by_alphabet(sample: bytes) -> tuple[float, str]:
    """Return how well the best language fits, and its encoding."""
    rated = [
        (_fit(text, language), encoding, text)
        for language in LANGUAGES
        for encoding in language.encodings
        if (text := _decoded(sample, encoding)) is not None
    ]
    fit, encoding, text = max(rated, key=lambda one: one[0], default=(0.0, FALLBACK, ""))
    return fit, FALLBACK if text == _decoded(sample, FALLBACK) else encoding


def _decoded(data: bytes, encoding: str) -> str | None:
    """Return the text without a character that is cut at its end; None if it is none."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(data)
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
