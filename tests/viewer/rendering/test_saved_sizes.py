"""How much larger a saved file is than what it holds: page, a third for base64, what is shown."""

from zlib import crc32

import pytest

from tests.viewer.samples import every_kind, original
from viewer import download

MOST = 40_000  # bytes above the content
PYTHON = '''def total(rows, *, currency="EUR"):
    """Add what each of these rows costs."""
    found = [row["price"] * 1.19 for row in rows if row.get("currency") == currency]
    return sum(found) or None  # nothing was sold


'''
C = """/* The larger of two. */
static int larger(const struct item *left, const struct item *right)
{
    if (left->size == right->size && !left->name)
        return 0;
    return left->size > right->size ? 1 : -1;
}

"""
SCRIPT = """const total = (rows, currency = "EUR") => {
  const found = rows.filter(row => row.currency === currency); // what was sold
  return found.reduce((sum, row) => sum + row.price * 1.19, 0);
};

"""
STYLE = (
    ".card > p:first-child {\n  margin: 0 auto 1.5em;\n  color: #16181d;\n  content: 'x';\n}\n\n"
)
SETTINGS = "  - name: build\n    uses: actions/checkout@v4\n    with:\n      depth: 0 # all of it\n"
MARKDOWN = (
    "## Install\n\nRun `pip install .`, then [look](https://example.org) at **what** is new:\n\n"
    "- one file for *all* that there is\n- nothing else\n\n```sh\ncd /tmp && ls -l\n```\n\n"
)
CONTENTS = {  # name -> what it repeats, and up to which size
    "a.py": (PYTHON, 8_500),
    "a.c": (C, 7_000),
    "a.js": (SCRIPT, 9_000),
    "a.css": (STYLE, 5_500),
    "a.yaml": (SETTINGS, 7_000),
    "a.json": ('{"name": "Ada", "born": 1815, "tags": ["a", "b"], "none": null},', 3_500),
    "a.csv": ("2026-01-31,Zürich,12.5,7,open\n", 4_500),
    "a.md": (MARKDOWN, 6_000),
    "a.log": ("2026-01-31T09:30:00Z INFO http: GET /healthz 200 0.4 ms – gültig\n", 12_000),
    "a.html": ("<h2>Notes</h2>\n<p>Some words, and <a href='#x'>a link</a>.</p>\n", 8_000),
    "a.srt": ("1\n00:00:01,000 --> 00:00:04,000\nSome words, said by two.\n\n", 9_000),
}


def above(data, name, kind=""):
    return download(original(data, name, kind)).length - len(data)


@pytest.mark.parametrize("name", CONTENTS)
def test_the_file_of_a_small_text_is_little_larger_than_it(name):
    repeated, size = CONTENTS[name]
    data = (repeated * (size // len(repeated) + 1)).encode()
    if name == "a.json":
        data = b"[" + data.rstrip(b",") + b"]"

    assert above(data, name) <= MOST


def test_the_file_of_each_kind_is_little_larger_than_it():
    sizes = {name: above(data, name, kind) for name, kind, data in every_kind()}

    assert {name: size for name, size in sizes.items() if size > MOST} == {}


@pytest.mark.parametrize("name", ["a.png", "a.mp3", "a.ttf", "a.bin"])
def test_what_is_not_text_grows_by_its_page_and_a_third(name):
    data = b"".join(crc32(bytes([n % 256, n >> 8])).to_bytes(4, "big") for n in range(5_000))

    assert above(data, name) <= 31_000
