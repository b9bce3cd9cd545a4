"""Many ask for the preview of an expensive document at once."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.people import Person
from viewer.tests.samples import slow_pdf

pytestmark = pytest.mark.slow

CONNECTIONS = 24


@pytest.fixture(scope="module")
def busy_service(start_service):
    return start_service(RATE_LIMITS="off")


def test_connections_on_one_link_leave_the_service_to_everyone_else(busy_service):
    owner, other = busy_service.register(), busy_service.register()
    link = owner.upload(slow_pdf(), "application/pdf")["token"]["viewUrl"]
    path = link.removeprefix(busy_service.url)
    theirs = other.upload(b"# Heading\n", "text/markdown")

    def attack(_):
        return Person(busy_service).get(path, errors={503})

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        attacks = [pool.submit(attack, number) for number in range(CONNECTIONS)]
        assert Person(busy_service).get("/healthz").status == 200
        assert other.get(f"/v1/documents/{theirs['id']}/view").status == 200
        assert owner.get(f"/v1/documents/{theirs['id']}/view").status == 404
        answers = [one.result() for one in attacks]

    refused = [answer for answer in answers if answer.status == 503]
    assert {answer.status for answer in answers} == {200, 503}
    assert {answer.json["code"] for answer in refused} == {"busy"}
    assert all(int(answer.headers["Retry-After"]) > 0 for answer in refused)
