"""The seconds until a long table is shown, filtered and sorted, in Chromium and Firefox.

    python benchmarks/tables.py 100000 1000000

Each number of rows is shown by a served page that loads the original in ranges, and from a saved
file. A pause is the time between two frames of the page, in which it answers nobody: the longest
one from the first rows until the last row is shown, and the longest one after that.
"""

import os
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import websocket  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

from tests.browser import firefox  # noqa: E402
from tests.site import Site  # noqa: E402
from tests.waiting import until  # noqa: E402
from viewer import download, view  # noqa: E402
from viewer.tests.samples import original  # noqa: E402

PATIENCE = 300  # seconds
HEADERS = {
    "Content-Type": "text/csv",
    "Accept-Ranges": "bytes",
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
PROBE = """
window.rows = () => [...document.querySelectorAll("tbody tr:not(.space)")];
window.says = () => document.querySelector(".filter [role=status]")?.textContent ?? "";
window.pause = 0;
let before = null;
const frame = now => {
  if (before === null && document.querySelector("tbody td")) window.firstRows = now / 1000;
  if (before !== null) window.pause = Math.max(window.pause, now - before);
  if (window.firstRows) before = now;
  requestAnimationFrame(frame);
};
requestAnimationFrame(frame);
// Does something, and notes the seconds until a condition holds: since then, or since the page
// was asked for.
window.measure = (act, condition, sincePage) => {
  const began = sincePage ? 0 : performance.now();
  window.seconds = null;
  act();
  const look = () => {
    if (condition()) window.seconds = (performance.now() - began) / 1000;
    else requestAnimationFrame(look);
  };
  look();
};
window.filter = words => {
  const input = document.querySelector(".filter input");
  input.value = words;
  input.dispatchEvent(new Event("input"));
};
window.sort = name => {
  const heads = [...document.querySelectorAll("thead button")];
  heads.find(head => head.textContent === name).click();
};
window.end = () => {
  const key = new KeyboardEvent("keydown", { key: "End", bubbles: true });
  document.body.dispatchEvent(key);
};
undefined
"""


def table(rows: int) -> bytes:
    """Return a CSV with numbers, quoted words, and a column whose words are all different."""
    numbers = random.Random(1)
    lines = (
        f'{n},"Name ""{n % 7}"", x",{numbers.randrange(10**7) / 100:.2f},'
        f"City {n * 7919 % rows},some words here {n % 1000},to fill the row up beside them\n"
        for n in range(rows)
    )
    return ("id,name,amount,city,note,more\n" + "".join(lines)).encode()


@contextmanager
def chromium_page() -> Iterator[Any]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        page.add_init_script(PROBE)
        yield page
        browser.close()


@contextmanager
def firefox_page() -> Iterator[Any]:
    firefox.PATIENCE = PATIENCE
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = firefox.Firefox(program, Path(profile), websocket.create_connection)
        try:
            function = f"() => {{ {PROBE} }}"
            browser.call("script.addPreloadScript", functionDeclaration=function)
            yield firefox.Page(browser)
        finally:
            browser.close()


BROWSERS = {"Chromium": chromium_page, "Firefox": firefox_page}


def measured(page: Any, rows: int, address: str) -> list[str]:
    """Return the seconds of each step, and the longest pauses in milliseconds."""
    page.goto(address)
    until(lambda: page.evaluate("!!document.querySelector('.filter')"), PATIENCE)

    def step(act: str, condition: str, since_page: str = "false") -> str:
        page.evaluate(f"window.measure(() => {act}, () => {condition}, {since_page})")
        until(lambda: page.evaluate("window.seconds !== null"), PATIENCE)
        return f"{page.evaluate('window.seconds'):.1f}"

    def sorted_by(name: str, column: int) -> str:
        first = f"window.rows()[0]?.cells[{column}].textContent"
        before = page.evaluate(first)
        return step(f"window.sort('{name}')", f"({first}) !== {before!r}")

    last = step("window.end()", f"window.rows().at(-1)?.cells[0].textContent === '{rows}'", "true")
    figures = [f"{page.evaluate('window.firstRows'):.1f}", last]
    opening = page.evaluate("window.pause")
    page.evaluate("window.pause = 0")
    figures.append(step("window.filter('name \"6\"')", "window.says().includes(' of ')"))
    figures.append(step("window.filter('')", f"window.says() === '{rows:,} rows'"))
    figures.append(sorted_by("amount", 3))
    figures.append(sorted_by("city", 4))
    figures += [f"{opening:.0f}", f"{page.evaluate('window.pause'):.0f}"]
    return figures


def main() -> None:
    print(
        "| rows | MiB | page | browser | first rows, s | last row, s | filter, s | all again, s "
        "| by number, s | by word, s | pause at first, ms | pause later, ms |"
    )
    print("|--:|--:|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    with Site() as site, tempfile.TemporaryDirectory() as folder:
        for rows in map(int, sys.argv[1:]):
            data = table(rows)
            document = original(data, "a.csv", "text/csv")
            site.pages["/original"] = HEADERS, data
            served = site.put("/", view(document, content_url=f"{site.here}/original?ticket=t"))
            saved = Path(folder, "a.html")
            saved.write_bytes(b"".join(download(document).body))
            for kind, address in (("served", served), ("saved", saved.as_uri())):
                for browser, opened in BROWSERS.items():
                    with opened() as page:
                        figures = " | ".join(measured(page, rows, address))
                    size = f"{len(data) / 2**20:.1f}"
                    load = f"load {os.getloadavg()[0]:.0f}"
                    print(f"| {rows:,} | {size} | {kind} | {browser} | {figures} | {load}")


if __name__ == "__main__":
    main()
