"""Does ahead what the first view of a service would wait for."""

from ..sandbox.process import start_fork_server
from ..sandbox.version import sandbox_version
from .page import view
from .registry import Document


def start_ahead() -> None:
    """Start the fork server, name the version of the parsers, compile templates: by a first view.

    It is that of an empty document, which needs no child process.
    """
    start_fork_server()
    sandbox_version()
    view(Document("", "", "empty", "text/plain", 0, "", "", lambda _start, _stop: ()))
