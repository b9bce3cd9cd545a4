"""The CLI, `flask --app app …`. A command opens the database itself, and only if it needs it, so
that `doctor` and `restore` work when the database or the keyring is damaged."""

import click

from .audit import audit
from .backup import backup, restore
from .copy import copy
from .development_server import refuse_flask_run
from .doctor import doctor
from .isolation import isolation_notes
from .keys import keys
from .maintenance import openapi, sweep
from .payloads import payloads
from .users import users

COMMANDS: tuple[click.Command, ...] = (
    keys,
    backup,
    restore,
    copy,
    doctor,
    users,
    audit,
    payloads,
    sweep,
    openapi,
)
