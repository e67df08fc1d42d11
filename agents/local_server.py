"""The server as a child process: says on standard output which port it took, and ends with its parent.

The parent keeps the other end of standard input: when it ends, even killed, so does the server.
"""

import os
import signal
import socket
import sys
import threading

import uvicorn


def main() -> None:
    """Serve on a free port of the loopback interface."""
    threading.Thread(target=_end_with_parent, name="parent-watch", daemon=True).start()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)  # noqa: T201
        # What else is printed is for people; nobody reads the pipe any more.
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        config = uvicorn.Config(
            "quantum_circuit_env.server.app:app", log_level="warning", ws_per_message_deflate=False
        )
        uvicorn.Server(config).run(sockets=[listener])


def _end_with_parent() -> None:
    while os.read(sys.stdin.fileno(), 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
