"""Opening the database, and maintenance: run by the CLI, or periodically while the service runs."""

from crypto import generate_root_key

from .account_deletion import AccountContents, delete_account, delete_space
from .audit import AuditResult, ExportedLog, checkpoint, read_receipts, verify_log
from .background import PeriodicTask, drop_objects, end_links, sweep
from .backup import (
    create_backup,
    last_backup_at,
    open_to_back_up,
    receipts_of,
    record_backup,
    require_file,
    restore_backup,
)
from .doctor import DoctorContext, Finding, run_checks
from .exporting import ExportResult, export_accounts
from .importing import ImportedAccount, give_up_imports, import_accounts
from .key_rotation import (
    RootKeyUsage,
    is_primary_kept,
    list_root_keys,
    record_kept_root_key,
    retire_root_key,
    rotate_root_keys,
)
from .payloads import (
    PLACES,
    MoveResult,
    check_payload_store,
    drop_unreferenced_objects,
    move_payloads,
    unreferenced_objects,
)
from .postgres_copy import copy_to_postgres, refuse_copied
from .progress import ReportProgress
from .verification import check_contents, check_keys
