"""The server: OpenEnv's routes for our environment, behind our front layer.

Run `server`, or `uvicorn quantum_circuit_env.server.app:app` from any folder.
"""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from functools import cache, partial
from multiprocessing import parent_process
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import current_thread, main_thread
from typing import TYPE_CHECKING

import uvicorn

from quantum_circuit_env.server.logs import log_beside_uvicorn, log_config
from quantum_circuit_env.server.settings import Settings, read_settings
from quantum_circuit_env.server.signals import end_on_signals, ending_on_signals

if TYPE_CHECKING:
    from fastapi import FastAPI
    from openenv.core.env_server.http_server import HTTPEnvServer

_APP = "quantum_circuit_env.server.app:app"


def create_app(settings: Settings) -> "FastAPI":
    """Return the application; OpenEnv's own page is not part of it."""
    # Here and not above, so that a wrong setting is told before the seconds that importing OpenEnv costs.
    from fastapi import FastAPI

    from quantum_circuit_env.server.about import facts
    from quantum_circuit_env.server.frontdoor import FrontDoor
    from quantum_circuit_env.server.head import HeadAsGet
    from quantum_circuit_env.server.metrics import add_metrics
    from quantum_circuit_env.server.openapi import correct_openapi
    from quantum_circuit_env.server.pages import add_pages
    from quantum_circuit_env.server.service import Service
    from quantum_circuit_env.server.tally import Tally

    app = FastAPI(
        title="Quantum Circuit Optimizer",
        # `openenv validate --url` takes this version for that of OpenEnv's HTTP protocol, 1.x.
        version="1.0.0",
        description=facts().description,
        # Redirects name a scheme and a host, which behind a proxy are not those that the client knows.
        redirect_slashes=False,
    )
    _openenv_server(settings).register_routes(app)
    tally = Tally(None if settings.metrics_dir is None else Path(settings.metrics_dir))
    # Where it listens uvicorn says, which workers are not told.
    told = {name: value for name, value in asdict(settings).items() if name not in ("host", "port")}
    service = Service(settings.limits, settings.idle_timeout_s, settings.shutdown_timeout_s, tally, told)
    add_pages(app, web=settings.web)
    add_metrics(app, tally, settings.sessions)
    correct_openapi(app, settings.limits)
    app.add_middleware(FrontDoor, service)
    app.add_middleware(HeadAsGet)
    return app


def _openenv_server(settings: Settings) -> "HTTPEnvServer":
    from openenv.core.env_server.http_server import HTTPEnvServer

    from quantum_circuit_env.models import (
        QuantumCircuitAction,
        QuantumCircuitObservation,
        QuantumCircuitState,
    )
    from quantum_circuit_env.server.about import NAME
    from quantum_circuit_env.server.environment import QuantumCircuitEnvironment
    from quantum_circuit_env.server.older import known

    return HTTPEnvServer(
        partial(QuantumCircuitEnvironment, task=settings.task),
        QuantumCircuitAction,
        QuantumCircuitObservation,
        settings.sessions,
        **known({"env_name": NAME, "state_cls": QuantumCircuitState}),
    )


@cache
def _served() -> "FastAPI":
    # Whoever else asks has signals of his own.
    with ending_on_signals() if _is_worker() else nullcontext():
        settings = read_settings()
        level = None if settings.log_level == Settings.log_level else settings.log_level
        log_beside_uvicorn(level, settings.log_format)
        return create_app(settings)


def _is_worker() -> bool:
    return parent_process() is not None and current_thread() is main_thread()


def __getattr__(name: str) -> "FastAPI":
    # `app` is made when somebody asks for it: the script `server` can be ended, and tells what is wrong with
    # its arguments, before the seconds that importing OpenEnv costs.
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _served()


def main() -> None:
    """Serve: the console script `server`."""
    end_on_signals()
    parser = argparse.ArgumentParser(prog="server", description="Serve Quantum Circuit Optimizer.")
    parser.add_argument("--host", metavar="ADDRESS", help="address to listen on; default: HOST")
    parser.add_argument("--port", metavar="NUMBER", help="port to listen on; default: PORT")
    given = {name.upper(): value for name, value in vars(parser.parse_args()).items() if value is not None}
    settings = read_settings(given)
    with _shared_counts() if settings.workers > 1 and settings.metrics_dir is None else nullcontext():
        uvicorn.run(
            create_app(settings) if settings.workers == 1 else _APP,
            host=settings.host,
            port=settings.port,
            workers=settings.workers,
            log_level=settings.log_level,
            log_config=log_config(settings.log_level, settings.log_format),
            **settings.uvicorn,
        )


@contextmanager
def _shared_counts() -> Iterator[None]:
    """Make the folder in which the workers share their counts, and remove it in the end."""
    with TemporaryDirectory(prefix="quantum-circuit-env-") as folder:
        os.environ["METRICS_DIR"] = folder
        yield


if __name__ == "__main__":
    main()
