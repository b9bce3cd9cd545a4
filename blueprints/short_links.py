"""Short links: `/s` opens whatever a link's target is now.

They serve the holder of a link, and take its token or a ticket alone: no cookie is read, and a
click on any page may lead here.
"""

from typing import Any

from flask import Response, jsonify, request
from marshmallow import EXCLUDE

from .http import DOCUMENT_TOKEN, LINK, ApiBlueprint
from .http.blueprint import BINARY
from .http.idempotency import replay_responses
from .http.multipart import FORM_DATA
from .schemas.requests import CodeRequest, DownloadRequest, SentFile, ViewQuery, ViewRequest
from .schemas.responses import CodeSent, LinkContents, ReceiptOfFile
from .views.document_pages import count_code
from .views.small_pages import prefers_json
from .views.targets import on_target

short_links = ApiBlueprint("short_links", __name__, url_prefix="/s", description="Short links")
HTML = {"type": "string"}


@short_links.after_request
def keep_out_of_search(response: Response) -> Response:
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    return response


@short_links.get("", accepts=LINK)
@short_links.arguments(ViewQuery(), location="query", unknown=EXCLUDE)
@short_links.alt_response(200, schema=HTML, content_type="text/html")
@short_links.alt_response(202, schema=HTML, content_type="text/html")
@short_links.response(200, LinkContents)
def show(_query: dict[str, Any]) -> Any:
    """Open what a link opens now

    A document is shown as by its `viewUrl`, a collection by a page that leads to its documents. A
    client whose `Accept` prefers `application/json` gets a description; of a link that has a
    password or counts its views the description holds only the terms.
    """
    return on_target(lambda target: target.show())


def _judge_file() -> None:
    if request.mimetype == FORM_DATA:
        on_target(lambda target: target.judge_body())


@short_links.post("", accepts=LINK, spend=_judge_file, form=SentFile())
@short_links.arguments(ViewQuery(), location="query", unknown=EXCLUDE)
@short_links.arguments(ViewRequest())
@short_links.alt_response(200, schema=HTML, content_type="text/html")
@short_links.alt_response(201, schema=HTML, content_type="text/html")
@short_links.alt_response(201, schema=ReceiptOfFile)
@short_links.alt_response(202, schema=HTML, content_type="text/html")
@short_links.response(200, LinkContents)
def open_link(_query: dict[str, Any], body: dict[str, Any]) -> Any:
    """Open a link that has a password or counts its views, or send a file to one that takes files

    Opening the link uses up one view. A form is answered by a page; JSON is answered by JSON, whose
    addresses hold a ticket and use up no more views. A file is one part `file` of
    `multipart/form-data`, as `curl -F file=@scan.pdf` sends it; the response is a receipt. With a
    file, `Idempotency-Key` works as on upload: the same key and file by the same link are stored
    once.
    """
    if "payload" in body:
        return _receive(body)
    return on_target(lambda target: target.open(**body))


def _receive(file: dict[str, Any]) -> Response:
    receipt = _take(**file)
    if prefers_json():
        return receipt
    return on_target(lambda target: target.receipt_page(receipt.get_json()))


@replay_responses
def _take(**file: Any) -> Response:
    receipt = on_target(lambda target: target.receive(**file))
    response = jsonify(ReceiptOfFile().dump(receipt))
    response.status_code = 201
    return response


@short_links.post("/codes", accepts=(DOCUMENT_TOKEN,), spend=count_code)
@short_links.arguments(CodeRequest())
@short_links.alt_response(202, schema=HTML, content_type="text/html")
@short_links.response(202, CodeSent)
def request_code(body: dict[str, Any]) -> Any:
    """Ask for a code by mail, for a link with recipients

    Every address gets the same answer; one of the recipients gets a mail with 8 digits.
    """
    return on_target(lambda target: target.send_code(**body))


@short_links.get("/content", accepts=LINK, permission="download", returns_original=True)
def content() -> Response:
    """Return the original's bytes that a link opens now; of a collection all, as one ZIP file

    The `ETag` is the document's id: a changed `ETag` says that the link leads to another document.
    By a link that counts its views each view has a tag of its own: with it in `If-Range` a `Range`
    goes on with the transfer of this view for ten minutes. A ZIP file has no `ETag`, and no ranges.
    """
    return on_target(lambda target: target.content())


@short_links.get("/download", accepts=LINK, permission="download")
@short_links.response(200, HTML, content_type="text/html")
def download() -> Response:
    """Download what a link opens now as a self-contained HTML file

    The file of a collection has a contents page, and a page for each document.
    """
    return on_target(lambda target: target.save())


@short_links.post("/download", accepts=LINK, permission="download")
@short_links.arguments(DownloadRequest(), required=True)
@short_links.alt_response(200, schema=BINARY, content_type="*/*")
@short_links.response(200, HTML, content_type="text/html")
def download_encrypted(body: dict[str, Any]) -> Response:
    """Download what a link opens now as a self-contained HTML file that a password opens

    In JSON you choose the password; in a form, `password` is the link's. The form gets what
    `/s/content` answers if that is too large for the file.
    """
    return on_target(lambda target: target.save_by_password(**body))
