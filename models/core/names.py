"""Names: of people, and of what they make. A name is there to be seen."""

import re

# Characters that draw nothing: white space, controls, what is ignored by default
# (`Default_Ignorable_Code_Point` of Unicode), and letters and signs whose picture is empty.
_NOT_DRAWN = re.compile(
    r"[\s\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    r"\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*"
)
UNSEEN = "Write a name that can be seen."


def is_seen(name: str) -> bool:
    """Return whether a page that shows the name draws anything for it."""
    return not _NOT_DRAWN.fullmatch(name)
