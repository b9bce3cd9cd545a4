"""No page prints a value that is not there as `None`, in its text or in an attribute."""

import re

NONE = re.compile(r'(?<!placeholder)="None"|>\s*None\s*<')


def follow(member, path, seen):
    """Read this page and all pages of the person's own that it leads to, once each."""
    shape = re.sub(r"[a-z]{3}_[0-9a-z]{26}|\d+", "*", path)
    if shape in seen:
        return
    seen.add(shape)
    page = member.get(path)
    if page.kind != "text/html":
        return
    found = [
        page.text[max(0, hit.start() - 80) : hit.end() + 20] for hit in NONE.finditer(page.text)
    ]
    assert not found, (path, found)
    for address in re.findall(r'href="(/app[^"#]*|/s\?[^"]*)"', page.text):
        follow(member, address.replace("&amp;", "&"), seen)


def test_no_page_of_an_account_says_none(member):
    seen = set()
    follow(member, "/app/documents", seen)
    document = member.api.upload(b"x", token=None)
    collection = member.api.post("/v1/collections", json={"title": "y"}).json
    links = [
        member.api.share(document),
        member.api.share(collection),
        member.api.share(collection, permissions=["upload"]),
        member.api.share(document, password="hunter22", maxViews=1, expiresAt=None),
    ]
    member.api.post("/v1/spaces", json={"name": "z"})
    seen.clear()
    follow(member, "/app/documents", seen)
    for path in ("/app/collections", "/app/requests", "/app/links", "/app/account", "/app/keys"):
        follow(member, path, seen)
    assert len(seen) > 15
    for link in links:
        for page in link["shortUrl"], link["viewUrl"]:
            if page:
                text = member.api.open(page).text
                assert not NONE.search(text), NONE.search(text)
