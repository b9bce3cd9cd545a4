"""The lines of the access log, written to streams that fail or are not set up."""

import io
from unittest.mock import patch

import pytest

from blueprints.http import access_log
from blueprints.http.access_log import Access, log_access

SEEN = Access("id", 200, 7, "GET", "/healthz", 0.01234, "usr_1")


class FullDisk(io.StringIO):
    def write(self, _text):
        raise OSError(28, "No space left on device")


def closed_stream():
    stream = io.StringIO()
    stream.close()
    return stream


@pytest.mark.parametrize("stream", [FullDisk(), closed_stream()])
def test_a_line_that_cannot_be_written_fails_no_request(stream):
    with patch.object(access_log, "_form", "text"), patch("sys.stderr", stream):
        log_access(SEEN)


def test_nothing_is_logged_before_the_logs_are_set_up(capsys):
    log_access(SEEN)

    assert capsys.readouterr().err == ""


def test_a_line_is_written_at_once():
    with patch.object(access_log, "_form", "text"), patch("sys.stderr") as stream:
        log_access(SEEN)

    (line,) = stream.write.call_args.args
    assert line.endswith(" id GET /healthz 200 12.3 ms 7 bytes by usr_1\n")
    stream.write.assert_called_once()
