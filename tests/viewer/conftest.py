"""Fixtures: a browser, a web server for pages, and a listener for connections from them."""

import contextlib
import http.server
import re
import shutil
import socket
import threading
from pathlib import Path

import pytest

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser():
    """Chromium; tests that need it are skipped if it is not installed."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    with playwright.sync_playwright() as driver:
        if not program and not Path(driver.chromium.executable_path).exists():
            pytest.skip("no Chromium on this machine")
        chromium = driver.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser):
    """A page in a context of its own; `heard` collects console messages and script errors."""
    context = browser.new_context(accept_downloads=True)
    page = context.new_page()
    page.heard = []
    page.on("console", lambda message: page.heard.append(message.text))
    page.on("pageerror", lambda error: page.heard.append(f"error: {error}"))
    yield page
    context.close()


class Listener:
    """Records the path of every connection to its port, also of those that send nothing."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.heard = []
        self.thread = threading.Thread(target=self._listen)
        self.thread.start()

    def _listen(self):
        while True:
            connection, _ = self.socket.accept()
            with connection:
                connection.settimeout(0.2)
                try:
                    said = connection.recv(300)
                except OSError:
                    said = b""
                if said == b"stop":
                    return
                path = re.match(rb"\w+ (\S+)", said)
                self.heard.append(path.group(1).decode() if path else "a connection")

    def close(self):
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.sendall(b"stop")
        self.thread.join()
        self.socket.close()


@pytest.fixture(scope="session")
def listener():
    """The address that hostile documents try to contact."""
    listener = Listener()
    yield listener
    listener.close()


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
