"""A document that is deleted while somebody reads it: the response breaks off, with one line."""

import http.client
import re
from urllib.parse import urlsplit

import pytest

from tests.waiting import until


def test_a_document_that_is_deleted_while_it_is_read_is_one_line_in_the_log(start_service):
    service = start_service(RATE_LIMITS="off")
    person = service.register()
    document = person.upload(bytes(24 << 20))
    address = urlsplit(service.url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
    path = f"/v1/documents/{document['id']}/content"
    connection.request("GET", path, headers=person.credential)
    answer = connection.getresponse()
    assert answer.read(1000) == bytes(1000)

    person.delete(f"/v1/documents/{document['id']}")
    with pytest.raises(http.client.IncompleteRead):
        answer.read()
    connection.close()

    until(lambda: re.search(r" ended after \d+ of 25165824 bytes$", service.stderr(), re.M))
    said = until(lambda: [line for line in service.stderr().splitlines() if "broke off" in line])
    assert len(said) == 1
    assert "was deleted meanwhile" in said[0]
    assert "Traceback" not in service.stderr()


def test_a_download_that_its_client_breaks_off_has_a_second_line_with_what_was_written(
    start_service,
):
    service = start_service(RATE_LIMITS="off")
    person = service.register()
    document = person.upload(bytes(24 << 20))
    address = urlsplit(service.url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
    path = f"/v1/documents/{document['id']}/content"
    connection.request("GET", path, headers={**person.credential, "X-Request-Id": "broken"})
    connection.getresponse().read(1000)
    connection.close()

    until(lambda: re.search(r" broken ended after \d+ of 25165824 bytes$", service.stderr(), re.M))
    person.get(path)
    assert service.stderr().count(" ended after ") == 1
