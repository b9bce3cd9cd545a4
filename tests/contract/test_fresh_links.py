"""Many people open a link at once whose preview nobody has made yet."""

import re
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from threading import Barrier

import pytest

from tests.people import Person
from tests.problems import refused
from tests.waiting import until

READERS = 30
BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
SCRIPT = {"Accept": "*/*"}
AGREED = {"name": "Ana", "accept": sha256(b"Yes.").hexdigest()}


@pytest.fixture
def document(alice):
    return alice.upload(b"# Minutes\n\nAll agreed.\n" * 2_000, "text/markdown")


def at_once(open_link):
    """What each of the readers is answered."""
    start = Barrier(READERS)

    def read(_):
        start.wait()
        return open_link()

    with ThreadPoolExecutor(READERS) as pool:
        return list(pool.map(read, range(READERS)))


def followed(service, answer, path=None):
    """The page that a browser shows in the end, which asks again where it is told to."""
    if answer.status != 202:
        return answer
    seconds, _, address = answer.headers["Refresh"].partition("; url=")
    assert int(seconds) > 0
    return until(lambda: browsed(service, address or path))


def browsed(service, path):
    answer = Person(service).get(path, headers=BROWSER)
    return answer if answer.status != 202 else None


def test_browsers_that_open_a_fresh_link_at_once_are_shown_it_or_told_to_ask_again(
    service, alice, document
):
    link = alice.share(document)
    path = link["viewUrl"].removeprefix(service.url)
    first = at_once(lambda: Person(service).get(path, headers=BROWSER))
    assert {answer.status for answer in first} <= {200, 202}
    for waiting in (answer for answer in first if answer.status == 202):
        assert "Being prepared" in waiting.text
        assert (waiting.headers["Refresh"], waiting.headers["Retry-After"]) == ("2", None)
    shown = [followed(service, answer, path) for answer in first]
    assert all("All agreed." in page.text for page in shown)
    assert alice.views(document, link) == READERS


@pytest.mark.parametrize(
    ("terms", "proof"),
    [({"maxViews": READERS}, {}), ({"agreement": "Yes."}, AGREED)],
    ids=["limit", "agreement"],
)
def test_each_form_of_a_fresh_link_counts_one_view_however_it_is_answered(
    terms, proof, service, alice, document
):
    link = alice.share(document, **terms)
    first = at_once(lambda: alice.submit(link, headers=BROWSER, **proof))
    assert {answer.status for answer in first} <= {200, 202}
    shown = [followed(service, answer) for answer in first]
    assert all("All agreed." in page.text for page in shown)
    assert alice.views(document, link) == READERS
    alice.revoke(document, link)  # before which all views are recorded
    ours = f"&documentId={document['id']}&type=document.viewed"
    assert sum(event["data"]["count"] for event in alice.events(ours)) == READERS


def test_the_last_view_of_a_fresh_link_goes_to_one_browser(service, alice, document):
    link = alice.share(document, maxViews=1)
    first = at_once(lambda: alice.submit(link, headers=BROWSER))
    opened = [answer for answer in first if answer.status in {200, 202}]
    assert len(opened) == 1
    assert {answer.status for answer in first if answer not in opened} == {410}
    assert "All agreed." in followed(service, opened[0]).text


def test_a_script_gets_the_view_or_when_to_ask_again_and_never_a_page_that_waits(
    service, alice, document
):
    link = alice.share(document)
    path = link["viewUrl"].removeprefix(service.url)
    answers = at_once(lambda: Person(service).get(path, headers=SCRIPT, errors={503}))
    for answer in answers:
        if answer.status == 200:
            assert "All agreed." in answer.text
        else:
            assert refused(answer, 503, "busy")["code"] == "busy"
            assert re.fullmatch("[1-9][0-9]*", answer.headers["Retry-After"])
    served = [answer for answer in answers if answer.status == 200]
    assert served
    assert alice.views(document, link) == len(served)
