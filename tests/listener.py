"""A listener for connections that nothing may open."""

import re
import socket
import threading
from contextlib import suppress


class Listener:
    """Records every connection to its port at once, then the path that is asked for."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.heard = []
        self.is_closed = False
        self.thread = threading.Thread(target=self._listen)
        self.thread.start()

    def _listen(self):
        while True:
            connection, _ = self.socket.accept()
            if self.is_closed:
                return connection.close()
            self.heard.append("a connection")
            threading.Thread(target=self._read, args=(connection,), daemon=True).start()

    def _read(self, connection):
        with connection, suppress(OSError):
            connection.settimeout(60)
            if path := re.match(rb"\w+ (\S+)", connection.recv(300)):
                self.heard.append(path[1].decode())

    def close(self):
        self.is_closed = True
        socket.create_connection(("127.0.0.1", self.port)).close()
        self.thread.join()
        self.socket.close()
