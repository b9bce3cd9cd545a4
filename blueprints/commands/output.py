"""Output of the commands: results on stdout, progress and errors on stderr."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import click

from models import connected, setup
from models.runtime import operator_message
from operations import ReportProgress

LINE_SECONDS, TERMINAL_SECONDS = 5.0, 0.1


def with_database(command: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command so that the database and the keyring are open before it runs."""

    @wraps(command)
    def wrapper(*args: Any, **options: Any) -> None:
        with operator_errors():
            setup.open_runtime()
            with connected():
                command(*args, **options)

    return wrapper


@contextmanager
def operator_errors() -> Iterator[None]:
    """Print an expected error as one sentence, with exit code 1."""
    try:
        yield
    except click.ClickException:
        raise
    except Exception as error:
        if sentence := operator_message(error):
            raise click.ClickException(sentence) from None
        raise


@contextmanager
def progress(label: str) -> Iterator[ReportProgress]:
    """Print progress: one updated line on a terminal; elsewhere a new line every few seconds."""
    terminal = sys.stderr.isatty()
    pause_seconds = TERMINAL_SECONDS if terminal else LINE_SECONDS
    printed_at = time.monotonic()

    def report(done: int, total: int) -> None:
        nonlocal printed_at
        if time.monotonic() - printed_at >= pause_seconds:
            printed_at = time.monotonic()
            line = f"{label}: {done:,} of {total:,}"
            click.echo(f"\r{line}\033[K" if terminal else line, err=True, nl=not terminal)

    yield report
    if terminal:
        click.echo("\r\033[K", err=True, nl=False)


def secret(what: str, *, is_new: bool) -> str:
    """Return a password from the prompt, which asks for a new one twice, or from stdin.

    It is no argument, as other users of the machine can read arguments.
    """
    if sys.stdin.isatty():
        return str(click.prompt(what, hide_input=True, confirmation_prompt=is_new, err=True))
    return sys.stdin.readline().rstrip("\r\n")


def size_of(count: int) -> str:
    """Return a number of bytes in words, as "9.1 GiB"."""
    size = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:,.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:,.1f} TiB"


def table(*rows: tuple[Any, ...]) -> None:
    """Print rows of cells, aligned in columns."""
    texts = [[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for row in texts:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        click.echo("  ".join(cells).rstrip())


def fail_if(problems: Any) -> None:
    """Exit with code 1 if there are `problems`, so that a scheduler notices."""
    if problems:
        raise SystemExit(1)
