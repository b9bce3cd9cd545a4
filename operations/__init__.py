"""The work of an operator: backups, key rotation, verification, the audit, export and import."""

import models  # before a module of this package imports peewee
from crypto import generate_root_key

from .audit import AuditResult, ExportedLog, checkpoint, read_receipts, verify_log
from .backup import (
    check_backup,
    create_backup,
    last_backup_at,
    open_to_back_up,
    payloads_without_backup,
    receipts_of,
    record_backup,
    require_file,
    restore_backup,
)
from .backup_payloads import PayloadFolder
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
from .payloads import MoveResult, drop_unreferenced_payloads, move_payloads
from .postgres_copy import copy_to_postgres
from .progress import ReportProgress
from .verification import check_contents, check_keys
