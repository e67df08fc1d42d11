"""A relay between two TCP ports, which can be cut; as a script it relays until it is ended."""

import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Relay:
    """Passes on what comes in on `port` to another port of 127.0.0.1, until it is cut."""

    def __init__(self, target: int, port: int = 0) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", port))
        self._ends: list[socket.socket] = []
        self.port: int = self._listener.getsockname()[1]

    def serve(self) -> None:
        """Relay until cut."""
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._target))
                self._ends += [near, far]
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=_pump, args=pair, daemon=True).start()

    def cut(self) -> None:
        """Close everything: the server is gone from one moment to the next."""
        for end in (self._listener, *self._ends):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(65536):
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)


@contextmanager
def relay(target: int) -> Iterator[Relay]:
    """Run a relay to a port and yield it."""
    running = Relay(target)
    thread = threading.Thread(target=running.serve, daemon=True)
    thread.start()
    try:
        yield running
    finally:
        running.cut()
        thread.join()


if __name__ == "__main__":
    Relay(int(sys.argv[1]), int(sys.argv[2])).serve()
