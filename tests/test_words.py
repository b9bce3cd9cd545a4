"""docs/words.md: no page and no mail says what the vocabulary has another word for."""

import ast
import re
from pathlib import Path

import pytest

from tests.trees import tree_of

ROOT = Path(__file__).parents[1]
WORDS = ROOT / "docs/words.md"
MAILS = (
    "models/accounts/invitation.py",
    "models/events/notices.py",
    "models/links/codes.py",
    "models/links/gate.py",
    "models/links/opening.py",
    "models/links/recipient.py",
)
SENTENCES = ("blueprints/console", "blueprints/views")


def rows():
    """The rows of the vocabulary: what we say, what it means, what we do not say."""
    terms = WORDS.read_text().partition("## Terms")[2].partition("## Sentences")[0]
    found = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \|$", terms, re.M)
    return [row for row in found if row[0] != "We say"]


FORBIDDEN = [phrase for *_, unsaid in rows() for phrase in re.findall(r'"([^"]+)"', unsaid)]


def files():
    """Every file whose text people read, by its path below the root."""
    templates = [
        *(ROOT / "templates").rglob("*.html"),
        *(ROOT / "templates").rglob("*.js"),
        *(ROOT / "viewer/templates").rglob("*.html"),
    ]
    python = [path for folder in SENTENCES for path in (ROOT / folder).glob("*.py")]
    mails = [ROOT / path for path in MAILS]
    return sorted(str(path.relative_to(ROOT)) for path in [*templates, *python, *mails])


def text_of(path):
    """The text of a file without comments, docstrings and emphasis, in small letters."""
    source = (ROOT / path).read_text()
    if path.endswith(".py"):
        source = "\n".join(texts_of(tree_of(ROOT / path)))
    source = re.sub(r"\{#.*?#\}|^\s*//.*?$", "", source, flags=re.S | re.M)
    source = re.sub(r"</?(b|bdi|i|em|strong)>", "", source)
    return re.sub(r"\s+", " ", source.replace("’", "'")).lower()


def texts_of(tree):
    """The strings of a module that are no docstrings, each of which stands alone in its place."""
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in alone:
            yield node.value


def stands_in(phrase, text):
    """Whether a phrase begins at a word of the text."""
    return re.search(rf"(?<!\w){re.escape(phrase.lower())}", text)


def said_in(path):
    text = text_of(path)
    return [phrase for phrase in FORBIDDEN if stands_in(phrase, text)]


def test_the_vocabulary_is_read_whole():
    assert len(rows()) > 20
    assert {"certain people", "MiB", "taken back"} <= set(FORBIDDEN)


@pytest.mark.parametrize("path", sorted(files()))
def test_a_page_or_mail_says_nothing_that_the_vocabulary_says_otherwise(path):
    assert said_in(path) == []
