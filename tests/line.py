"""A line to a service that breaks: a proxy of bytes, which knows nothing of HTTP."""

import contextlib
import socket
import threading

BLOCK = 1 << 16


class Line:
    """Forwards connections to a port, and cuts or stops all of them once a number of bytes went
    through. `passed` is the number of bytes that went to the service.
    """

    def __init__(self, port):
        self.target = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.left = None  # bytes to the service before the line is cut; None: it is not cut
        self.is_cut = False
        self.passed = 0
        self.stops_at = None  # how many bytes have passed when all stop; None: they never do
        self.goes = threading.Event()
        self.goes.set()
        self.open = set()
        self.lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut_after(self, count):
        with self.lock:
            self.left = count

    def stop_after(self, count):
        with self.lock:
            self.stops_at = self.passed + count

    def go_on(self):
        with self.lock:
            self.stops_at = None
        self.goes.set()

    def mend(self):
        with self.lock:
            self.left = None
            self.is_cut = False

    def close(self):
        self.go_on()
        self.listener.close()
        self._cut()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                if self.is_cut:
                    client.close()
                    continue
                service = socket.create_connection(("127.0.0.1", self.target))
                self.open |= {client, service}
                for ends in ((client, service, True), (service, client, False)):
                    threading.Thread(target=self._forward, args=ends, daemon=True).start()

    def _forward(self, source, target, counts):
        with contextlib.suppress(OSError):
            while data := source.recv(BLOCK):
                if counts and self._is_used_up(len(data)):
                    self._cut()
                    return
                target.sendall(data)
                if counts:
                    self._count(len(data))
                    self.goes.wait()
        for one in (source, target):
            one.close()

    def _is_used_up(self, count):
        with self.lock:
            if self.left is None:
                return False
            self.left -= count
            self.is_cut = self.left < 0
            return self.is_cut

    def _count(self, count):
        with self.lock:
            self.passed += count
            if self.stops_at is not None and self.passed >= self.stops_at:
                self.goes.clear()

    def _cut(self):
        for one in list(self.open):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self.open.clear()
