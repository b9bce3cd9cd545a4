"""Tables and texts whose page does not hold the original, but loads it in ranges."""

import random

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
WORDS = 120_000
LONG = "id,word,kind\n" + "".join(
    f"{n},City {n * 7919 % WORDS} in some country far away,{(10, 9, 'x10', 'x9')[n % 4]}\n"
    for n in range(WORDS)
)
# Presses the key End as soon as the scripts of a page listen.
AT_ONCE = """
addEventListener("DOMContentLoaded", () => {
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true }));
});
"""
# Notes the slices in which rows are sorted, by a clock that finds a slice over at each look: the
# turns that a timer gets between them, and the most words that are prepared for their comparison in
# one.
SLICES = """
window.slices = 0;
window.turns = 0;
window.mostPrepared = 0;
let prepared = 0;
let clock = 0;
performance.now = () => clock += 1000;
const isBusy = () => document.querySelector(".grid")?.hasAttribute("aria-busy");
const prepare = String.prototype.normalize;
String.prototype.normalize = function (form) {
  prepared++;
  window.mostPrepared = Math.max(window.mostPrepared, prepared);
  return prepare.call(this, form);
};
const { postTask } = scheduler;
scheduler.postTask = (...task) => {
  prepared = 0;
  if (isBusy()) {
    window.slices++;
    setTimeout(() => { if (isBusy()) window.turns++; });
  }
  return postTask.apply(scheduler, task);
};
"""
# Clicks on the heads of columns, one behind the other: each after three slices of the sort that the
# one before began.
CLICKS = """names => {
  const [first, ...more] = names;
  const heads = [...document.querySelectorAll("thead button")];
  const click = name => heads.find(head => head.textContent === name).click();
  const isBusy = () => document.querySelector(".grid").hasAttribute("aria-busy");
  const { postTask } = scheduler;
  let slices = 0;
  window.busy = [];
  scheduler.postTask = async (...task) => {
    await postTask.apply(scheduler, task);
    if (++slices % 3 || !more.length) return;
    window.busy.push(isBusy());
    click(more.shift());
  };
  click(first);
}"""
# Scrolls to the end in a large step and a small one, as browsers do that scroll smoothly.
TO_THE_END = """() => new Promise(done => {
  const grid = document.querySelector(".grid");
  const end = grid.scrollHeight - grid.clientHeight;
  grid.addEventListener("scroll", () => {
    grid.scrollTop = end;
    done();
  }, { once: true });
  grid.scrollTop = end - 700;
})"""
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


@pytest.fixture(params=["served", "saved"])
def long_table(request, page, site, tmp_path):
    """A function that opens a table: a page that loads it in ranges, or a file that holds it."""

    def opened(data):
        if request.param == "served":
            return shown(page, site, data)
        made = download(original(data, "a.csv", "text/csv"))
        (tmp_path / "a.html").write_bytes(b"".join(made.body))
        page.context.set_offline(True)
        page.goto((tmp_path / "a.html").as_uri())
        return page

    return opened


def numbers(page, count):
    """The numbers of the first rows that are shown."""
    rows = page.locator("tbody tr:not(.space) th").all_text_contents()
    return [int(number) for number in rows[:count]]


def is_busy(page):
    return page.get_attribute(".grid", "aria-busy") == "true"


def sorted_column(page):
    """The name of the column by which rows are sorted, and the direction; None without one."""
    head = page.locator("thead [aria-sort]")
    return (head.text_content(), head.get_attribute("aria-sort")) if head.count() else None


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


def test_the_key_end_leads_to_the_last_row_before_the_rows_are_read(page, long_table):
    page.add_init_script(AT_ONCE)
    long_table(LONG.encode())
    until(lambda: status(page) == "120,000 rows")
    last = page.locator("tbody tr:not(.space)").last
    until(lambda: last_number(page) == str(WORDS))
    page.evaluate(FRAMES)

    assert last_number(page) == str(WORDS)
    assert last.bounding_box()["y"] < page.viewport_size["height"]


def test_scrolling_whose_last_step_is_small_ends_at_the_last_row(page, long_table):
    long_table(LONG.encode())
    until(lambda: status(page) == "120,000 rows")
    page.evaluate(TO_THE_END)
    until(lambda: last_number(page) == str(WORDS))


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


