"""The internals of waitress that `server/` overrides or uses: an update that drops one fails here.

After a failure, read waitress's change of that name, and adapt the file of `server/` given here.
"""

import importlib.metadata
import socket
import tomllib
from pathlib import Path

import pytest
import waitress
from waitress import channel, parser, receiver, task, utilities

USED = {  # file of server/ -> what it overrides, reads, sets or calls, by its owner
    "connection.py": {
        "channel": "parser_class error_task_class task_class received send recv handle_read "
        "handle_write handle_close writable service write_soon send_continue _flush_some "
        "_flush_exception _flush_outbufs_below_high_watermark addr adj server socket connected "
        "request requests outbufs outbuf_lock total_outbufs_len will_close close_when_flushed",
        "channel module": "ClientDisconnected HTTPChannel",
    },
    "request_parser.py": {
        "parser": "received parse_header close header_plus headers headers_finished body_rcv "
        "completed error expect_continue version connection_close chunked content_length "
        "proxy_netloc request_uri path command adj",
        "parser module": "HTTPRequestParser ParsingError TransferEncodingNotImplemented",
        "fixed receiver": "buf getbuf remain",
        "utilities module": "BadRequest Error",
    },
    "chunked.py": {"chunked receiver": "received buf getbuf completed error"},
    "response.py": {
        "task": "service execute finish write has_body set_close_on_finish build_response_header "
        "get_environment environ channel request response_headers status version start_time "
        "complete wrote_header close_on_finish chunked_response content_length "
        "content_bytes_written",
        "utilities module": "build_http_date",
    },
    "server.py": {
        "listener": "active_channels adj application effective_port add_task pull_trigger "
        "next_channel_cleanup",
        "waitress module": "create_server",
    },
    "workers.py": {"listener": "accept set_socket_options fix_addr readable socket adj close"},
}
NAMES = [
    (file, owner, name)
    for file, owners in USED.items()
    for owner, names in owners.items()
    for name in names.split()
]


@pytest.fixture(scope="module")
def owners():
    """An instance of each class of waitress that `server/` extends or uses."""
    map = {}
    listener = waitress.create_server(lambda *_: [], listen="127.0.0.1:0", map=map)
    ours, theirs = socket.socketpair()
    connection = channel.HTTPChannel(listener, ours, ("127.0.0.1", 1), listener.adj, map=map)
    request = parser.HTTPRequestParser(listener.adj)
    request.received(b"POST / HTTP/1.1\r\nHost: a\r\n\r\n")
    yield {
        "channel": connection,
        "channel module": channel,
        "listener": listener,
        "parser": request,
        "parser module": parser,
        "fixed receiver": receiver.FixedStreamReceiver(1, None),
        "chunked receiver": receiver.ChunkedReceiver(None),
        "task": task.WSGITask(connection, request),
        "utilities module": utilities,
        "waitress module": waitress,
    }
    theirs.close()
    for one in list(map.values()):
        one.close()
    listener.task_dispatcher.shutdown()


@pytest.mark.parametrize(("file", "owner", "name"), NAMES, ids=" ".join)
def test_waitress_has_the_name_that_the_server_uses(file, owner, name, owners):
    version = importlib.metadata.version("waitress")

    assert hasattr(owners[owner], name), (
        f"waitress {version} has no {name} in its {owner}; server/{file} needs it."
    )


def test_waitress_is_pinned_to_the_minor_version_that_was_read():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]

    assert "waitress>=3.0.2,==3.0.*" in project["dependencies"]
