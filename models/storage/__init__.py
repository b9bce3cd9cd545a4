"""The database engine: connections, transactions, durability, and where payloads are stored.

Every name here is one that another engine has to offer, too.
"""

from .prepared import Prepared, param
from .schema import schema_differences
from .sqlite import (
    READER_SECONDS,
    EngineError,
    checkpoint_wal,
    close_database,
    connected,
    create_file,
    database,
    engine_error,
    is_writable,
    open_database,
    pragma,
    shred,
    snapshot,
    stream,
    sync_wal,
    truncate_wal,
    wal_sync_failures,
)
from .transactions import (
    enqueue_write,
    flush_enqueued_writes,
    in_one_transaction,
    is_durable,
    on_rollback,
    transaction,
    unsynced_transaction,
)
