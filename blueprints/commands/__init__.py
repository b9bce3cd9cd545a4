"""The CLI, `document-service …`.

A command opens the database itself, and only if it needs the database, so that `doctor` and
`restore` work when the database or the keyring is damaged.
"""

from collections.abc import Mapping

import click
from flask.cli import AppGroup

from .system import system_notes


class OperatorCommands(AppGroup):
    """All commands of an operator, imported with the first one: a service that starts has none."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return sorted(_commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        return _commands().get(cmd_name)


def _commands() -> Mapping[str, click.Command]:
    from .every import COMMANDS  # noqa: PLC0415

    return {str(command.name): command for command in COMMANDS}


def refuse_flask_run() -> None:
    """Raise a click exception if `flask run` creates the application.

    It would serve without the limits, deadlines and background work of `app.py`.
    """
    context = click.get_current_context(silent=True)
    if context and context.info_name == "run":
        raise click.ClickException(
            "`flask run` lacks the server's limits and its background work. Start `python app.py`."
        )
