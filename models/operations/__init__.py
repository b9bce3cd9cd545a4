"""Maintenance jobs: run by the CLI, or periodically while the service runs."""

from crypto import generate_root_key as generate_root_key

from .backup import create_backup as create_backup
from .doctor import DoctorContext as DoctorContext
from .doctor import Finding as Finding
from .doctor import run_checks as run_checks
from .key_rotation import RootKeyUsage as RootKeyUsage
from .key_rotation import list_root_keys as list_root_keys
from .key_rotation import retire_root_key as retire_root_key
from .key_rotation import rotate_root_keys as rotate_root_keys
from .periodic import PeriodicTask as PeriodicTask
from .progress import ReportProgress as ReportProgress
from .restore import restore_backup as restore_backup
from .sweeper import sweep as sweep
from .verification import check_contents as check_contents
from .verification import check_keys as check_keys
