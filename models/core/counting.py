"""A count in words: the one place that knows the plural."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return `1 document`, `1,200 documents`; `plural` is for words that do not end with the s."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
