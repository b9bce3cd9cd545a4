"""Tables and texts whose page does not hold the original, but loads it in ranges."""

import pytest

from tests.browser.test_source_in_browser import (
    FRAMES,
    LINES,
    first_row,
    in_view,
    status,
)
from tests.waiting import until
from viewer import download, view
from viewer.tests.samples import original

ROWS = 60_000
TABLE = "id,name,amount\n" + "".join(
    f'{n},"Name ""{n % 7}"", x","{n * 1.5:,.2f}"\n' for n in range(ROWS)
)
LOADED = {
    "Accept-Ranges": "bytes",
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
}


def shown(page, site, data, name="a.csv", kind="text/csv", headers=LOADED):
    """Open the view of an original that lies beside it."""
    site.pages["/original"] = {"Content-Type": kind, **headers}, data
    made = view(original(data, name, kind), content_url=f"{site.here}/original?ticket=t")
    page.goto(site.put("/shown", made))
    return page


def last_number(page):
    return page.locator("tbody tr:not(.space) th").last.text_content()


def edges(page):
    """The left edge and the width of each column: of its head, and of its cells in sight."""
    return page.evaluate(
        """() => {
            const boxes = row => [...row.cells].map(cell => cell.getBoundingClientRect())
                .map(({left, width}) => [Math.round(left), Math.round(width)]);
            const row = [...document.querySelectorAll("tbody tr:not(.space)")].at(-1);
            return [boxes(document.querySelector("thead tr")), boxes(row)];
        }"""
    )


def test_a_table_that_the_page_does_not_hold_shows_its_last_row_by_the_key_end(page, site):
    shown(page, site, TABLE.encode())
    until(lambda: status(page) == "60,000 rows")
    page.keyboard.press("End")

    until(lambda: last_number(page) == str(ROWS))
    last = page.locator("tbody tr:not(.space)").last
    assert last.locator("td").all_text_contents() == [
        str(ROWS - 1),
        f'Name "{(ROWS - 1) % 7}", x',
        f"{(ROWS - 1) * 1.5:,.2f}",
    ]
    until(lambda: last.bounding_box()["y"] < page.viewport_size["height"])
    assert not page.locator(".note").count()
    assert page.heard == []


def test_columns_stay_below_their_heads_while_a_long_table_is_scrolled(page, site):
    shown(page, site, TABLE.encode())
    until(lambda: status(page) == "60,000 rows")
    before = edges(page)
    assert before[0] == before[1]
    for share in (0.1, 0.5, 1, 0.3):
        page.evaluate(
            "share => { const grid = document.querySelector('.grid');"
            " grid.scrollTop = share * grid.scrollHeight; }",
            share,
        )
        until(lambda share=share: abs(int(last_number(page)) - share * ROWS) < 200)
        assert edges(page) == before


def test_a_table_that_the_page_does_not_hold_is_filtered_and_sorted(page, site):
    shown(page, site, TABLE.encode())
    page.fill(".filter input", 'name "6"')
    until(lambda: status(page) == "8,571 of 60,000 rows")
    amount = page.get_by_role("button", name="amount")
    amount.click()
    amount.click()
    until(lambda: first_row(page)[0] == "59996")
    page.fill(".filter input", "")
    until(lambda: first_row(page)[0] == "59999")
    assert status(page) == "60,000 rows"


def test_a_newer_filter_replaces_one_that_still_works(page, site):
    shown(page, site, TABLE.encode())
    until(lambda: status(page) == "60,000 rows")
    for words in ('name "1"', 'name "2"', "59998,"):
        page.fill(".filter input", words)
        page.wait_for_timeout(160)
    page.fill(".filter input", "59998")

    until(lambda: status(page) == "1 of 60,000 rows")
    assert first_row(page)[0] == "59998"


def test_a_table_higher_than_a_browser_can_draw_is_scrolled_by_rows_and_to_its_end(page, site):
    rows = 400_000
    shown(page, site, b"a,b\n" + b"".join(b"%d,x\n" % n for n in range(rows)))
    until(lambda: status(page) == "400,000 rows")
    box = page.locator(".grid").bounding_box()
    page.mouse.move(box["x"] + 50, box["y"] + 200)
    page.mouse.wheel(0, 340)
    point = f"{box['x'] + 20}, {box['y'] + 100}"
    top = f"document.elementFromPoint({point}).closest('tr').cells[0].textContent"
    until(lambda: page.evaluate(top) in ("11", "12", "13"))

    page.evaluate("document.querySelector('.grid').scrollTop = 1e9")
    until(lambda: last_number(page) == str(rows))
    until(lambda: page.evaluate(f"({top}) > {rows - 60}"))
    page.mouse.wheel(0, -340)
    until(lambda: rows - 60 < int(page.evaluate(top)) < rows - 20)
    page.evaluate("document.querySelector('.grid').scrollTop = 0")
    until(lambda: page.evaluate(top) in ("1", "2", "3"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "cp1252", "shift_jis"])
