"""Turns a document's bytes into an HTML page. Uses no web framework and no database.

    view(original)                   the page shown inline
    download(original)               one self-contained file
    sealed_download(original, seal)  the same file, encrypted under a password

`kinds` holds one module per kind of document, `sandbox` the child process that parses
untrusted bytes, `policy` the Content-Security-Policy of each page.
"""

from .ahead import start_ahead
from .detection import FIRST_BYTES, detect
from .escaping import escape
from .formatting import format_size
from .kinds import has_pages, pages_of, shows_original
from .media_types import PDF, is_generic, is_shown_inline
from .names import badge, content_disposition
from .original import Original
from .page import RenderedPage, download, embeds, view
from .pdf_pages import TEXT_PAGES, Overview, PdfLockedError, PdfPages
from .sandbox.conversion_places import ConverterBusyError
from .sandbox.converter import configured_converter
from .sandbox.jobs import run as run_job
from .sandbox.process import JobResult, RunJob, SandboxError, job_name
from .sandbox.seccomp import seccomp_available
from .sealed import Seal, sealed_download
