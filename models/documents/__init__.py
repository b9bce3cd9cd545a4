"""Documents: their rows, payloads and previews; and collections of them."""

from .bin import (
    bin_page,
    binned,
    one_in_bin,
    page_with_binned,
    put_back,
    put_in_bin,
    with_binned,
)
from .collection import MOST_DOCUMENTS, USUAL_MAX_BYTES, Collection, collections_with
from .document import BIN_MS, READ_TWICE_BYTES, Document, Stored
from .search import (
    ORDERS,
    Found,
    Period,
    Search,
    Searched,
    documents_page,
    existing_page,
    find_documents,
)
from .shown import Client, shown_document
from .stored_preview import StoredPreview
from .totals import correct_total, wrong_totals
from .unreferenced_object import UnreferencedObject
from .uploads import (
    Checksums,
    SentPayload,
    delete_aborted_object,
    delete_aborted_uploads,
    delete_unfinished_uploads,
    require_room,
    store_as_exported,
    upload,
)
