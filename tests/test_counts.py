"""A count in words comes from one function, in Python, on pages and in scripts."""

import ast
import re
from pathlib import Path

import pytest

from models.core import counted
from tests.trees import nodes_of
from viewer import format_size
from viewer.markup.formatting import format_count

ROOT = Path(__file__).parents[1]
CODE = ("blueprints", "models", "operations", "server", "webhooks", "app.py", "settings.py")
VERBS = {
    "allows",
    "checks",
    "does",
    "encrypts",
    "exists",
    "gets",
    "has",
    "holds",
    "invites",
    "lacks",
    "lists",
    "logs",
    "manages",
    "refuses",
    "takes",
    "this",
    "was",
    "works",
}
NO_COUNTS = {"templates/counts.js"}  # the function itself


def python_files():
    for name in CODE:
        path = ROOT / name
        yield from [path] if path.is_file() else sorted(path.rglob("*.py"))


def pages():
    return sorted((ROOT / "templates").rglob("*.html"))


def scripts():
    return sorted((ROOT / "templates").rglob("*.js"))


def is_plural(words):
    """Whether the text that follows a value begins with a noun in the plural."""
    found = re.match(r" (?:more )?([a-z]{3,})", words)  # shorter ones are units: s, ms
    if not found or found[1] in VERBS:
        return False
    return found[1] == "people" or (found[1].endswith("s") and not found[1].endswith("ss"))


def is_fixed(value):
    """Whether it is a constant of a module, whose number is known when the sentence is written."""
    name = getattr(value, "id", getattr(value, "attr", ""))
    return name.strip("_").isupper()


def counts_in_code(path):
    """The values of a module that a noun in the plural follows."""
    for node in nodes_of(path):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, words in zip(node.values, node.values[1:], strict=False):
            is_value = isinstance(value, ast.FormattedValue)
            if not is_value or not isinstance(words, ast.Constant) or is_fixed(value.value):
                continue
            if is_plural(words.value):
                yield f"{path.relative_to(ROOT)}:{node.lineno}: {words.value[:30]!r}"


def counts_in_text(path, value):
    """The values of a page or script that a noun in the plural follows."""
    text = re.sub(r"\{#.*?#\}|^\s*//.*?$", "", path.read_text(), flags=re.S | re.M)
    for found in re.finditer(value + r"(?= [a-z])", text):
        if is_plural(text[found.end() : found.end() + 40]):
            yield f"{path.relative_to(ROOT)}: {text[found.start() : found.end() + 20]!r}"


def plurals_by_hand(path):
    """The places of a file that choose between a noun and its plural themselves."""
    source = path.read_text()
    return re.findall(r"(?:else|:|\?) *[\"']s[\"']", source)


def test_one_of_a_kind_has_no_s():
    assert counted(1, "document") == "1 document"
    assert counted(0, "document") == "0 documents"
    assert counted(1200, "document") == "1,200 documents"
    assert counted(1, "person", "people") == "1 person"
    assert counted(2, "person", "people") == "2 people"


@pytest.mark.parametrize("number", [0, 1, 2, 999, 1000, 1234567])
def test_the_viewer_which_stands_alone_counts_alike(number):
    assert format_count(number, "page") == counted(number, "page")


def test_a_size_of_one_byte_has_no_s():
    assert format_size(1) == "1 byte"


def test_no_sentence_of_the_code_writes_a_plural_behind_a_number():
    assert [one for path in python_files() for one in counts_in_code(path)] == []


def test_no_page_writes_a_plural_behind_a_number():
    assert [one for path in pages() for one in counts_in_text(path, r"\}\}(?:</\w+>)?")] == []


def test_no_script_writes_a_plural_behind_a_number():
    found = [one for path in scripts() for one in counts_in_text(path, r"\$\{[^}]*\}")]
    assert found == []


def test_nothing_but_the_function_chooses_between_a_noun_and_its_plural():
    places = {
        str(path.relative_to(ROOT)): plurals_by_hand(path)
        for path in [*python_files(), *pages(), *scripts()]
    }
    assert {path for path, found in places.items() if found} - NO_COUNTS == set()


def test_a_noun_that_is_counted_is_given_in_the_singular():
    """`refuse_if_full(n, most, "links", …)` would say "1 linkss"."""
    for path in python_files():
        for node in nodes_of(path):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            place = {"counted": 1, "refuse_if_full": 2}.get(node.func.id)
            if node.func.id == "refuse_if_full":
                assert isinstance(node.args[place], ast.Constant), f"{path}:{node.lineno}"
            if place is not None and isinstance(node.args[place], ast.Constant):
                noun = node.args[place].value
                assert not is_plural(f" {noun}"), f"{path}:{node.lineno}"
    for path in pages():
        for noun in re.findall(r'counted\([^"]*?, "([^"]+)"', path.read_text()):
            assert not is_plural(f" {noun}"), path


def test_the_script_counts_as_the_code_does(browser):
    page = browser.new_page()
    page.add_script_tag(content=(ROOT / "templates/counts.js").read_text())
    sizes = [0, 1, 2, 999, 1000, 9949, 9950, 999_499, 999_500, 1_000_000, 67_108_864, 5 * 10**9]
    assert page.evaluate("sizes => sizes.map(sizeInWords)", sizes) == [
        format_size(size) for size in sizes
    ]
    numbers = [0, 1, 2, 1200]
    assert page.evaluate("all => all.map(one => counted(one, 'file'))", numbers) == [
        counted(number, "file") for number in numbers
    ]
    page.close()
