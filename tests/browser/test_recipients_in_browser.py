"""The pages of links before and beside documents, in a browser: names, moments, screens."""

import pytest

from tests.accessible import assert_accessible
from tests.formats import time_from_now

END = "2099-11-27T22:59:00Z"
NAMES = ["Jürgen von Österreich-Weber", "محمد علي الأحمد", "王小明", None]


@pytest.fixture
def dana(new_user):
    new_user.patch("/v1/auth/me", json={"name": "Dana Weber"})
    return new_user


@pytest.fixture
def link(dana):
    document = dana.upload(b"x", "text/plain", name="Contract.txt", token=None)
    return dana.share(document, password="hunter22", expiresAt=END)


@pytest.mark.parametrize(
    ("zone", "locale", "words"),
    [
        ("Europe/Berlin", "de-DE", "Freitag, 27. November 2099 um 23:59"),
        ("America/Los_Angeles", "en-US", "Friday, November 27, 2099 at 2:59 PM"),
        ("Asia/Shanghai", "zh-CN", "2099年11月28日星期六 6:59"),
    ],
)
def test_the_end_is_told_in_the_reader_s_own_zone_and_words(new_page, link, zone, locale, words):
    page = new_page(timezone_id=zone, locale=locale)
    page.goto(link["shortUrl"])
    moment = page.locator("time")
    assert moment.inner_text().replace("\u202f", " ") == words
    assert moment.get_attribute("title") == "27 November 2099, 22:59 UTC"
    assert moment.get_attribute("lang") == locale
    assert page.heard == []


def test_a_near_end_says_how_far_it_is(new_page, dana):
    link = dana.share(dana.upload(token=None), password="x", expiresAt=time_from_now(days=3))
    page = new_page(locale="en-US")
    page.goto(link["shortUrl"])
    assert "(in 3 days)." in page.inner_text(".foot >> nth=0")


def test_without_script_moments_are_of_utc(new_page, link):
    page = new_page(java_script_enabled=False)
    page.goto(link["shortUrl"])
    assert "Available until 27 November 2099, 22:59 UTC." in page.inner_text("main")


@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_nothing_and_nothing_is_cut_off_whatever_the_name(page, dana, name):
    dana.patch("/v1/auth/me", json={"name": name})
    long = "合同 2026 最终版 Vertragsänderungsvereinbarungsentwurf.txt"
    document = dana.upload(b"x", "text/plain", name=long, token=None)
    several = dana.collect(document, title=f"العرض {long}", note="Hello,\nhere it is.")
    ended = dana.share(document)
    dana.revoke(document, ended)
    for link in (
        dana.share(document, password="x", agreement="I keep this to myself."),
        dana.share(several, password="x"),
        dana.share(several),
        ended,
    ):
        page.goto(link["shortUrl"])
        assert_accessible(page)


def test_the_cover_of_a_collection_leads_to_its_documents(page, dana):
    document = dana.upload(b"the words", "text/plain", name="Contract.txt", token=None)
    page.goto(dana.share(dana.collect(document, title="Offer"))["shortUrl"])
    assert page.inner_text("h1") == "Offer"
    page.get_by_role("link", name="Contract.txt").click()
    assert "the words" in page.inner_text(".code")
