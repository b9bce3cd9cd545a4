"""Main program of the child process: import the job, limit resources, render, exit."""

import importlib
import sys
from typing import Any, Final

from ..content import charset_detection
from ..content.decoding import needs_detection, preload_codecs
from .messages import read_message, write_message
from .resource_limits import apply_resource_limits, forbid_new_files
from .seccomp import forbid_inspection, restrict_system_calls, seccomp_available

JOBS: Final = {  # job -> module, memory in MB, CPU seconds
    "text": ("text.text_lines", 256, 6),
    "table": ("sheets.csv_table", 384, 6),
    "pdf": ("pdf.drawing", 1024, 25),
    "markdown": ("text.markdown_text", 512, 6),
    "code": ("text.highlighting", 512, 8),
    "html": ("web.foreign_html", 768, 3),
    "mail": ("mail.mail_page", 768, 8),
    "mailbox": ("mail.mailbox_messages", 768, 10),
    "notebook": ("text.notebook_cells", 768, 10),
    "agenda": ("calendars.entries", 384, 6),
    "office": ("words.reading_view", 768, 10),
    "book": ("words.book_chapters", 768, 10),
    "sheets": ("sheets.sheets", 768, 10),
    "rtf": ("words.rtf", 512, 8),
    "archive": ("archives.members", 768, 10),
    "picture": ("pictures.pictures", 1536, 20),
    "heif": ("pictures.pictures", 1536, 20),
}
THREADED: Final = frozenset({"heif"})  # jobs whose library decodes in a thread of its own


def main() -> None:
    """Run the job named in the first message; end with a message that says how it went.

    A job's module has `render(data, options)`, which yields messages and can open no files, and
    if it needs any, `prepare(data, options)`, which imports them before.
    """
    forbid_inspection()
    options, _ = read_message(sys.stdin.buffer)
    module, memory_mb, cpu_seconds = JOBS[options["job"]]
    job = importlib.import_module(f"viewer.formats.{module}")
    apply_resource_limits(memory_mb=memory_mb, cpu_seconds=cpu_seconds)
    data = sys.stdin.buffer.read()
    preload_codecs(options.get("charset"))
    if "charset" in options and needs_detection(data, options["charset"]):
        charset_detection.prepare()
    if prepare := getattr(job, "prepare", None):
        prepare(data, options)
    threads = options["job"] in THREADED
    forbid_new_files(threads=threads and seccomp_available())
    restrict_system_calls(threads=threads)
    write_message(sys.stdout.buffer, {"end": _render(job, data, options)})


def _render(job: Any, data: bytes, options: dict[str, Any]) -> str | None:
    try:
        if "charset" in options:
            options["charset"] = charset_detection.detect(data, options["charset"])
        for facts, block in job.render(data, options):
            write_message(sys.stdout.buffer, facts, block)
    except Exception as error:  # noqa: BLE001
        return str(getattr(error, "reason", "")) or type(error).__name__
    return None
