"""Runs a job: in a worker of ours, or in the converter's process."""

from collections.abc import Iterable
from typing import Any, Final

from . import process
from .converter import Converter, convert

CONVERT: Final = "convert"


def run(
    job: str, pieces: Iterable[bytes], options: dict[str, Any], *, seconds: float
) -> process.JobResult:
    """Run a job on these bytes in a child process, at most `seconds` long. Keeps nothing."""
    if job != CONVERT:
        return process.run(job, pieces, options, seconds=seconds)
    converter = Converter(**options["converter"])
    return convert(converter, pieces, options["extension"], seconds=seconds)
