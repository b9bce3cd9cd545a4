"""The child's main: load the one job's code, give up all rights, read, work, answer, end."""

import importlib
import sys
from typing import Any, Final

from viewer.sandbox.frames import read_frame, write_frame
from viewer.sandbox.limits import give_up_rights

JOBS: Final = {  # job -> module, memory in MB, CPU seconds
    "pdf": ("pdf_pages", 1024, 25),
    "markdown": ("markdown_text", 512, 6),
    "code": ("highlighting", 512, 6),
    "web": ("foreign_html", 768, 3),
    "mail": ("mail_message", 768, 8),
    "office": ("office", 768, 10),
}


def main() -> None:
    """Answer with frames, and a last one that says how it ended (None: well)."""
    order, _ = read_frame(sys.stdin.buffer)
    module, memory_mb, cpu_seconds = JOBS[order["job"]]
    job = importlib.import_module(f"viewer.sandbox.{module}")
    data = sys.stdin.buffer.read()
    job.prepare(data, order)
    give_up_rights(memory_mb=memory_mb, cpu_seconds=cpu_seconds)
    write_frame(sys.stdout.buffer, {"end": _work(job, data, order)})


def _work(job: Any, data: bytes, order: dict[str, Any]) -> str | None:
    try:
        for facts, block in job.frames(data, order):
            write_frame(sys.stdout.buffer, facts, block)
    except Exception as error:  # noqa: BLE001
        return str(getattr(error, "reason", "")) or type(error).__name__
    return None
