"""The command `document-service`: serves, and runs the commands of an operator.

The service is imported when it is needed: `--help` answers in a tenth of a second.
"""

import gc
import os
import pwd
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from . import HOME, IS_CHECKOUT

INSTANCE_PATH = "DOCSERVICE_INSTANCE_PATH"
SENTENCES = {  # of the commands of an operator, as their docstrings begin
    "audit": "Verify the log of events, and hand it out to be verified.",
    "backup": "Write a backup: backup FILE; compare its parts: backup check FILE.",
    "copy": "Copy everything from the SQLite file to PostgreSQL.",
    "doctor": "Check files, keys, documents, disk and clock.",
    "documents": "Delete documents, also damaged ones.",
    "export": "Export people and spaces into the folder PATH, sealed with a passphrase.",
    "import": "Import the accounts of an export in the folder PATH.",
    "keys": "List, rotate, retire and check the root keys.",
    "mail": "Try the server that takes the service's mail.",
    "openapi": "Print the OpenAPI 3.1 description of the API.",
    "payloads": "Move payloads to another place, delete what is left over.",
    "restore": "Replace the database with the backup FILE and its payloads.",
    "sweep": "Delete what has expired.",
    "users": "List, create, invite, link, disable and enable accounts.",
    "where": "Print the folder of the data, or with --keyring the file of the keyring.",
}


def data_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder of database and keyring: the given one, else that of this installation.

    A given path that is relative counts from the current folder. Otherwise it is `instance/` of a
    checkout. An installed service has the folder that the system keeps for the data of a user's
    programs: it survives an upgrade, and the removal of the package.
    Raises `click.ClickException` if there is no such folder.
    """
    if given := environment.get(INSTANCE_PATH):
        return _from_current_folder(given)
    if IS_CHECKOUT:
        return HOME / "instance"
    if sys.platform == "darwin":
        return _home_of_user() / "Library" / "Application Support" / "document-service"
    data = os.environ.get("XDG_DATA_HOME", "")
    base = Path(data) if os.path.isabs(data) else _home_of_user() / ".local" / "share"
    return base / "document-service"


def _from_current_folder(path: str) -> Path:
    try:
        return Path(path).absolute()
    except FileNotFoundError:
        raise click.ClickException(
            f"{INSTANCE_PATH} counts from the current folder, which has been deleted. "
            "Set an absolute path."
        ) from None


def _home_of_user() -> Path:
    """Return the folder that HOME names, else the one of the system's list of users.

    A relative path would be another folder in each current folder, and is ignored.
    """
    home = os.environ.get("HOME", "")
    if os.path.isabs(home):
        return Path(home)
    with suppress(KeyError):  # of a user whom the list does not have
        home = pwd.getpwuid(os.getuid()).pw_dir
    if not os.path.isabs(home):
        raise click.ClickException(
            "This user has no home folder, in which the data could lie. "
            f"Set {INSTANCE_PATH} to a folder."
        )
    return Path(home)


def find_modules() -> None:
    """Let this process import the service's modules."""
    if str(HOME) not in sys.path[:1]:
        sys.path.insert(0, str(HOME))


def enter_service() -> None:
    """Let this process import the service's modules, and tell them where the data lies.

    Raises `click.ClickException` if it can lie nowhere.
    """
    find_modules()
    from environment import WrongSetting, with_file_of_settings

    try:
        settings = with_file_of_settings(os.environ)
    except WrongSetting:  # of the file of settings: the service says so itself
        return
    os.environ[INSTANCE_PATH] = str(data_folder(settings))


def _create_app() -> Any:
    """Return the application of a command that is run; `--help` does without."""
    enter_service()
    from app import create_app

    return create_app()


class _Commands(click.Group):
    """Commands of its own, and those of the operator, which are imported when one is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *SENTENCES])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in SENTENCES:
            return super().get_command(ctx, cmd_name)
        find_modules()
        from flask.cli import ScriptInfo

        from blueprints.commands import OperatorCommands

        ctx.obj = ScriptInfo(create_app=_create_app, set_debug_flag=False)
        return OperatorCommands().get_command(ctx, cmd_name)

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        own = {name: command.get_short_help_str(80) for name, command in self.commands.items()}
        with formatter.section("Commands"):
            formatter.write_dl(sorted((SENTENCES | own).items()))


def _print_version(ctx: click.Context, _option: click.Parameter, wanted: Any) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    find_modules()
    from blueprints.status import VERSION

    click.echo(f"document-service {VERSION}")
    ctx.exit()


@click.group(cls=_Commands)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version and exit.",
)
def main() -> None:
    """Store documents encrypted, show them in a browser, and share them by links.

    `serve` runs the service. The settings are variables of the environment, DOCSERVICE_…, which
    docs/operating.md lists.
    """


@main.command()
@click.option("--listen", metavar="ADDRESS:PORT", help="Listen here instead of 127.0.0.1:8000.")
def serve(listen: str | None) -> None:
    """Serve until Ctrl-C or SIGTERM."""
    if listen:
        os.environ["DOCSERVICE_LISTEN"] = listen
    enter_service()
    gc.disable()  # as `python app.py` does
    import app

    app.main()


@main.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--until", metavar="TIME", help="3d (days), 12h (hours), friday, or 2026-12-24.")
@click.option("--password", is_flag=True, help="Ask for a password that opens the link.")
@click.option("--views", type=click.IntRange(1), help="How often the link can be opened.")
@click.option("--url", envvar="DOCUMENT_SERVICE_URL", default="http://127.0.0.1:8000")
@click.option("--key", envvar="DOCUMENT_SERVICE_KEY", required=True, help="An API key.")
def send(
    file: Path, until: str | None, password: bool, views: int | None, url: str, key: str
) -> None:
    """Upload FILE to a running service, and print a link to it."""
    from .client import Client, RefusedError, parse_time

    try:
        end = parse_time(until) if until else None
        secret = click.prompt("Password", hide_input=True, err=True) if password else None
        click.echo(Client(url, key).send(file, until=end, password=secret, views=views))
    except (OSError, ValueError, RefusedError) as error:
        raise click.ClickException(str(error)) from None


if __name__ == "__main__":
    main(prog_name="document-service")