def test_rows_that_lie_across_pieces_are_whole_in_every_encoding(page, site, encoding):
    word = "東京" if encoding == "shift_jis" else "größer"
    table = "id,text\n" + "".join(
        f'{n},"{word}\r\n{"x" * (n % 977)}, ""{word}"""\r\n' for n in range(9_000)
    )
    data = table.encode(encoding)
    if encoding.startswith("utf-16"):
        data = "\ufeff".encode(encoding) + data
    charset = {"cp1252": "; charset=windows-1252", "shift_jis": "; charset=shift_jis"}
    shown(page, site, data, kind="text/csv" + charset.get(encoding, ""))
    until(lambda: status(page) == "9,000 rows")
    page.fill(".filter input", f'{word}\n{"x" * 3}, "{word}"')
    page.fill(".filter input", f', "{word}"')
    until(lambda: status(page) == "9,000 of 9,000 rows")
    page.evaluate("document.querySelector('.grid').scrollTop = 1e9")
    until(lambda: last_number(page) == "9000")

    cells = page.locator("tbody tr:not(.space)").last.locator("td").all_text_contents()
    assert cells == ["8999", f'{word}\n{"x" * (8_999 % 977)}, "{word}"']
    assert "\ufffd" not in page.inner_text("main")


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        (b"a,b\n1," + b"x" * (20 << 20) + b"\n2,y\n", "2 rows"),
        (b"a,b\n" + b"1," * 1_000_000 + b"\n2,y\n", "2 rows"),
        (b'a,b\n1,"' + b"never closed, \n" * 300_000, "1 row"),
        (b"a,b\n1,2\n" + b"\n" * 3_000_000, "1 row"),
    ],
    ids=["a long line", "many columns", "an open quote", "empty lines"],
)
def test_hostile_tables_are_shown_and_filtered(page, site, data, rows):
    shown(page, site, data)
    until(lambda: status(page) == rows)
    page.fill(".filter input", "1")
    until(lambda: status(page) == f"1 of {rows}")
    page.get_by_role("button", name="a", exact=True).click()
    until(lambda: page.locator("th[aria-sort]").count() == 1)
    until(lambda: first_row(page)[0] == "1")
    assert page.heard == []


def test_a_server_that_knows_no_ranges_is_asked_once(page, site):
    site.asked.clear()
    shown(page, site, TABLE.encode(), headers=LOADED | {"Accept-Ranges": ""})
    until(lambda: status(page) == "60,000 rows")

    assert len([path for path in site.asked if path.startswith("/original")]) <= 2


def test_a_page_whose_ticket_ended_says_so_and_opens_again(page, site):
    shown(page, site, TABLE.encode(), headers={})
    page.wait_for_selector(".note[role=alert]")
    assert "could not be loaded" in page.text_content(".note")
    assert page.locator("tbody tr").count() > 1_000
    site.pages["/original"] = {"Content-Type": "text/csv", **LOADED}, TABLE.encode()
    page.get_by_role("button", name="Open it again").click()

    until(lambda: status(page) == "60,000 rows")


@pytest.mark.parametrize("name", ["a.txt", "a.log", "a.py", "a.xml"])
def test_a_long_text_that_the_page_does_not_hold_is_shown_to_its_end(page, site, name):
    shown(page, site, LINES.encode(), name, "text/plain")
    page.keyboard.press("End")
    until(lambda: in_view(page, 45_000))
    page.keyboard.press("g")
    page.keyboard.type("31234")
    page.keyboard.press("Enter")
    until(lambda: in_view(page, 31_234))
    page.evaluate(FRAMES)
    assert page.evaluate("find('line 44321 ')")
    page.evaluate(FRAMES)
    assert in_view(page, 44_321)
    until(lambda: not page.locator(".note").count())
    assert page.heard == []


def test_a_link_to_a_line_of_a_text_that_the_page_does_not_hold_opens_there(page, site):
    site.pages["/original"] = {"Content-Type": "text/plain", **LOADED}, LINES.encode()
    made = view(
        original(LINES.encode(), "a.txt", "text/plain"), content_url=f"{site.here}/original"
    )
    page.goto(site.put("/linked", made) + "#L44000")

    until(lambda: in_view(page, 44_000))


def test_a_text_with_one_long_line_is_shown_whole(page, site):
    shown(page, site, b"x" * (20 << 20) + b"\nlast", "a.txt", "text/plain")
    page.wait_for_selector("#L2")

    assert page.evaluate("document.getElementById('L1').textContent.length") == (20 << 20) + 1
    assert page.heard == []


def test_a_link_that_does_not_permit_to_save_loads_no_original(page, site):
    site.asked.clear()
    site.pages["/original"] = {"Content-Type": "text/csv", **LOADED}, TABLE.encode()
    made = view(
        original(TABLE.encode(), "a.csv", "text/csv"),
        content_url=f"{site.here}/original",
        may_save=False,
    )
    page.goto(site.put("/looked", made))

    assert "Showing the first" in page.text_content(".note")
    assert not page.locator(".filter").count()
    assert "/original" not in site.asked


def test_json_is_laid_out_piece_by_piece_as_the_server_does(page, tmp_path):
    """Strings, numbers and escapes lie across the borders of pieces."""
    value = (
        b'{"list":[1,2,-3.5e7],"long":[%s],"text":"a\\"b, [1] \\\\","empty":[],"deep":[[{}],[1]]}'
        % b",".join(b"%d" % (n * 1_000_003) for n in range(20))
    )
    data = b"[" + b",".join([value] * 800) + b"]"
    part = original(b"[" + b",".join([value] * 3) + b"]", "a.json", "application/json")
    (tmp_path / "part.html").write_bytes(b"".join(download(part).body))
    page.goto((tmp_path / "part.html").as_uri())
    pattern = page.locator(".code [id^=L]").all_text_contents()
    step = (len(pattern) - 2) // 3
    whole = original(data, "a.json", "application/json")
    (tmp_path / "whole.html").write_bytes(b"".join(download(whole).body))
    page.goto((tmp_path / "whole.html").as_uri())
    until(lambda: page.locator(".code [id^=L]").count() == 800 * step + 2)

    drawn = page.evaluate("[...document.querySelectorAll('.code [id^=L]')].map(a => a.textContent)")
    assert drawn[: step + 1] == pattern[: step + 1]
    assert all(
        drawn[1 + n * step : 1 + (n + 1) * step] == pattern[1 : step + 1] for n in range(799)
    )
