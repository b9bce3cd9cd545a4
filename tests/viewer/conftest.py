"""Fixtures: a page of the browser, and a web server for pages."""

import contextlib
import http.server
import re
import sys
import threading

import pytest

from viewer.sandbox import process


@pytest.fixture
def no_child_process(monkeypatch):
    """Each child process ends when it starts, and so does what forks them."""
    monkeypatch.setattr(sys, "executable", "/bin/false")
    process._fork_server.stop()
    yield
    process._fork_server.stop()


@pytest.fixture
def new_page(browser):
    """Opens a page in a context of its own; `heard` collects console messages and script errors."""
    with contextlib.ExitStack() as contexts:

        def opened(**options):
            page = contexts.enter_context(browser.new_context(**options)).new_page()
            page.heard = []
            page.on("console", lambda message: page.heard.append(message.text))
            page.on("pageerror", lambda error: page.heard.append(f"error: {error}"))
            return page

        yield opened


@pytest.fixture
def page(new_page):
    return new_page(accept_downloads=True)


class Site:
    """Serves (headers, body) by path, with byte ranges."""

    def __init__(self):
        self.pages = {}
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                headers, body = site.pages.get(self.path.partition("?")[0], ({}, None))
                site.asked.append(self.path)
                if body is None:
                    return self.send_error(404)
                headers = dict(headers)
                wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
                if wanted and headers.get("Accept-Ranges"):
                    start, stop = int(wanted[1]), int(wanted[2] or len(body) - 1) + 1
                    headers["Content-Range"] = f"bytes {start}-{stop - 1}/{len(body)}"
                    body = body[start:stop]
                self.send_response(206 if "Content-Range" in headers else 200)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                with contextlib.suppress(ConnectionError):  # a player may close early
                    self.wfile.write(body)
                return None

            def log_message(self, *_):
                """Log nothing."""

        self.asked = []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = False
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    @property
    def here(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def elsewhere(self):
        """The same server under another origin."""
        return f"http://localhost:{self.port}"

    def put(self, path, page, **more):
        """Serve one of the viewer's pages, with the headers that the service adds."""
        headers = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
        self.pages[path] = (headers | page.headers | more, b"".join(page.body))
        return self.here + path

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture(scope="session")
def site():
    server = Site()
    yield server
    server.close()
