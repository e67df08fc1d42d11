"""The server: OpenEnv's routes for our environment, behind our front layer.

Run `server`, or `uvicorn quantum_circuit_env.server.app:app` from any folder.
"""

import argparse
from functools import partial
from typing import TYPE_CHECKING

import uvicorn
from quantum_circuit_env.server.settings import Settings, read_settings

if TYPE_CHECKING:
    from fastapi import FastAPI

_APP = "quantum_circuit_env.server.app:app"


def create_app(settings: Settings) -> "FastAPI":
    """Return the application; OpenEnv's own page is not part of it."""
    # Here and not above, so that a wrong setting is told before the seconds that importing OpenEnv costs.
    from fastapi import FastAPI
    from openenv.core.env_server.http_server import HTTPEnvServer
    from quantum_circuit_env.models import (
        QuantumCircuitAction,
        QuantumCircuitObservation,
        QuantumCircuitState,
    )
    from quantum_circuit_env.server.environment import QuantumCircuitEnvironment, about
    from quantum_circuit_env.server.frontdoor import FrontDoor

    name, description = about().name, about().description
    # `openenv validate --url` takes this version for that of OpenEnv's HTTP protocol, 1.x.
    app = FastAPI(title="Quantum Circuit Optimizer", version="1.0.0", description=description)
    server = HTTPEnvServer(
        partial(QuantumCircuitEnvironment, task=settings.task),
        QuantumCircuitAction,
        QuantumCircuitObservation,
        settings.sessions,
        env_name=name,
        state_cls=QuantumCircuitState,
    )
    server.register_routes(app)

    @app.get("/", tags=["Environment Info"], summary="Where to go from here")
    def root() -> dict[str, str | None]:
        return {
            "name": name,
            "description": description,
            "version": about().version,
            "play": "/ws",
            "docs": "/docs",
            "schema": "/schema",
            "health": "/health",
        }

    app.add_middleware(FrontDoor)
    return app


app = create_app(read_settings())


def main() -> None:
    """Serve: the console script `server`."""
    settings = read_settings()
    parser = argparse.ArgumentParser(prog="server", description="Serve Quantum Circuit Optimizer.")
    parser.add_argument("--host", default=settings.host, help="address to listen on (%(default)s)")
    parser.add_argument("--port", type=int, default=settings.port, help="port to listen on (%(default)s)")
    options = parser.parse_args()
    uvicorn.run(
        app if settings.workers == 1 else _APP,
        host=options.host,
        port=options.port,
        workers=settings.workers,
        log_level=settings.log_level,
        loop="uvloop",
        http="httptools",
        ws_per_message_deflate=False,
    )


if __name__ == "__main__":
    main()
