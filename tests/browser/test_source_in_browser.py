"""Scripts that show more of the original: rows, lines, another encoding."""

import pytest

from tests.browser.test_page_in_browser import opened
from tests.waiting import until
from viewer import download, view
from viewer.tests.samples import original

ROWS = 20_000
TABLE = "id,name,amount\n" + "".join(
    f'{n},"Name ""{n % 7}"", x","{n * 1.5:,.2f}"\n' for n in range(ROWS)
)
JAPANESE = "名前,住所\n" + "山田太郎,東京都渋谷区\n" * 40


def table(page, tmp_path, text=TABLE):
    opened(page, tmp_path, download(original(text.encode(), "a.csv", "text/csv")))
    return page


def status(page):
    return page.text_content(".filter [role=status]")


def first_row(page):
    return page.locator("tbody tr:not(.space)").first.locator("td").all_text_contents()


def test_a_table_shows_all_its_rows(page, tmp_path):
    table(page, tmp_path)
    until(lambda: status(page) == "20,000 rows")

    assert not page.locator(".note").count()
    assert page.locator("tbody tr").count() < 200
    page.evaluate("document.querySelector('.grid').scrollTop = 1e9")
    last = page.locator("tbody tr:not(.space)").last
    until(lambda: last.locator("th").text_content() == "20000")
    assert last.locator("td").all_text_contents() == ["19999", 'Name "0", x', "29,998.50"]
    assert page.heard == []


def test_a_table_is_sorted_by_number_and_filtered(page, tmp_path):
    table(page, tmp_path)
    amount = page.get_by_role("button", name="amount")
    amount.click()
    amount.click()
    until(lambda: first_row(page)[0] == "19999")
    assert page.locator("th[aria-sort=descending]").text_content() == "amount"
    page.fill(".filter input", 'NAME "6"')
    until(lambda: status(page) == "2,857 of 20,000 rows")
    amount.click()
    until(lambda: first_row(page)[0] == "6")
    assert page.heard == []


def test_a_small_table_is_sorted_and_filtered_too(page, tmp_path):
    table(page, tmp_path, "a,b\nz,10\n\ny,9\n")

    assert status(page) == "2 rows"
    page.get_by_role("button", name="b", exact=True).click()
    until(lambda: first_row(page) == ["y", "9"])
    page.fill(".filter input", "z")
    until(lambda: status(page) == "1 of 2 rows")


@pytest.mark.parametrize(
    "text",
    [
        'a,b\n"x\ny",2\n',
        'a,b\n"q""q",2,,\n,,\n',
        'a,b\n"open',
        'a,b\nx"y"z,"1"2\n',
        "a,b\n1,2",
        "a\tb\n1,2\t3\n",
        "a;b\n",
    ],
)
def test_the_script_splits_a_table_as_the_server_does(page, tmp_path, text):
    table(page, tmp_path, text)
    rendered = page.locator("tbody").inner_text()
    page.fill(".filter input", " ")
    page.wait_for_selector(".filter [role=status]:not(:empty)")
    page.click("thead button >> nth=0")
    page.click("thead button >> nth=0")
    page.click("thead button >> nth=0")
    until(lambda: not page.locator("th[aria-sort]").count())

    assert page.locator("tbody").inner_text() == rendered


def test_hostile_cells_stay_text(page, tmp_path):
    table(page, tmp_path, "a,b\n<img src=x onerror=document.title='ran'>,\u202e\u200b\n")
    page.get_by_role("button", name="a", exact=True).click()
    until(lambda: page.locator("th[aria-sort]").count() == 1)

    assert first_row(page)[0].startswith("<img")
    assert page.text_content("tbody .ctl") == "U+202E U+200B"
    assert page.title() == "a.csv"


@pytest.mark.parametrize("kind", ["text/csv", "text/plain"])
def test_another_encoding_can_be_chosen(page, tmp_path, kind):
    data = JAPANESE.encode("shift_jis")
    opened(page, tmp_path, download(original(data, "a", kind + "; charset=cp1252")))
    assert "渋谷" not in page.text_content("main")
    page.get_by_label("Encoding").select_option("shift_jis")

    until(lambda: "渋谷" in page.locator("main").inner_text())
    assert page.heard == []


def test_a_long_text_is_read_to_its_end(page, site):
    text = "".join(f"line {n} \u202e<b>\n" for n in range(1, 25_001))
    page.goto(site.put("/long", view(original(text.encode(), "a.txt", "text/plain"))))
    page.wait_for_selector("#L25000", state="attached")

    assert page.locator(".code [id^=L]").count() == 25_000
    assert page.text_content("#L25000") == "line 25000 U+202E<b>\n"
    assert not page.is_visible(".more")
    assert not page.locator(".note").count()
    assert page.heard == []


def test_long_json_is_laid_out_to_its_end(page, tmp_path):
    data = b'[{"a":[]},' + b'{"a":[1,{"b":"]"}]},' * 2_600 + b"{}]"
    opened(page, tmp_path, download(original(data, "a.json", "application/json")))
    page.wait_for_selector("#L20806", state="attached")

    assert page.text_content(".code [id^=L] >> nth=-1") == "]\n"
    assert page.text_content(".code [id^=L] >> nth=20001").strip()


def test_without_the_original_there_is_nothing_to_choose(page, site):
    document = original(TABLE.encode(), "a.csv", "text/csv")
    page.goto(site.put("/looked", view(document, may_save=False)))

    assert "Showing the first" in page.text_content(".note")
    assert not page.locator(".filter, .encoding").count()
    assert page.heard == []


def in_view(page, line):
    """Whether a line is seen, and its number drawn beside it."""
    return page.evaluate(
        """id => {
            const box = document.getElementById(id)?.getBoundingClientRect();
            return Boolean(box) && box.height > 0 && box.top >= 0 && box.bottom <= innerHeight;
        }""",
        f"L{line}",
    )


FRAMES = """new Promise(done => {
    const wait = frames => frames ? requestAnimationFrame(() => wait(frames - 1)) : done();
    wait(20);
})"""


def numbered_lines(count):
    """A text of so many lines, of which one in ten is so long that it is wrapped."""
    words = [n % 30 if n % 10 == 0 else n % 3 for n in range(1, count + 1)]
    return "".join(f"line {n} {'of many words ' * many}\n" for n, many in enumerate(words, 1))


LINES = numbered_lines(25_000)  # a page holds 20,000 before its script adds more


DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


@pytest.mark.parametrize(
    ("name", "viewport"), [("a.txt", PHONE), ("a.log", DESK), ("a.py", DESK), ("a.py", PHONE)]
)
def test_the_last_line_of_a_long_text_is_one_key_away(new_page, tmp_path, name, viewport):
    page = new_page(viewport=viewport)
    opened(page, tmp_path, download(original(LINES.encode(), name)))
    page.keyboard.press("End")

    until(lambda: in_view(page, 25_000))
    assert page.heard == []


def test_one_goes_to_a_line_by_its_number_also_beyond_those_shown_first(page, tmp_path):
    opened(page, tmp_path, download(original(LINES.encode(), "a.txt")))
    page.keyboard.press("g")
    page.keyboard.type("21234")
    page.keyboard.press("Enter")
    until(lambda: in_view(page, 21_234))
    assert page.url.endswith("#L21234")

    page.fill("#goto-line", "99999999")
    page.press("#goto-line", "Enter")
    until(lambda: in_view(page, 25_000))
    page.fill("#goto-line", "0")
    page.press("#goto-line", "Enter")
    assert in_view(page, 25_000)
    assert page.heard == []


def test_a_link_to_a_line_beyond_those_shown_first_opens_there(page, tmp_path):
    (tmp_path / "a.html").write_bytes(b"".join(download(original(LINES.encode(), "a.txt")).body))
    page.goto((tmp_path / "a.html").as_uri() + "#L24000")

    until(lambda: in_view(page, 24_000))


