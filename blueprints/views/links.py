"""Document tokens as links: the URLs they open."""

from dataclasses import dataclass
from html import escape

from flask import Response
from markupsafe import Markup

import viewer
from models import Document, DocumentToken, Issued, RowWith, current_runtime
from models.core import PayloadTooLarge, ServiceError, counted
from models.links import UPLOAD, Opening, Target

from ..http.caller import current_request


class TooLargeForOneFile(PayloadTooLarge):
    def __init__(self, target: Target) -> None:
        most = _most_saved_bytes()
        if isinstance(target, Document):
            sentence = (
                f"This document has {counted(target.size, 'byte')}; an HTML file holds {most:,}. "
                "Save the original: …/content."
            )
        else:
            sentence = (
                f"These documents have {counted(target.size, 'byte')}; one HTML file holds "
                f"{most:,}. Save them as a ZIP file: …/content."
            )
        ServiceError.__init__(self, sentence)


def fits_one_file(target: Target) -> bool:
    """Return whether one HTML file holds the original, or all originals of a collection."""
    return target.size <= _most_saved_bytes()


def _most_saved_bytes() -> int:
    return min(current_runtime().settings.max_document_bytes, viewer.MOST_SAVED_BYTES)


def base_url() -> str:
    if configured := current_runtime().settings.base_url:
        return configured
    return address_of_request()


def address_of_request() -> str:
    """Return scheme and host of the request."""
    request = current_request()
    return f"{request.scheme}://{request.host}"


@dataclass(frozen=True)
class IssuedLink(Issued[DocumentToken]):
    """A new token, and the URLs that it opens."""

    base_url: str

    @property
    def short_url(self) -> str:
        """Return the URL that opens whatever the link's target is at that time."""
        return f"{self.base_url}/s?token={self.secret}"

    @property
    def view_url(self) -> str | None:
        return self._url("view")

    @property
    def download_url(self) -> str | None:
        return self._url("download") if fits_one_file(self.row.target) else None

    @property
    def content_url(self) -> str | None:
        return self._url("content")

    @property
    def embed_html(self) -> str | None:
        return self.view_url and frame(self.view_url)

    def _url(self, action: str) -> str | None:
        """Return the URL of an action; None for a link that takes files."""
        if self.row.permissions == UPLOAD:
            return None
        path = f"/v1/documents/{self.row.target_id}/{action}"
        if self.row.collection_id:
            path = "/s" if action == "view" else f"/s/{action}"
        return f"{self.base_url}{path}?token={self.secret}"


@dataclass(frozen=True)
class UploadedDocument(RowWith[Document]):
    """A new document, and its first link if the caller asked for a link."""

    token: IssuedLink | None


def with_addresses(issued: Issued[DocumentToken]) -> IssuedLink:
    return IssuedLink(issued.row, issued.secret, base_url())


def frame(view_url: str, width: int | str = "100%", height: int = 600) -> str:
    """Return the HTML element that embeds a view without a script."""
    return (
        f'<iframe src="{escape(view_url)}&amp;embed=1" width="{width}" height="{height}" '
        'title="Document" loading="lazy" referrerpolicy="no-referrer" allow="fullscreen" '
        'style="border:0;max-width:100%"></iframe>'
    )


def receipt_file(opening: Opening) -> Response:
    """Return a line of the owner's log as a file to save. Raise `NotFound`."""
    saved = {"Content-Disposition": "attachment; filename=receipt.jsonl"}
    return Response(opening.receipt(), headers=saved, content_type="application/jsonl")


def visible(text: str) -> Markup:
    """Return the text, in which characters that reorder or hide text are made visible."""
    return Markup(viewer.escape(text))  # noqa: S704


def qr_code(url: str) -> str:
    """Return an SVG of black on white, also in the dark: some readers take nothing else.

    Return '' for an address that is too long for a QR code.
    """
    import segno  # noqa: PLC0415  few pages show a code

    try:
        return str(segno.make_qr(url, error="m").svg_inline(scale=4, light="#fff"))
    except segno.DataOverflowError:
        return ""
