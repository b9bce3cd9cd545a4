"""Words that are looked for in names: in any order, each at any place, without case and accents."""

import unicodedata

MOST_CHARACTERS = 200  # of a text whose words are looked for
MOST_WORDS = 10


class Words:
    """The words of a text, at most `MOST_WORDS` of its first `MOST_CHARACTERS`: a longer text finds
    what the first part of it finds.

    A text of nothing but white space is itself looked for.
    """

    def __init__(self, text: str) -> None:
        folded = fold(text[:MOST_CHARACTERS])
        self._words = folded.split()[:MOST_WORDS] or [folded]

    def are_in(self, folded_name: str) -> bool:
        """Return whether each word is in the name, which was folded as the words were."""
        return all(word in folded_name for word in self._words)


def fold(text: str) -> str:
    """Return a text without case and accents: `Prüfung` as `prufung`, `㎒` as `mhz`."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text.casefold()).casefold()
    return "".join(part for part in parts if not unicodedata.combining(part))
