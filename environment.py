"""Where settings come from: the environment of the process, one file of settings, files of secrets.

`DOCSERVICE_ENVIRONMENT_FILE` names the file of settings, which the unit of systemd, its timers and
the commands of an operator share. No other file is looked for.
"""

import re
import stat
from collections.abc import Iterator, Mapping, MutableMapping
from pathlib import Path

import click

PREFIX = "DOCSERVICE_"
ENVIRONMENT_FILE = f"{PREFIX}ENVIRONMENT_FILE"
MOST_SECRET_BYTES = 4096
MOST_FILE_BYTES = 256 << 10
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_BLANKS = " \t"
_LINE_ENDS = "\r\n"


class WrongSetting(click.ClickException):
    """A setting that cannot be used; the message names the setting and its valid values.

    It never quotes a value that may be, or hold, a secret. A click exception, so that a command
    prints the message without a traceback.
    """


def with_file_of_settings(environment: MutableMapping[str, str]) -> Mapping[str, str]:
    """Return the environment, with the settings of the file that `ENVIRONMENT_FILE` names.

    What both have counts as the environment has it. Names of the file without our prefix, such as
    those by which S3 is reached, are added to the environment itself, where libraries read them.
    Raises `WrongSetting`.
    """
    path = environment.get(ENVIRONMENT_FILE)
    if not path:
        return environment
    added = dict(_assignments(_text_of(path, ENVIRONMENT_FILE, MOST_FILE_BYTES)))
    for name, value in added.items():
        if not name.startswith(PREFIX):
            environment.setdefault(name, value)
    return {**added, **environment}


def secret_of(environment: Mapping[str, str], name: str) -> str | None:
    """Return the value of a variable, or of the file that the variable NAME_FILE names.

    The value is the whole file, without one line end at its end: one line of UTF-8 in at most 4
    KiB. Returns None if neither variable is set. Raises `WrongSetting` if both are, or if the file
    holds something else.
    """
    in_file = f"{name}_FILE"
    value, path = environment.get(name), environment.get(in_file)
    if not path:
        return value
    if value:
        raise WrongSetting(f"{name} and {in_file} are both set. Set one of them.")
    text = _text_of(path, in_file, MOST_SECRET_BYTES)
    text = text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text
    if not text.strip() or _CONTROL.search(text):
        raise WrongSetting(f"The file of {in_file} has to hold one line of text.")
    return text


def _text_of(path: str, name: str, most_bytes: int) -> str:
    """Return the text of a file. The sentence of an error does not quote the path of a variable.

    In place of the path somebody may have written the secret itself.
    """
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):
            raise WrongSetting(f"{name} takes the path of a file, and this is none.")
        with Path(path).open("rb") as file:
            content = file.read(most_bytes + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or "this is none"
        raise WrongSetting(f"{name} takes the path of a file: {reason}.") from None
    if len(content) > most_bytes:
        raise WrongSetting(f"The file of {name} may have at most {most_bytes:,} bytes.")
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise WrongSetting(f"The file of {name} is not UTF-8.") from None
    if text.startswith("\ufeff") or "\0" in text:
        raise WrongSetting(f"The file of {name} is not UTF-8 without a byte order mark.")
    return text


def _assignments(text: str) -> Iterator[tuple[str, str]]:
    """Yield names and values of a file as systemd reads it (systemd.exec(5), EnvironmentFile=).

    A line is `NAME=value`, a comment that begins with `#` or `;`, or blank. In double quotes a
    backslash escapes `"`, `\\`, `` ` `` and `$`, without quotes every character, in single quotes
    none; at the end of a line it continues the line, but no comment. Nothing is expanded. Unlike
    systemd, a line that is none of these raises `WrongSetting`, which names the line by its number
    alone.
    """
    position = 0
    while position < len(text):
        start = position
        if text[position] in _BLANKS + _LINE_ENDS:
            position += 1
            continue
        if text[position] in "#;":
            position = _end_of_comment(text, position)
            continue
        name, equals, _ = text[position:].partition("=")
        name = name.rstrip(_BLANKS)
        if not equals or not _NAME.fullmatch(name):
            raise _wrong_line(text, start, "is no NAME=value")
        value, position = _value(text, text.index("=", position) + 1, start)
        yield name, value


def _end_of_comment(text: str, position: int) -> int:
    """Return the position of the line end behind a comment, which nothing continues."""
    while position < len(text) and text[position] not in _LINE_ENDS:
        position += 1
    return position


def _value(text: str, position: int, start: int) -> tuple[str, int]:
    """Return the value that begins at a position, and the position behind it.

    Quotes count before the first character without them; blanks around such characters do not.
    """
    value, kept = "", 0  # blanks behind the first `kept` characters are no part of the value
    is_bare = False
    while position < len(text) and text[position] not in _LINE_ENDS:
        character = text[position]
        position += 1
        if character in _BLANKS:
            value += character if is_bare else ""
            continue
        if character in "\"'" and not is_bare:
            part, position = _quoted(text, position, character, start)
            value += part
            kept = len(value)
            continue
        is_bare = True
        if character == "\\":
            character, position = _escaped(text, position)
        value += character
        kept = len(value) if character else kept
    return value[:kept], position


def _escaped(text: str, position: int) -> tuple[str, int]:
    """Return the character behind a backslash, '' for the end of a line, and where to go on."""
    if text.startswith("\r\n", position):
        return "", position + 2
    following = text[position : position + 1]
    return "" if following == "\n" else following, position + 1


def _quoted(text: str, position: int, quote: str, start: int) -> tuple[str, int]:
    """Return what stands between quotes, and the position behind them."""
    value = ""
    while position < len(text):
        character = text[position]
        position += 1
        if character == quote:
            return value, position
        if character != "\\" or quote == "'":
            value += character
            continue
        following = text[position : position + 1]
        position += 1
        if following == "\n":
            continue
        value += following if following and following in '"\\`$' else f"\\{following}"
    raise _wrong_line(text, start, "has a quotation that does not end")


def _wrong_line(text: str, position: int, why: str) -> WrongSetting:
    """Return an error that names the line of a position by its number."""
    number = text.count("\n", 0, position) + 1
    return WrongSetting(f"Line {number} of the file of {ENVIRONMENT_FILE} {why}.")
