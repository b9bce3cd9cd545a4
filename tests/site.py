"""A web site beside the service, which embeds or attacks it, and serves pages of the viewer."""

import contextlib
import http.server
import re
import threading


class Site(http.server.ThreadingHTTPServer):
    """Serves (headers, body) by path, with byte ranges; it ends with the `with` block.

    It has two origins, `here` and `elsewhere`; `asked` are the paths that were asked for.
    """

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages, self.asked = {}, []
        self.here = f"http://127.0.0.1:{self.server_port}"
        self.elsewhere = f"http://localhost:{self.server_port}"
        self.thread = threading.Thread(target=self.serve_forever)
        self.thread.start()

    def show(self, html):
        """Serve this as the page at `elsewhere`."""
        self.pages["/"] = {"Content-Type": "text/html; charset=utf-8"}, html.encode()

    def put(self, path, page, **more):
        """Serve one of the viewer's pages, with the headers that the service adds."""
        headers = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
        self.pages[path] = (headers | page.headers | more, b"".join(page.body))
        return self.here + path

    def __exit__(self, *_):
        self.shutdown()
        self.thread.join()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        headers, body = self.server.pages.get(self.path.partition("?")[0], ({}, None))
        self.server.asked.append(self.path)
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
