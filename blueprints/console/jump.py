"""The page that leads to another one by a few letters of its name; a script opens it in place."""

from urllib.parse import urlencode

from flask import Response, request

from models.documents import Search

from ..http import g
from .routes import HOME, Pages, render, search_from_here
from .words import may

jump = Pages("jump", "/jump")
SHOWN_DOCUMENTS = 8
SHOWN_COLLECTIONS = 5
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
@search_from_here("q")
def show_places() -> Response:
    """List the pages, documents and collections whose name has the words that are typed"""
    words = request.args.get("q", "").strip()
    with Search.of(g.caller.owner_id, words) as search:
        pages = {name: path for name, path in _pages().items() if search.has_words(name)}
        collections = search.collections(SHOWN_COLLECTIONS)
        documents = search.documents(most=SHOWN_DOCUMENTS)
    is_full = len(documents.hits) == SHOWN_DOCUMENTS
    return render(
        "jump",
        words=words,
        pages=pages,
        documents=documents,
        collections=collections,
        has_more=is_full and documents.searched.older,
        has_more_collections=len(collections.hits) == SHOWN_COLLECTIONS,
        list=f"{HOME}?{urlencode({'name': words})}",
    )


def _pages() -> dict[str, str]:
    """Return the pages that are open to the caller, by their names."""
    of_managers = PAGES_OF_MANAGERS if may("api_keys") else {}
    of_persons = {} if g.caller.made_for else PAGES_OF_PERSONS
    return PAGES | of_managers | of_persons
