"""tests/lasting_browser.py"""

from tests.lasting_browser import LastingBrowser


def test_after_a_browser_has_gone_the_next_test_gets_another_one(launch_chromium):
    browser = LastingBrowser(launch_chromium)
    browser.close()

    assert browser.new_page().evaluate("1 + 1") == 2
    browser.close()
