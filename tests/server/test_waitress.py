"""The names of waitress that `server/` needs, each with its reason: an update may drop one."""

import importlib.metadata
import tomllib
from pathlib import Path

from waitress import adjustments, parser, proxy_headers, receiver, utilities

USED = {
    "modules": {
        "HTTPRequestParser": "parses heads",
        "ParsingError": "what our checks of a head raise: it is answered 400",
        "Adjustments": "takes the parser's limits",
        "BadRequest": "an error that is answered",
        "proxy_headers_middleware": "reads what a proxy says of its client",
    },
    "parser": {
        "received": "takes bytes; we look at the result",
        "parse_header": "parses a head; we check it before, and prepare for the body",
        "header_plus": "the head so far: is there a bare line feed in it?",
        "headers_finished": "tells the time limit of a head from that of a body",
        "completed": "the request can be served",
        "empty": "it was only an empty line",
        "error": "it is refused",
        "body_rcv": "the receiver of the body: we put one that keeps it in memory",
        "chunked": "chooses the receiver",
        "content_length": "is it too long?",
        "version": "1.0 knows no chunks",
        "headers": "of the request",
        "command": "its method",
        "path": "of its target, decoded",
        "query": "of its target",
        "request_uri": "its target as sent",
        "proxy_netloc": "of an absolute target: must be the Host",
    },
    "receiver": {
        "buf": "we put a body that is limited and stays in memory",
        "remain": "how many bytes certainly belong to the body",
        "received": "what our receiver of chunks has as well: takes bytes",
        "completed": "the same: the body has ended",
        "error": "the same: it is not as it should be",
    },
    "error": {"code": "its status", "body": "its sentence"},
}


def test_waitress_has_the_names_that_the_server_uses():
    request = parser.HTTPRequestParser(adjustments.Adjustments())
    request.received(b"POST / HTTP/1.1\r\nHost: a\r\n\r\n")
    modules = {}
    for module in adjustments, parser, proxy_headers, utilities:
        modules |= vars(module)
    owners = {
        "modules": modules,
        "parser": dir(request),
        "receiver": dir(receiver.FixedStreamReceiver(1, None)),
        "error": dir(utilities.BadRequest("")),
    }

    missing = {
        (owner, name): why
        for owner, names in USED.items()
        for name, why in names.items()
        if name not in owners[owner]
    }

    version = importlib.metadata.version("waitress")
    assert not missing, f"waitress {version} has these no longer; read its change, adapt server/."
    assert sum(map(len, USED.values())) <= 30


def test_waitress_is_pinned_to_the_minor_version_that_was_read():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert "waitress>=3.0.2,==3.0.*" in project["dependencies"]
