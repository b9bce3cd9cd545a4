"""What every page is tried for: axe-core finds nothing, and nothing is cut off at the side."""

import pytest

from tests.waiting import until

SCREENS = (("light", 1280), ("dark", 375))
NARROWEST = 320
# Of what axe fetches again before its rules run, only media is for a rule that runs by itself: the
# style sheets are for an experimental one, and take as long as all the rules.
FETCHED_AGAIN = {"assets": ["media"]}
VIOLATIONS = """async options => (await axe.run(options)).violations.map(
    one => [one.help, one.nodes.map(node => [node.html, node.failureSummary])])"""


def assert_accessible(page, *, iframes=True):
    """Try a page as it stands, light on a desk and dark on a phone; without `iframes`, what it
    frames is left out.
    """
    axe = pytest.importorskip("axe_playwright_python.base", reason="axe-core is not installed")
    page.evaluate(axe.AXE_SCRIPT)
    own = page.viewport_size
    for scheme, width in SCREENS:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # nothing is half faded in
        page.set_viewport_size({"width": width, "height": 800})
        options = {"resultTypes": ["violations"], "iframes": iframes, "preload": FETCHED_AGAIN}
        violations = page.evaluate(VIOLATIONS, options)
        assert not violations, (page.url, scheme, violations)
        _assert_fits(page, width)
    page.set_viewport_size({"width": NARROWEST, "height": 800})
    _assert_fits(page, NARROWEST)
    page.set_viewport_size(own)


def _assert_fits(page, width):
    """Soon, as what a page frames is laid out by its script."""
    until(lambda: page.evaluate("document.documentElement.scrollWidth") == width)
