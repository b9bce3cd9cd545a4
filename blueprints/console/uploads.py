"""Uploads in pieces by the scripts of the pages: the calls of the API, with the cookie."""

from flask import Response, jsonify, request

from ..http import WRITE
from ..http.tus import require_version
from ..schemas.requests import PageQuery, UploadMetadata
from ..schemas.responses import UnfinishedUploadRecord, UploadRecord, list_page, list_schema
from ..views.uploads import (
    append_to,
    begin_of_owner,
    end_upload,
    own_upload,
    page_of_uploads,
    progress_of,
    shown_result,
    visible_upload,
)
from .routes import Pages

PATH = "/app/uploads"
uploads = Pages("uploads", "/uploads", answers_scripts=True)
uploads.before_request(require_version)


@uploads.post("", scope=WRITE, stepped=True)
def begin_upload() -> Response:
    """Begin an upload in pieces"""
    return begin_of_owner(PATH, UploadMetadata())


@uploads.get("")
def list_uploads() -> Response:
    """List the uploads that are not finished, as JSON"""
    asked = {name: request.args[name] for name in ("limit", "cursor") if name in request.args}
    page = page_of_uploads(**PageQuery().load(asked))
    return jsonify(list_schema("uploads", UnfinishedUploadRecord).dump(list_page(page)))


@uploads.route("/<id>", methods=["HEAD"], scope=WRITE)
def show_progress(id: str) -> Response:
    """Say how much of an upload has arrived"""
    return progress_of(visible_upload(id))


@uploads.route("/<id>", methods=["GET"], scope=WRITE)
def show_upload(id: str) -> Response:
    """Return an upload's record, and its document when that is stored, as JSON"""
    return jsonify(UploadRecord().dump(shown_result(visible_upload(id))))


@uploads.route("/<id>", methods=["PATCH"], scope=WRITE, stepped=True)
def append(id: str) -> Response:
    """Send more of an upload"""
    return append_to(own_upload(id))


@uploads.route("/<id>", methods=["DELETE"], scope=WRITE)
def end(id: str) -> Response:
    """End an upload, and delete what has arrived of it"""
    end_upload(visible_upload(id))
    return Response(status=204)
