"""How a command speaks: results on stdout; progress, and what went wrong, on stderr."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import click
from flask import current_app

from models import connected
from models.error_mapping import operator_message

LINE_SECONDS, TERMINAL_SECONDS = 5.0, 0.1


def with_database(command: Callable[..., None]) -> Callable[..., None]:
    """The house is open while the command runs."""

    @wraps(command)
    def opened(*args: Any, **options: Any) -> None:
        with operator_errors():
            current_app.extensions["open_house"]()
            with connected():
                command(*args, **options)

    return opened


@contextmanager
def operator_errors() -> Iterator[None]:
    """What goes wrong is told in one sentence, and the exit code is 1."""
    try:
        yield
    except click.ClickException:
        raise
    except Exception as error:
        if sentence := operator_message(error):
            raise click.ClickException(sentence) from None
        raise


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A line that counts on a terminal; elsewhere a line every few seconds."""
    terminal = sys.stderr.isatty()
    pause_seconds = TERMINAL_SECONDS if terminal else LINE_SECONDS
    told_at = time.monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal told_at
        if time.monotonic() - told_at >= pause_seconds:
            told_at = time.monotonic()
            line = f"{what}: {done:,} of {total:,}"
            click.echo(f"\r{line}\033[K" if terminal else line, err=True, nl=not terminal)

    yield tell
    if terminal:
        click.echo("\r\033[K", err=True, nl=False)


def table(*rows: tuple[Any, ...]) -> None:
    """Columns as wide as what stands in them."""
    shown = [[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for row in shown:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        click.echo("  ".join(cells).rstrip())


def fail_if(wrong: Any) -> None:
    """Exit code 1, for what starts this by a clock."""
    if wrong:
        raise SystemExit(1)
