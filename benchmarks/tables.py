"""The seconds until a table shows its last row, is filtered and is sorted, in Chromium.

    python benchmarks/tables.py 100000 1000000

Each number of rows is shown by a served page that loads the original in ranges, and from a saved
file. The longest task is that of the page's main thread, after it was loaded: what a person may
notice as a pause. In brackets: the processor time of the main thread.
"""

import os
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from playwright.sync_api import sync_playwright  # noqa: E402

from tests.site import Site  # noqa: E402
from viewer import download, view  # noqa: E402
from viewer.tests.samples import original  # noqa: E402

PATIENCE = 300_000  # milliseconds
HEADERS = {
    "Content-Type": "text/csv",
    "Accept-Ranges": "bytes",
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
LONGEST = """
window.longest = 0;
new PerformanceObserver(list => {
  for (const task of list.getEntries()) window.longest = Math.max(window.longest, task.duration);
}).observe({ entryTypes: ["longtask"] });
"""
STATUS = "document.querySelector('.filter [role=status]').textContent"
ROWS = "[...document.querySelectorAll('tbody tr:not(.space)')]"


def table(rows: int) -> bytes:
    """Return a CSV with numbers, quoted words, and a column whose words are all different."""
    numbers = random.Random(1)
    lines = (
        f'{n},"Name ""{n % 7}"", x",{numbers.randrange(10**7) / 100:.2f},'
        f"City {n * 7919 % rows},some words here {n % 1000},to fill it up\n"
        for n in range(rows)
    )
    return ("id,name,amount,city,note,more\n" + "".join(lines)).encode()


def measured(page, rows: int, address: str) -> list[str]:
    """Return the seconds of each step, and the longest task in milliseconds behind the load."""
    figures = []
    tools = page.context.new_cdp_session(page)
    tools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def processor_seconds() -> float:
        metrics = tools.send("Performance.getMetrics")["metrics"]
        return next(one["value"] for one in metrics if one["name"] == "TaskDuration")

    def step(condition: str, act) -> None:
        began = time.monotonic()
        before = processor_seconds()
        act()
        page.wait_for_function(f"() => {condition}", timeout=PATIENCE)
        used = processor_seconds() - before
        figures.append(f"{time.monotonic() - began:.1f} ({used:.1f})")

    def opened() -> None:
        page.goto(address, timeout=PATIENCE)
        page.evaluate("window.longest = 0")
        page.keyboard.press("End")

    step(f"{ROWS}.at(-1)?.cells[0].textContent === '{rows}'", opened)
    step(f"{STATUS}.includes(' of ')", lambda: page.fill(".filter input", 'name "6"'))
    step(f"{STATUS} === '{rows:,} rows'", lambda: page.fill(".filter input", ""))
    for column, first in (("amount", 3), ("city", 4)):
        now = f"{ROWS}[0]?.cells[{first}].textContent"
        before = page.evaluate(now)
        click = page.get_by_role("button", name=column).click
        step(f"({now}) !== {before!r}", click)
    figures.append(f"{page.evaluate('window.longest'):.0f}")
    figures.append(f"{page.evaluate('performance.memory.usedJSHeapSize') / 2**20:.0f}")
    return figures


def main() -> None:
    print(
        "| rows | MiB | page | last row, s | filter, s | all again, s | by number, s | by word, s |"
    )
    print("|--:|--:|---|--:|--:|--:|--:|--:|  longest task, ms | heap, MiB")
    with Site() as site, sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        for rows in map(int, sys.argv[1:]):
            data = table(rows)
            document = original(data, "a.csv", "text/csv")
            site.pages["/original"] = HEADERS, data
            served = site.put("/", view(document, content_url=f"{site.here}/original?ticket=t"))
            saved = Path(folder, "a.html")
            saved.write_bytes(b"".join(download(document).body))
            for kind, address in (("served", served), ("saved", saved.as_uri())):
                browser = playwright.chromium.launch(executable_path="/usr/bin/chromium")
                page = browser.new_page()
                page.add_init_script(LONGEST)
                figures = " | ".join(measured(page, rows, address))
                load = os.getloadavg()[0]
                print(
                    f"| {rows:,} | {len(data) / 2**20:.1f} | {kind} | {figures} |  load {load:.0f}"
                )
                browser.close()


if __name__ == "__main__":
    main()
