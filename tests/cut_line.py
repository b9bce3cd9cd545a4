"""A line to a service, on a port of its own, that breaks once in the middle."""

import contextlib
import socket
import struct
import threading

RECEIVED_BYTES = 64 << 10


class CutLine:
    """Passes bytes on in both directions, for each connection.

    When `after` bytes have come from clients, over all connections, `at_break` is called, and their
    connection is broken: first to the service, then, behind `between`, to the client. Everything
    that comes later is passed on.
    """

    def __init__(self, port, after, at_break=lambda: None, between=lambda: None):
        self.was_cut = False
        self._target, self._left = port, after
        self._at_break, self._between = at_break, between
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads, self._open = [], set()
        self._cut = None  # the end of a client that hears of the break last
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        self._run(self._accept)
        return self

    def __exit__(self, *_):
        end(self._listener, *self._open)
        for thread in self._threads:
            thread.join()
        self._listener.close()

    def _run(self, function, *args):
        self._threads.append(threading.Thread(target=function, args=args))
        self._threads[-1].start()

    def _accept(self):
        with contextlib.suppress(OSError):  # the listener is closed
            while True:
                self._run(self._serve, self._listener.accept()[0])

    def _serve(self, client):
        with (
            client,
            contextlib.suppress(OSError),  # the service is away, or an end has gone
            socket.create_connection(("127.0.0.1", self._target)) as server,
        ):
            ends = {client, server}
            self._open |= ends
            self._run(self._answer, server, client)
            with contextlib.suppress(OSError):
                self._pass_on(client, server)
            self._open -= ends
            end(server)
            if client is self._cut:
                self._between()
            # The client is told at once, by a reset; after a FIN it could wait for a minute.
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.close()

    def _pass_on(self, client, server):
        while received := client.recv(RECEIVED_BYTES):
            with contextlib.suppress(OSError):  # it has answered before the end, and closed
                server.sendall(received)
            self._left -= len(received)
            if not self.was_cut and self._left <= 0:
                self.was_cut = True
                self._at_break()
                self._cut = client
                return

    def _answer(self, server, client):
        with contextlib.suppress(OSError):
            while received := server.recv(RECEIVED_BYTES):
                client.sendall(received)
            if client is not self._cut:
                client.shutdown(socket.SHUT_WR)  # it may send further, as to the service itself


def end(*ends):
    """End connections, so that the threads that wait for them go on."""
    for one in ends:
        with contextlib.suppress(OSError):  # it has ended already
            one.shutdown(socket.SHUT_RDWR)
