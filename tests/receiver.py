"""A webhook receiver on this machine, which keeps the requests it gets."""

import http.server
import threading
import time
from collections import Counter
from types import SimpleNamespace

from tests.waiting import until


class Receiver:
    """`answers` are the first answers, as (status, text); the ones after them are 200.

    With `hang`, requests are not answered before `answer_all`, otherwise after `answer_seconds`.
    `overlaps` counts those that came while another one to the same path was not answered.
    """

    def __init__(self, hang=False, answer_seconds=0):
        self.requests, self.answers, self.overlaps = [], [], 0
        self._answer_seconds = answer_seconds
        self._unanswered, self._counting = Counter(), threading.Lock()  # by path
        self._may_answer = threading.Event()
        if not hang:
            self._may_answer.set()
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.answer_all()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def url(self, path="/hook"):
        return f"http://127.0.0.1:{self.port}{path}"

    def wait_for(self, count):
        """Wait for so many requests, and return all of them."""
        until(lambda: len(self.requests) >= count)
        return list(self.requests)

    def answer_all(self):
        self._may_answer.set()

    def _count(self, path, change):
        with self._counting:
            self.overlaps += change > 0 and self._unanswered[path] > 0
            self._unanswered[path] += change

    def _handler(receiver):  # noqa: N805
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                head = {"method": self.command, "path": self.path, "headers": self.headers}
                answer = receiver.answers.pop(0) if receiver.answers else (200, "thanks")
                receiver._count(self.path, 1)
                receiver.requests.append(SimpleNamespace(**head, body=body))
                receiver._may_answer.wait(60)
                time.sleep(receiver._answer_seconds)
                receiver._count(self.path, -1)
                self._answer(*answer)

            def _answer(self, status, text):
                try:
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(text.encode())))
                    if status == 302:
                        self.send_header("Location", "/elsewhere")
                    self.end_headers()
                    self.wfile.write(text.encode())
                except OSError:  # the sender was killed
                    self.close_connection = True

            def log_message(self, *_):
                """Log nothing."""

        return Handler
