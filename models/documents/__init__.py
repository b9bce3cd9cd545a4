"""Documents: their rows, payloads and previews."""

from .document import Document
from .kinds import KINDS, kind_of
from .media_types import type_of_name
from .search import find_documents
from .stored_preview import StoredPreview
from .unreferenced_object import UnreferencedObject
from .uploads import (
    delete_aborted_object,
    delete_aborted_uploads,
    delete_unfinished_uploads,
    upload,
)
