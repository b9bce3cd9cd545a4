"""viewer/formats/sheets/sheets.py, with damaged workbooks"""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.viewer import samples
from viewer.formats.sheets.sheets import prepare, render

MADE = {"xlsx": samples.xlsx(), "ods": samples.ods(), "xls": samples.xls()}


def read(data):
    prepare(data, {})
    ((facts, html),) = render(data, {})
    return facts, html.decode()


def test_another_archive_is_refused():
    with pytest.raises(KeyError):
        read(samples.docx())


def test_names_and_texts_are_escaped():
    row = '<row><c t="inlineStr"><is><t>&lt;script&gt;</t></is></c></row>'
    html = read(samples.xlsx(row, names=("&lt;b&gt;", "x")))[1]

    assert "<script" not in html
    assert "<b>" not in html


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(MADE)), st.data())
def test_damaged_workbooks_end_in_html_or_an_exception(name, data):
    made = bytearray(MADE[name])
    for _ in range(data.draw(st.integers(1, 8))):
        made[data.draw(st.integers(0, len(made) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(Exception):  # any: the child process reports it and ends
        assert len(read(bytes(made))[1]) < 1 << 20


TAGS = ["row", "c", "v", "f", "is", "t", "mergeCell", "sheetData"]
XML = st.recursive(
    st.text(alphabet="0123456789A:=-.Z", max_size=8),
    lambda inner: st.builds(
        lambda tag, r, s, t, parts: f'<{tag} r="{r}" s="{s}" t="{t}">{"".join(parts)}</{tag}>',
        st.sampled_from(TAGS),
        st.sampled_from(["A1", "1", "ZZZ9999999", "", "7", "B"]),
        st.sampled_from(["0", "1", "9", "-1", "x"]),
        st.sampled_from(["s", "n", "b", "e", "str", "inlineStr", "d"]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=20,
)


@settings(deadline=None)
@given(st.lists(XML, min_size=1, max_size=4).map("".join))
def test_any_rows_give_a_grid(rows):
    assert read(samples.xlsx(f"<row>{rows}</row>"))[0]["sheets"] == 1
