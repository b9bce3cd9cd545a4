"""The viewer: a document's bytes as an HTML page, without web framework and database.

    view(original)                   the page shown inline
    download(original)               one self-contained file
    sealed_download(original, seal)  the same file, encrypted under a password
    download_several(contents, seal) several documents in one such file

`formats` has a folder for each family of formats, `sandbox` is the child process that parses
untrusted bytes, `content` says what bytes are, `markup` makes text safe for HTML, and `rendering`
puts it all into pages.
"""

from .content.detection import FIRST_BYTES, detect
from .content.kinds import (
    EXTENSIONS_OF_KINDS,
    KINDS,
    kind_of,
    media_types_of,
    type_of_name,
    usual_extension,
)
from .content.media_types import PDF, is_generic, is_shown_inline
from .formats.pdf.pages import TEXT_PAGES, Overview, PageTexts, PdfLockedError, PdfPages
from .markup.assets import FOLDER as TEMPLATES
from .markup.escaping import escape
from .markup.formatting import format_count, format_size
from .markup.names import (
    MAX_FOLDER_LENGTH,
    badge,
    content_disposition,
    safe_file_name,
    safe_folder,
)
from .rendering.page import (
    MOST_SAVED_BYTES,
    Neighbours,
    RenderedPage,
    download,
    embeds,
    view,
    warm_up,
)
from .rendering.registry import MOST_PARSED_BYTES, ShownDocument
from .rendering.sealed import Seal, sealed_download
from .rendering.several import Contents, Listed, download_several
from .sandbox.conversion_slots import ConverterBusyError
from .sandbox.converter import Conversion, configured_converter, missing_parts
from .sandbox.process import AnyJob, JobResult, RunJob, SandboxError, job_name, run_job
from .sandbox.seccomp import seccomp_available
