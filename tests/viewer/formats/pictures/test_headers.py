"""viewer/formats/pictures/headers.py"""

import pytest

from tests.viewer.samples import DJVU, original, preview_of

BUNDLE = b"AT&TFORM\0\0\0\0DJVMDIRM\0\0\0\x08\x81\0\x09" + DJVU[12:]


@pytest.mark.parametrize(
    ("name", "data", "facts"),
    [
        ("a.djvu", DJVU, ["1,200 × 1,600 pixels"]),
        ("a", BUNDLE, ["<dt>Parts</dt><dd>9", "1,200 × 1,600 pixels"]),
        ("a.xcf", b"gimp xcf v011\0\0\0\3\x20\0\0\2\x58", ["800 × 600 pixels"]),
        (
            "a.eps",
            b"%!PS-Adobe-3.0\n%%Title: (<A> logo)\n%%Pages: 1\n%%Title: B\n",
            ["&lt;A&gt; logo", "<dd>1<"],
        ),
    ],
)
def test_a_card_says_what_the_first_bytes_tell(name, data, facts):
    preview = preview_of(original(data, name))

    assert preview.kind == "unknown"
    assert all(fact in preview.body.decode() for fact in facts)


@pytest.mark.parametrize("start", [b"AT&TFORM", b"gimp xcf ", b"%!PS", BUNDLE[:26], DJVU[:22]])
def test_a_file_that_is_cut_has_a_card_without_facts(start):
    assert preview_of(original(start, "a")).body.decode().count("<dt>") == 3
