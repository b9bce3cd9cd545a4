"""A document that is deleted while somebody reads it: the response breaks off, with one line."""

import http.client
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

    said = until(lambda: [line for line in service.stderr().splitlines() if "broke off" in line])
    assert len(said) == 1
    assert "was deleted meanwhile" in said[0]
    assert "Traceback" not in service.stderr()
