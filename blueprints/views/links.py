"""Document tokens as links: issued from what a body asks for, with the addresses they open."""

from html import escape
from types import SimpleNamespace
from typing import Any

from flask import current_app, request

from models import Document, DocumentToken
from models.document_token import LinkOptions
from models.records.ids import now


def base_url() -> str:
    return current_app.config["BASE_URL"] or request.host_url.rstrip("/")


def link_options(body: dict[str, Any]) -> LinkOptions:
    """What a body asks for. A link lives a week if nothing else is said."""
    life_ms = current_app.config["TOKEN_SECONDS"] * 1000
    return LinkOptions.of(
        label=body["label"],
        permissions=tuple(dict.fromkeys(body["permissions"])),
        allowed_origins=tuple(dict.fromkeys(body["allowed_origins"])),
        expires_at=body.get("expires_at", now() + life_ms),
        max_views=body["max_views"],
        password=body["password"],
    )


def issue_link(document: Document, terms: LinkOptions) -> SimpleNamespace:
    """A new token of the document, and where it leads."""
    return _with_addresses(DocumentToken.issue(document, terms))


def _with_addresses(token: DocumentToken) -> SimpleNamespace:
    document = f"{base_url()}/v1/documents/{token.document_id}"
    view_url = f"{document}/view?token={token.token}"
    columns = {name: getattr(token, name) for name in DocumentToken._meta.fields}
    return SimpleNamespace(
        **columns,
        token=token.token,
        label=token.label,
        has_password=token.has_password,
        view_url=view_url,
        download_url=f"{document}/download?token={token.token}",
        content_url=f"{document}/content?token={token.token}",
        embed_html=frame(view_url),
    )


def frame(view_url: str, width: int | str = "100%", height: int = 600) -> str:
    """The element that embeds a view without any script."""
    return (
        f'<iframe src="{escape(view_url)}&amp;embed=1" width="{width}" height="{height}" '
        'title="Document" loading="lazy" referrerpolicy="no-referrer" allow="fullscreen" '
        'style="border:0;max-width:100%"></iframe>'
    )
