"""The bin: what was deleted in the pages, for a day."""

from flask import Response, g, request

from models.documents import bin_page, delete_for_good, put_back

from .blueprint import HOME, Pages, go, go_back, render
from .documents import MOST_SELECTED, page_number

bin = Pages("bin", "/bin")
PATH, ROWS = "/app/bin", 12


@bin.get("")
def show_bin() -> Response:
    """List what is in the bin, page by page"""
    return render("bin", list=bin_page(g.caller.owner_id, ROWS, page_number()))


@bin.post("")
def take_out() -> Response:
    """Put documents back"""
    put_back(g.caller.owner_id, request.form.getlist("id")[:MOST_SELECTED])
    return go_back(HOME, "restored")


@bin.post("/<id>/delete")
def delete_now(id: str) -> Response:
    """Delete a document that is in the bin for good"""
    delete_for_good(g.caller.owner_id, id)
    return go(PATH, "deleted")