def test_few_rows_of_a_long_table_are_laid_out_before_a_script_draws_those_in_sight(
    page, long_table
):
    page.add_init_script("""
        const rows = () => [...document.querySelectorAll("tbody tr")];
        const look = () => {
          const laidOut = rows().filter(row => row.getClientRects().length).length;
          window.most = Math.max(window.most ?? 0, laidOut);
          requestAnimationFrame(look);
        };
        look();
        addEventListener("DOMContentLoaded", () => { window.held = rows().length; });
    """)
    long_table(LONG.encode())
    until(lambda: status(page) == "120,000 rows")

    assert page.evaluate("window.held") == 5_000
    assert 20 < page.evaluate("window.most") <= 120
    assert page.heard == []


def test_without_scripts_all_rows_that_the_page_holds_are_laid_out(new_page, site):
    page = shown(new_page(java_script_enabled=False), site, LONG.encode())

    assert page.locator("tbody tr").nth(4_999).is_visible()


@pytest.mark.parametrize("why", ["the ticket ended", "nothing may be saved"])
def test_all_rows_that_the_page_holds_are_laid_out_where_no_more_are_loaded(page, site, why):
    site.pages["/original"] = {"Content-Type": "text/csv"}, LONG.encode()
    document = original(LONG.encode(), "a.csv", "text/csv")
    may_save = why == "the ticket ended"
    made = view(document, content_url=f"{site.here}/original", may_save=may_save)
    page.goto(site.put("/shown", made))

    until(lambda: page.locator("tbody tr").nth(4_999).is_visible())


def test_the_rows_that_were_read_are_shown_where_the_rest_can_not_be_loaded(page, site):
    def answer(route):
        if route.request.headers["range"].startswith("bytes=0-"):
            route.continue_()
        else:
            route.abort()

    page.route("**/original*", answer)
    shown(page, site, LONG.encode())
    page.wait_for_selector(".note[role=alert]")
    rows = int(status(page).removeprefix("The first ").removesuffix(" rows").replace(",", ""))
    page.keyboard.press("End")

    assert 10_000 < rows < WORDS
    until(lambda: last_number(page) == str(rows))


def test_a_long_table_answers_while_it_is_sorted_and_says_that_it_is_busy(page, long_table):
    page.add_init_script(SLICES)
    long_table(LONG.encode())
    until(lambda: status(page) == "120,000 rows")
    assert not is_busy(page)
    page.evaluate(CLICKS, ["word"])
    until(lambda: not is_busy(page))

    slices = page.evaluate("window.slices")
    assert slices > 1_000
    assert page.evaluate("window.turns") >= slices - 1  # the last may come when the rows are sorted
    assert 0 < page.evaluate("window.mostPrepared") < WORDS / 50
    until(lambda: numbers(page, 2) == [1, 1 + pow(7919, -1, WORDS)])
    assert sorted_column(page) == ("word", "ascending")
    assert page.heard == []


@pytest.mark.parametrize(
    ("clicks", "shown_as", "first"),
    [
        (["word", "word"], ("word", "descending"), 1 + (WORDS - 1) * pow(7919, -1, WORDS) % WORDS),
        (["word", "word", "word"], None, 1),
        (["word", "kind"], ("kind", "ascending"), 2),
        (["word", "kind", "word"], ("word", "ascending"), 1),
    ],
    ids=["the other direction", "as it was", "another column", "another and back"],
)
def test_a_click_while_a_long_table_is_sorted_supersedes_the_one_before(
    page, long_table, clicks, shown_as, first
):
    long_table(LONG.encode())
    until(lambda: status(page) == "120,000 rows")
    page.evaluate(CLICKS, clicks)
    until(lambda: page.evaluate("window.busy.length") == len(clicks) - 1)
    until(lambda: not is_busy(page) and numbers(page, 1) == [first])

    assert page.evaluate("window.busy") == [True] * (len(clicks) - 1)
    assert sorted_column(page) == shown_as
    assert status(page) == "120,000 rows"
    heads, cells = edges(page)
    assert heads == cells
    assert page.heard == []


