"""How much memory a preview takes, each in a process of its own"""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

MAX_MIB = 200
MIB = 1 << 20
DOCUMENTS = {  # name -> content type, an expression for its bytes
    "control characters": ("text/plain", "b'\\x01' * (2 << 20)"),
    "alternating control characters": ("text/plain", "b'a\\x01' * (1 << 20)"),
    "alternating control characters beyond the BMP": (
        "text/plain",
        "'\U0001f600\\x01'.encode() * (400 << 10)",
    ),
    "control characters in cells": ("text/csv", "(b'a\\x01' * 20 + b',') * 100_000"),
    "control characters in a mail": (
        "message/rfc822",
        "b'Subject: x\\n\\n' + (b'\\x01' * 100 + b'\\n') * 83_000",
    ),
    "links in a mail": (
        "message/rfc822",
        "b'Content-Type: text/html\\n\\n' + b'<a>' * 1_390_000",
    ),
    "one picture a million times in a mail": (
        "message/rfc822",
        "b'Content-Type: multipart/related; boundary=b\\n\\n--b\\nContent-Type: text/html\\n\\n'"
        " + b'<img src=cid:p>' * 100_000 + b'\\n--b\\nContent-Type: image/png\\nContent-ID: <p>\\n'"
        " b'\\n' + b'x' * (1 << 20) + b'\\n--b--\\n'",
    ),
    "attachments of a mail": (
        "message/rfc822",
        "samples.mail_with_picture('<img src=cid:pic>' * 50_000, a=bytes(9 << 20))",
    ),
    "small files in an archive": (
        "application/zip",
        "samples.package(**{f'{n}_dot_txt': b'\\x01' * (1 << 20) for n in range(60)})",
    ),
    "links in a page": ("text/html", "b'<a>' * 1_390_000"),
    "quotes in a page": ("text/html", "b'\"' * (4 << 20)"),
    "control characters in code": ("text/x-python", "b'a\\x01' * (100 << 10)"),
    "one long cell referenced by a sheet": (
        "application/zip",
        "samples.xlsx('<row>' + '<c t=\"s\"><v>1</v></c>' * 30_000 + '</row>')",
    ),
    "text runs in a PDF": ("application/pdf", "samples.pdf(*['x ' * 5_000] * 60)"),
}
# Not ru_maxrss: a new program inherits that of the process that started it.
PROGRAM = """
import re
from viewer.tests import samples
from viewer import view
page = view(samples.original({data}, "a", {content_type!r}))
length = sum(map(len, page.body))
assert length == page.length
with open("/proc/self/status") as status:
    peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", status.read())[1])
print(peak >> 10, length)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux tells the peak")
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_preview_takes_at_most_200_mib_and_makes_a_page_of_at_most_48_mib(name):
    content_type, data = DOCUMENTS[name]
    program = PROGRAM.format(data=data, content_type=content_type)
    output = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    peak, length = map(int, output.split())

    assert peak <= MAX_MIB
    assert length <= 48 * MIB
