"""A listener for connections that nothing may open."""

import re
import socket
import threading


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
