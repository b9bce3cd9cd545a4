"""The CLI, `flask --app app …`. A command opens the database itself, and only if it needs it, so
that `doctor` and `restore` work when the database or the keyring is damaged."""

import click
from flask.cli import FlaskGroup

from .backup import backup, restore
from .doctor import doctor
from .keys import keys
from .maintenance import openapi, sweep
from .users import users

COMMANDS: tuple[click.Command, ...] = (keys, backup, restore, doctor, users, sweep, openapi)


def commanded() -> bool:
    """Whether `create_app` was called by the `flask` command line."""
    context = click.get_current_context(silent=True)
    return context is not None and isinstance(context.command, FlaskGroup)


__all__ = ["COMMANDS", "commanded"]