def test_a_long_table_whose_sorting_was_cancelled_is_sorted_by_the_next_click(page, long_table):
    long_table(LONG.encode())
    until(lambda: status(page) == "120,000 rows")
    page.evaluate(CLICKS, ["word", "word", "word"])
    until(lambda: page.evaluate("window.busy.length") == 2 and not is_busy(page))
    page.get_by_role("button", name="word").click()

    until(lambda: numbers(page, 2) == [1, 1 + pow(7919, -1, WORDS)])
    assert sorted_column(page) == ("word", "ascending")


def test_a_filter_is_heard_while_a_long_table_is_sorted(page, long_table):
    long_table(LONG.encode())
    until(lambda: status(page) == "120,000 rows")
    page.evaluate(CLICKS, ["word"])
    page.fill(".filter input", "CITY 7 IN")

    until(lambda: status(page) == "1 of 120,000 rows" and not is_busy(page))
    assert sorted_column(page) == ("word", "ascending")
    page.fill(".filter input", "")
    until(lambda: status(page) == "120,000 rows" and numbers(page, 1) == [1])


def test_a_long_table_keeps_equal_rows_in_their_order_and_sorts_numbers_before_words(
    page, long_table
):
    long_table(LONG.encode())
    until(lambda: status(page) == "120,000 rows")
    kind = page.get_by_role("button", name="kind")
    kind.click()
    until(lambda: not is_busy(page) and numbers(page, 3) == [2, 6, 10])  # 9, 9, 9
    page.keyboard.press("End")
    until(lambda: last_number(page) == str(WORDS - 1))  # x10
    kind.click()

    until(lambda: not is_busy(page) and numbers(page, 3) == [3, 7, 11])  # x10, x10, x10
    page.keyboard.press("End")
    until(lambda: last_number(page) == str(WORDS - 2))  # 9


def test_words_are_sorted_as_the_language_of_the_browser_does(page, site):
    choices = random.Random(1)
    signs = "aAäÄbBzéE_-. 019ß東"
    words = ["x" + "".join(choices.choices(signs, k=choices.randrange(6))) for _ in range(400)]
    shown(page, site, b"word,more\n" + "".join(f"{one},1\n" for one in words).encode())
    page.get_by_role("button", name="word").click()
    expected = page.evaluate(
        """words => {
            const {compare} = new Intl.Collator(undefined, {numeric: true, sensitivity: "base"});
            return words.map(word => word.trim()).sort(compare);
        }""",
        words,
    )

    cells = page.locator("tbody tr td:nth-child(2)")
    until(lambda: not is_busy(page) and cells.first.text_content().strip() == expected[0])
    assert [one.strip() for one in cells.all_text_contents()] == expected


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
    until(lambda: in_view(page, 25_000))
    page.keyboard.press("g")
    page.keyboard.type("21234")
    page.keyboard.press("Enter")
    until(lambda: in_view(page, 21_234))
    until(lambda: not page.locator(".note").count())
    assert page.heard == []


def test_the_browser_finds_words_in_a_long_text_that_the_page_does_not_hold(page, site):
    shown(page, site, LINES.encode(), "a.txt", "text/plain")
    page.wait_for_selector("#L25000", state="attached")

    assert page.evaluate("find('line 24321 ')")
    page.evaluate(FRAMES)
    assert in_view(page, 24_321)


def test_a_link_to_a_line_of_a_text_that_the_page_does_not_hold_opens_there(page, site):
    site.pages["/original"] = {"Content-Type": "text/plain", **LOADED}, LINES.encode()
    made = view(
        original(LINES.encode(), "a.txt", "text/plain"), content_url=f"{site.here}/original"
    )
    page.goto(site.put("/linked", made) + "#L24000")

    until(lambda: in_view(page, 24_000))


def test_a_text_with_one_long_line_is_shown_whole(page, site):
    length = 5 << 20  # of several ranges
    shown(page, site, b"x" * length + b"\nlast", "a.txt", "text/plain")
    page.wait_for_selector("#L2")

    assert page.evaluate("document.getElementById('L1').textContent.length") == length + 1
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
    page.wait_for_selector(f"#L{800 * step + 2}", state="attached")

    drawn = page.evaluate("[...document.querySelectorAll('.code [id^=L]')].map(a => a.textContent)")
    assert drawn[: step + 1] == pattern[: step + 1]
    assert all(
        drawn[1 + n * step : 1 + (n + 1) * step] == pattern[1 : step + 1] for n in range(799)
    )
