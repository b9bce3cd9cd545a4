"""The database engines, transactions, durability, and where payloads are stored.

`engine.py` says what an engine has to offer.
"""

from .connection import close_database, connected, database, prepare_connection
from .engine import (
    SERVER_NOW,
    checkpoint_wal,
    create_file,
    engine_error,
    is_durable,
    is_server,
    is_shared,
    is_writable,
    keep_ballast,
    lock_name,
    migrating,
    open_database,
    reserve_disk_space,
    schema_differences,
    shred,
    snapshot,
    stream,
    sync_wal,
    table_differences,
    truncate_wal,
    wal_sync_failures,
)
from .prepared import Prepared, param
from .sqlite import READER_SECONDS, EngineError, pragma
from .transactions import (
    SERVICE,
    enqueue_write,
    flush_enqueued_writes,
    gathering_steps,
    in_one_transaction,
    on_rollback,
    separate_transaction,
    transaction,
    unsynced_transaction,
)
