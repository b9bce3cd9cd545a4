"""Rows: ids, insertion, sealing with a key of their own, MACs, and the user they belong to."""

from .acting import presented_by_member
from .authenticated import (
    Authenticated,
    Credential,
    OwnerAuthority,
    Presented,
    log_altered,
    loggable_id,
)
from .keyed import OWNER_TABLE, Owner, OwnsDataKey
from .owned import Owned, ResultPage, has_passed, require_future
from .table import PAGE_ROWS, Issued, RowWith, Table, cached_property
