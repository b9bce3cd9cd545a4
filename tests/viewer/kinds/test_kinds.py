"""viewer/kinds/__init__.py"""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.viewer import samples
from tests.viewer.samples import every_kind, original
from viewer.kinds import preview_of
from viewer.sandbox import process
from viewer.sandbox.process import Answer

EXPECTED = {
    "report.pdf": "pdf",
    "sunset.png": "image",
    "logo.svg": "image",
    "notes.txt": "text",
    "README.md": "markdown",
    "sum.py": "code",
    "data.json": "code",
    "sales.csv": "table",
    "sales.tsv": "table",
    "page.html": "web",
    "letter.eml": "mail",
    "plain.eml": "mail",
    "tone.wav": "audio",
    "clip.webm": "video",
    "report.docx": "office",
    "sheet.xlsx": "office",
    "talk.pptx": "office",
    "minutes.odt": "office",
    "costs.ods": "office",
    "talk.odp": "office",
    "files.zip": "office",
    "mystery.bin": "unknown",
    "empty.txt": "unknown",
}
DEGRADED = (
    EXPECTED
    | dict.fromkeys(("README.md", "page.html", "sum.py", "data.json"), "code")
    | {
        "README.md": "text",
        **{name: "unknown" for name, kind in EXPECTED.items() if kind in ("office", "pdf", "mail")},
    }
)


@pytest.mark.parametrize(
    ("name", "kind", "data"), every_kind(), ids=lambda v: v if isinstance(v, str) else ""
)
def test_every_kind_is_shown_as_itself(name, kind, data):
    assert preview_of(original(data, name, kind)).kind == EXPECTED[name]


@pytest.mark.parametrize(
    ("name", "kind", "data"), every_kind(), ids=lambda v: v if isinstance(v, str) else ""
)
def test_when_every_child_fails_each_kind_still_has_a_page(monkeypatch, name, kind, data):
    monkeypatch.setattr(process, "_run", lambda *_: Answer())

    assert preview_of(original(data, name, kind)).kind == DEGRADED[name]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a.md", "markdown"),
        ("a.CSV", "table"),
        ("a.rs", "code"),
        ("Makefile", "code"),
        ("a", "text"),
    ],
)
def test_plain_text_is_known_by_its_name(name, shown):
    assert preview_of(original(b"a,b\n", name, "text/plain")).kind == shown


def test_content_decides_where_the_sender_said_nothing():
    assert preview_of(original(samples.pdf("x"), "x")).kind == "pdf"
    assert preview_of(original(samples.pdf("x"), "x", "text/plain")).kind == "text"


WITHOUT = """
import sys
hide = "for name in ('pypdfium2', 'nh3', 'markdown_it', 'pygments'): sys.modules[name] = None"
exec(hide)
import viewer.sandbox.process as process
process.START = f"import sys\\n{hide}\\n{process.START}"
from tests.viewer.samples import every_kind, original
from viewer.kinds import preview_of
for name, kind, data in every_kind():
    print(name, preview_of(original(data, name, kind)).kind)
"""


def test_without_the_viewers_libraries_it_shows_less_and_still_works():
    root = Path(__file__).parents[3]
    said = subprocess.run(
        [sys.executable, "-c", WITHOUT], cwd=root, capture_output=True, text=True, check=True
    )
    shown = dict(line.split() for line in said.stdout.splitlines())

    assert shown == DEGRADED | {"letter.eml": "mail", "plain.eml": "mail"}
