"""Rows: ids, insertion, sealing under the keys of their own and of others, and their owners."""

from .acting import presented_by_member, unended_by_member
from .credential import Credential, Presented, is_enabled
from .derived import DERIVED, Derived, Origin, end_derived
from .keyed import SPACE_PREFIX, KeyedRow, Owner
from .owned import (
    BOUNDS,
    LAST,
    MOST_READ,
    Owned,
    ResultPage,
    SealedByOwner,
    has_passed,
    require_future,
)
from .payer import payer_of
from .sealed import Sealed, SealedByService, SealedName, SealedRow, log_altered, loggable_id
from .table import PAGE_ROWS, Issued, RowWith, Table, cached_property
