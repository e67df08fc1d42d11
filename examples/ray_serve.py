"""Serve the environment with replicas, on Ray Serve.

    uv run --extra serve python examples/ray_serve.py --replicas 2 --port 8000

It serves what `server` serves, with the same settings from the environment. Each replica is a process with
`MAX_CONCURRENT_ENVS` sessions of its own, and a WebSocket stays on the replica that accepts it. A node of
its own is started on the loopback interface, and ends with the command. `--host 0.0.0.0` lets other machines
connect; `--address auto` serves on the nodes of a Ray cluster that runs already: docs/scaling.md says what
that needs, and what Ray Serve costs.
"""

import argparse
import logging
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NoReturn

from quantum_circuit_env.agents.interrupts import Interrupts
from quantum_circuit_env.evals.executors import ExecutorError
from quantum_circuit_env.evals.ray_node import imported_ray, last_line, local_node
from quantum_circuit_env.evals.stats.extras import MissingExtraError, require
from quantum_circuit_env.server.settings import Settings, read_settings

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

NAME: Final = "quantum-circuit"
"""The application's name in Ray Serve."""

REPLICA_HEADER: Final = b"x-replica"
"""Header of each HTTP answer and each WebSocket handshake: the replica's id and its process, `id:pid`."""

MOST_REPLICAS: Final = 1024

_HEADROOM: Final = 32
"""Requests that a replica takes beyond its sessions: short ones, and sockets that it refuses.

Serve keeps what a replica does not take waiting: a client would hang instead of being told that all is full.
"""

_END_WITHIN: Final = 2.0
"""Seconds that a replica that is to end waits for its sockets, which have no reason to close."""


class NamesReplica:
    """ASGI middleware that says in a header which replica answers."""

    def __init__(self, app: "ASGIApp", name: str) -> None:
        self._app = app
        self._header = (REPLICA_HEADER, name.encode())

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Serve one connection."""

        async def send_named(event: "Message") -> None:
            if event["type"] in ("http.response.start", "websocket.accept"):
                event["headers"] = [*event.get("headers", ()), self._header]
            await send(event)

        await self._app(scope, receive, send_named)


def application(serve: Any, settings: Settings, replicas: int) -> Any:
    """Return the Serve application.

    The FastAPI application cannot be pickled; each replica makes its own, with all that `server` has in front
    of it and with its lifespan.
    """

    def build() -> "FastAPI":
        from quantum_circuit_env.server.app import create_app

        app = create_app(settings)
        replica = serve.get_replica_context().replica_id.unique_id
        app.add_middleware(NamesReplica, name=f"{replica}:{os.getpid()}")
        return app

    deployment = serve.deployment(
        name=NAME,
        num_replicas=replicas,
        # A WebSocket is one request for as long as it is open.
        max_ongoing_requests=settings.sessions + _HEADROOM,
        graceful_shutdown_timeout_s=_END_WITHIN,
        ray_actor_options={"num_cpus": 1},
        logging_config={"enable_access_log": False},
    )
    return deployment(serve.ingress(build)()).bind()


@contextmanager
def node(address: str | None, replicas: int, interrupts: Interrupts) -> Iterator[Any]:
    """Start a node or join a cluster, and yield Ray Serve."""
    if address is None:
        # Serve would write all that it does to this terminal.
        os.environ.setdefault("RAY_SERVE_LOG_TO_STDERR", "0")
        ray = imported_ray("serve")
        serve = require("ray.serve", extra="serve")
        logging.getLogger("ray.serve").setLevel(logging.WARNING)
        with local_node(ray, replicas, interrupts, instead="WORKERS=2 server", show_logs=True):
            try:
                yield serve
            finally:
                with interrupts.held():
                    serve.shutdown()
        return
    ray, serve = (require(module, extra="serve") for module in ("ray", "ray.serve"))
    ray.init(address=address, logging_level="error")
    # Ray has taken SIGTERM.
    interrupts.install()
    try:
        yield serve
    finally:
        with interrupts.held():
            # There may be applications of others.
            serve.delete(NAME)
            ray.shutdown()


def run(settings: Settings, replicas: int, address: str | None, interrupts: Interrupts) -> NoReturn:
    """Serve until a signal comes."""
    with (
        TemporaryDirectory(prefix="quantum-circuit-env-") as folder,
        node(address, replicas, interrupts) as serve,
    ):
        if address is None and settings.metrics_dir is None:
            # Any replica's `/metrics` then tells of all; machines share no folder.
            settings = replace(settings, metrics_dir=folder)
        place = {"host": settings.host, "port": settings.port}
        serve.start(http_options=place, proxy_location="HeadOnly" if address is None else "EveryNode")
        try:
            serve.run(application(serve, settings, replicas), name=NAME)
        except RuntimeError:
            # It says that replicas have failed, and not why.
            told = serve.status().applications[NAME].deployments[NAME].message
            raise ExecutorError(f"no replica starts: {(told.strip().splitlines() or [''])[-1]}") from None
        print(
            f"{replicas} replicas of {settings.sessions} sessions each serve on "
            f"http://{settings.host}:{settings.port}",
            flush=True,
        )
        while True:
            signal.pause()


def main() -> None:
    """Serve; SIGTERM and SIGINT end it with exit status 0, as they end `server`."""
    given = _arguments()
    settings = read_settings(
        {name: value for name, value in (("HOST", given.host), ("PORT", given.port)) if value}
    )
    interrupts = Interrupts()
    interrupts.install()
    try:
        run(settings, given.replicas, given.address, interrupts)
    except (ExecutorError, MissingExtraError, ConnectionError, RuntimeError) as error:
        raise SystemExit(f"error: {last_line(error)}") from None
    except SystemExit as end:
        if end.code not in (128 + signal.SIGTERM, 128 + signal.SIGINT):
            raise


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--replicas", metavar="NUMBER", default="2", help="processes that serve; default: 2")
    parser.add_argument(
        "--host", metavar="ADDRESS", default="127.0.0.1", help="address to listen on; default: 127.0.0.1"
    )
    parser.add_argument("--port", metavar="NUMBER", help="port to listen on; default: PORT")
    parser.add_argument("--address", help="a running Ray cluster, e.g. auto; default: a node of our own")
    given = parser.parse_args()
    text = given.replicas
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and 1 <= int(text) <= MOST_REPLICAS):
        raise SystemExit(f"error: --replicas must be an integer in 1..{MOST_REPLICAS}, got {text[:60]!r}")
    given.replicas = int(text)
    return given


if __name__ == "__main__":
    main()