# A text with a menu of encodings, whose script can draw it again.
WESTERN = f"é\n{numbered_lines(900)}".encode("cp1252")
ENCODED = original(WESTERN, "a.txt", "text/plain; charset=cp1252")
# Goes to a line, and at once removes the note above it: no frame lies between.
# Returns how far the line is below the bar, in pixels.
GONE_TO = """async selector => {
    const frame = () => new Promise(requestAnimationFrame);
    const line = document.querySelector(selector), bar = document.querySelector(".bar");
    viewerSource.note("Words above the text");
    await frame();
    line.scrollIntoView({ behavior: "instant" });
    viewerSource.note("");
    for (let frames = 0; frames < 5; frames++) await frame();
    return line.getBoundingClientRect().top - bar.getBoundingClientRect().bottom;
}"""


@pytest.mark.parametrize("viewport", [DESK, PHONE])
@pytest.mark.parametrize("line", ["#L20", "#L500"])
def test_a_line_gone_to_stays_as_a_note_above_it_is_removed(new_page, tmp_path, viewport, line):
    page = new_page(viewport=viewport)
    opened(page, tmp_path, download(ENCODED))

    assert 0 <= page.evaluate(GONE_TO, line) < 40


@pytest.mark.parametrize("viewport", [DESK, PHONE])
@pytest.mark.parametrize("scripts", [True, False])
def test_the_line_of_an_address_is_below_the_bar(new_page, tmp_path, viewport, scripts):
    page = new_page(viewport=viewport, java_script_enabled=scripts)
    (tmp_path / "a.html").write_bytes(b"".join(download(original(LINES.encode(), "a.txt")).body))
    page.goto((tmp_path / "a.html").as_uri() + "#L500")
    if scripts:
        page.wait_for_selector("#L25000", state="attached")

    edge = page.locator(".bar").bounding_box()["height"]
    until(lambda: edge <= page.locator("#L500").bounding_box()["y"] < edge + 40)


# The last of 25,000 lines is a block by itself, below one that is laid out only as it is found.
@pytest.mark.parametrize(("viewport", "count"), [(DESK, 45_000), (PHONE, 45_000), (PHONE, 25_000)])
def test_the_browser_finds_words_in_all_of_a_long_text(new_page, site, viewport, count):
    page = new_page(viewport=viewport)
    lines = numbered_lines(count).splitlines(keepends=True)
    needles = {1_500: "the first needle", 23_456: "another needle", count: "the last needle"}
    for at, needle in needles.items():
        lines[at - 1] = needle + "\n"
    made = view(original("".join(lines).encode(), "a.txt", "text/plain"))
    page.goto(site.put("/needle", made))
    page.wait_for_selector(f"#L{count}", state="attached")

    for at, needle in needles.items():
        assert page.evaluate("needle => find(needle)", needle)
        assert page.evaluate("getSelection().toString()") == needle
        found = page.evaluate("getSelection().anchorNode.parentElement.closest('[id^=L]').id")
        assert found == f"L{at}"
        page.evaluate(FRAMES)
        assert in_view(page, at)


def drawn_number(page, line):
    """The number that is drawn beside a line, as the browser tells it to a screen reader."""
    page.locator(f"#L{line}").scroll_into_view_if_needed()
    session = page.context.new_cdp_session(page)
    found = session.send("Runtime.evaluate", {"expression": f"document.getElementById('L{line}')"})
    of_line = {"objectId": found["result"]["objectId"]}

    def texts():
        nodes = session.send("Accessibility.queryAXTree", of_line)["nodes"]
        return [one["name"]["value"] for one in nodes if one["role"]["value"] == "StaticText"]

    number, *_ = until(texts)
    session.detach()
    return number


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        (25_000, (1, 2_000, 2_001, 4_001, 18_001, 20_000, 20_001, 25_000)),
        (5_000, (1, 2_001, 4_000, 4_001, 5_000)),
        (4_000, (2_000, 2_001, 4_000)),
        (3, (1, 3)),
    ],
)
def test_each_line_has_its_number(page, tmp_path, lines, shown):
    text = "".join(LINES.splitlines(keepends=True)[:lines])
    opened(page, tmp_path, download(original(text.encode(), "a.txt")))
    page.wait_for_selector(f"#L{lines}", state="attached")

    assert [drawn_number(page, line) for line in shown] == [str(line) for line in shown]
