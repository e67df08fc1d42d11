"""Play an episode with an installed wheel, server and client in one process; a script for any folder.

Prints as JSON where the package lies, what OpenEnv's discovery finds, and what came of the episode.
"""

import json
import socket
import threading
import time
from typing import Any

import uvicorn
from openenv import AutoAction, AutoEnv

import qrewrite
import quantum_circuit_env
from quantum_circuit_env import QuantumCircuitAction, QuantumCircuitEnv
from quantum_circuit_env.server.app import app


def play() -> dict[str, Any]:
    """Serve, play one step over the socket, and tell what was seen."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    serving = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    serving.start()
    try:
        deadline = time.monotonic() + 60
        while not server.started and time.monotonic() < deadline:
            time.sleep(0.01)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with QuantumCircuitEnv(base_url=url).sync() as env:
            first = env.reset(task="easy", seed=42)
            last = env.step(QuantumCircuitAction(target_index=0, action_type=1))
        return {"gates": first.observation.gate_count, "step": last.observation.metadata["step"]}
    finally:
        server.should_exit = True
        serving.join(timeout=30)
        listener.close()


if __name__ == "__main__":
    found = AutoEnv.get_env_class("quantum_circuit_env"), AutoAction.from_env("quantum-circuit")
    told = {
        "files": [quantum_circuit_env.__file__, qrewrite.__file__],
        "auto": [one.__name__ for one in found],
        "same": found == (QuantumCircuitEnv, QuantumCircuitAction),
        **play(),
    }
    print(json.dumps(told))  # noqa: T201
