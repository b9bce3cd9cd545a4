"""The viewer without the service: `python -m viewer FILE > page.html`."""

import argparse
import hashlib
import sys
from datetime import UTC, datetime
from pathlib import Path

from . import ShownDocument, configured_converter, download, type_of_name


def main() -> None:
    """Write the page of the file that is named on the command line to the standard output."""
    parser = argparse.ArgumentParser(
        prog="python -m viewer", description="Write a file as one HTML page that holds it."
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--password", help="of an encrypted PDF")
    arguments = parser.parse_args()
    try:
        document = opened(arguments.file, arguments.password)
    except OSError as error:
        parser.error(f"{arguments.file} can't be read: {error.strerror}")
    for piece in download(document).body:
        sys.stdout.buffer.write(piece)


def opened(path: Path, password: str | None = None) -> ShownDocument:
    """Return the document in a file; its name and its first bytes say the type."""
    data = path.read_bytes()
    changed_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    converter, _ = configured_converter(None)
    return ShownDocument(
        id="",
        name=path.name,
        default_name="document",
        content_type="",
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        created_at=changed_at.isoformat(timespec="seconds"),
        read=lambda start, stop: [data[start:stop]],
        named_type=type_of_name(path.name),
        password=password,
        converter=converter,
    )


if __name__ == "__main__":
    main()
