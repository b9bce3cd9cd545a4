"""HEAD of the pages that show a document: their headers, without drawing a preview."""

import pytest


@pytest.mark.parametrize("page", ["view", "download"])
def test_head_of_a_page_has_the_headers_of_get_except_those_of_the_preview(alice, document, page):
    path = f"/v1/documents/{document['id']}/{page}"
    head, get = alice.head(path), alice.get(path)

    drawn = {"content-length", "date", "x-request-id"}
    assert head.status == get.status == 200
    assert head.body == b""
    assert "content-length" not in names(head)
    assert names(head) | drawn == names(get) | drawn


def names(response):
    return {name.lower() for name in response.headers}
