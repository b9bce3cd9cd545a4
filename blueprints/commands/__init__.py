"""The command line: `flask --app app …`. Like HTTP it asks models; the house opens when a command
needs it, so that what is broken can be looked at and mended."""

import click
from flask.cli import FlaskGroup

from .backup import backup, restore
from .doctor import doctor
from .keys import keys
from .maintenance import openapi, sweep
from .users import users

COMMANDS: tuple[click.Command, ...] = (keys, backup, restore, doctor, users, sweep, openapi)


def commanded() -> bool:
    """Whether the app is being made for one of these commands, not to serve."""
    context = click.get_current_context(silent=True)
    return context is not None and isinstance(context.command, FlaskGroup)


__all__ = ["COMMANDS", "commanded"]
