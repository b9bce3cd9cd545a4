"""Takes files in uuencode out of the text of a mail, where they were before there was MIME.

Source: POSIX.1-2017, uuencode.
"""

import binascii
import contextlib
import email
import email.policy
import re
from typing import Any, Final

FILE: Final = re.compile(
    rb"^begin [0-7]{3,4} ([^\r\n]{1,200})\r?\n((?:[!-M][ -`]{1,84}\r?\n)++)"
    rb"(?:[ `]?\r?\n)?end[ \r]*$",
    re.M,
)


def taken_out(data: bytes) -> Any:
    """Return a message that consists of a text, with the files in it as attachments."""
    files: list[tuple[str, bytes]] = []

    def take_out(match: re.Match[bytes]) -> bytes:
        with contextlib.suppress(binascii.Error):
            content = b"".join(map(binascii.a2b_uu, match[2].splitlines()))
            files.append((match[1].decode("ascii", "replace").strip(), content))
            return b""
        return match[0]

    rest = FILE.sub(take_out, data)
    message: Any = email.message_from_bytes(rest, policy=email.policy.default)
    message.set_type("text/plain")  # without which the text would be lost
    message.make_mixed()
    for name, content in files:
        message.add_attachment(content, "application", "octet-stream", filename=name)
    return message
