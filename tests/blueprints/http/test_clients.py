"""blueprints/http/clients.py"""

import pytest
from flask import Flask

from blueprints.http.clients import client_of_request

MOZILLA = "Mozilla/5.0"
WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (
            f"{MOZILLA} (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            "Firefox on Linux",
        ),
        (f"{MOZILLA} (Windows NT 10.0) {WEBKIT} Chrome/140.0 Safari/537.36", "Chrome on Windows"),
        (f"{MOZILLA} (Windows NT 10.0) {WEBKIT} Chrome/140 Safari/537 Edg/140", "Edge on Windows"),
        (
            f"{MOZILLA} (Linux; Android 15) {WEBKIT} Chrome/140 Mobile Safari/537",
            "Chrome on Android",
        ),
        (
            f"{MOZILLA} (Macintosh; Intel Mac OS X) {WEBKIT} Version/18 Safari/605",
            "Safari on macOS",
        ),
        (
            f"{MOZILLA} (iPhone; CPU iPhone OS 18_0 like Mac OS X) {WEBKIT} Version/18 Safari/604",
            "Safari on iPhone",
        ),
        ("curl/8.5.0", "curl"),
        ("python-requests/2", "Another program"),
        ("", "Another program"),
    ],
)
def test_a_browser_and_its_system_are_named_in_words(agent, words):
    with Flask("x").test_request_context(headers={"User-Agent": agent}):
        assert client_of_request() == words
