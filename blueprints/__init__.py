"""Blueprints of the HTTP API: one file for each noun, none of which imports another.

They use `models` and `viewer`.
"""

from .api_keys import api_keys
from .auth import auth
from .collections import collections
from .document_tokens import document_tokens
from .document_views import document_views, pdf_pages
from .documents import documents
from .embed import embed
from .events import events, webhooks
from .metrics import metrics
from .short_links import short_links
from .spaces import spaces
from .status import status
from .uploads import uploads, uploads_by_link

# in the order of the specification
BLUEPRINTS = (
    auth,
    spaces,
    api_keys,
    documents,
    uploads,
    document_views,
    pdf_pages,
    document_tokens,
    embed,
    collections,
    short_links,
    uploads_by_link,
    events,
    webhooks,
    status,
    metrics,
)
