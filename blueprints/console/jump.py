"""The page that leads to another one by a few letters of its name; a script opens it in place."""

from flask import Response, g, request

from models import Collection
from models.documents import documents_page, has_words

from .pages import HOME, Pages, may, render

jump = Pages("jump", "/jump")
MOST_DOCUMENTS = 8
MOST_COLLECTIONS = 5
COLLECTIONS_LOOKED_AT = 200  # the newest ones: each title is decrypted
PAGES = {
    "Documents": HOME,
    "Bin": "/app/bin",
    "Collections": "/app/collections",
    "Requests": "/app/requests",
    "Links": "/app/links",
    "Activity": "/app/activity",
    "Spaces": "/app/spaces",
}
PAGES_OF_MANAGERS = {"Keys": "/app/keys", "Webhooks": "/app/webhooks"}
PAGES_OF_PERSONS = {"Settings": "/app/account"}


@jump.get("")
def show_places() -> Response:
    """List the pages, documents and collections whose name has the words that are typed"""
    words = request.args.get("q", "").strip()
    found = documents_page(g.caller.owner_id, MOST_DOCUMENTS, 1, name=words)
    return render(
        "jump",
        words=words,
        pages={name: path for name, path in _pages().items() if has_words(name, words)},
        documents=found.documents,
        collections=_collections(words),
    )


def _pages() -> dict[str, str]:
    """Return the pages that are open to the caller, by their names."""
    of_managers = PAGES_OF_MANAGERS if may("api_keys") else {}
    of_persons = {} if g.caller.made_for else PAGES_OF_PERSONS
    return PAGES | of_managers | of_persons


def _collections(words: str) -> list[Collection]:
    newest, _further = Collection.listed(g.caller.owner_id, COLLECTIONS_LOOKED_AT, None)
    return [one for one in newest if has_words(one.title, words)][:MOST_COLLECTIONS]
