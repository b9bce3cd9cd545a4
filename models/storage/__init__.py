"""The database engines, transactions, durability, and the payload stores.

`engine()` is the engine in use; `engine_base.py` lists its methods.
"""

from .connection import (
    Prepared,
    close_database,
    connected,
    database,
    finds_a_row,
    is_in_transaction,
    param,
    prepare_connection,
    prepared,
)
from .disk_space import try_disk
from .engines import SERVER_NOW, engine, is_server, open_database, shred
from .group_commit import NotSynced
from .later_sync import (
    LaterSync,
    errors_changed,
    later_sync,
    sync_for_responses,
    wait_for_earlier_syncs,
)
from .migrations import FIRST_MIGRATION, MigrationRunner
from .right import Right, RightLost, current_right
from .sqlite import SqliteError, create_file
from .sqlite_engine import READER_SECONDS
from .transactions import (
    SERVICE,
    accept_request,
    in_one_transaction,
    on_rollback,
    separate_transaction,
    transaction,
)
