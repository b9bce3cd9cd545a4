"""A web site beside the service, which embeds or attacks it."""

import http.server
import threading


class Site(http.server.ThreadingHTTPServer):
    """A site of another origin whose page is `html`; it ends with the `with` block."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.html = ""
        self.origin = f"http://localhost:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = self.server.html.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass
