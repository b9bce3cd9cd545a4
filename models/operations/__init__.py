"""Maintenance jobs: run by the CLI, or periodically while the service runs."""

from .backup import create_backup
from .doctor import DoctorContext, Finding, run_checks
from .key_rotation import (
    RootKeyUsage,
    generate_root_key,
    list_root_keys,
    retire_root_key,
    rotate_root_keys,
)
from .periodic import PeriodicTask
from .progress import ReportProgress
from .restore import restore_backup
from .sweeper import sweep
from .verification import check_contents, check_keys

__all__ = [
    "DoctorContext",
    "Finding",
    "PeriodicTask",
    "ReportProgress",
    "RootKeyUsage",
    "check_contents",
    "check_keys",
    "create_backup",
    "generate_root_key",
    "list_root_keys",
    "restore_backup",
    "retire_root_key",
    "rotate_root_keys",
    "run_checks",
    "sweep",
]
