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
from .payload import place_for
from .payloads_in_use import payloads_in_use
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
from .unfinished_upload import UnfinishedUpload
from .unreferenced_payload import UnreferencedPayload
from .uploads import (
    STEP_PIECES,
    Checksums,
    SentPayload,
    acting_user_id,
    delete_aborted_payload,
    delete_aborted_uploads,
    delete_unfinished_uploads,
    new_document,
    require_quota,
    require_room,
    room_in_quota,
    steps_to,
    store_as_exported,
    upload,
)
