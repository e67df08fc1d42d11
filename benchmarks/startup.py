"""Seconds from the start of a server's process to its first answer: ours against an empty OpenEnv app.

Run `python benchmarks/startup.py`. The two are started in turn, so that a busy machine slows both; what
counts is the ratio of the medians.
"""

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Final

ROUNDS: Final = 5
BOUND: Final = 1.5
"""Ratio that ours is to stay under."""

_DIRECT: Final = urllib.request.build_opener(urllib.request.ProxyHandler({}))

EMPTY: Final = """
from openenv.core.env_server import Action, Environment, Observation, State, create_fastapi_app

class Empty(Environment):
    def reset(self, seed=None, episode_id=None, **kwargs):
        return Observation()
    def step(self, action, timeout_s=None, **kwargs):
        return Observation()
    @property
    def state(self):
        return State()

app = create_fastapi_app(Empty, Action, Observation)
"""


def seconds_to_answer(app: str, folder: str) -> float:
    """Start uvicorn with `app` in `folder` and return after how many seconds /health answers."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", app, "--host", "127.0.0.1", "--port", str(port)]
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while process.poll() is None:
            try:
                _DIRECT.open(f"http://127.0.0.1:{port}/health", timeout=5).close()
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.02)
            else:
                return time.perf_counter() - start
        raise SystemExit(f"{app} did not start")
    finally:
        process.terminate()
        process.wait()


def main() -> None:
    """Print both medians and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "empty_app.py").write_text(EMPTY)
        os.environ.pop("ENABLE_WEB_INTERFACE", None)
        apps = ("empty_app:app", "quantum_circuit_env.server.app:app")
        rounds = [[seconds_to_answer(app, folder) for app in apps] for _ in range(ROUNDS)]
    empty, ours = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(f"empty OpenEnv app: {empty:.2f} s\nour server: {ours:.2f} s")
    print(f"ratio: {ours / empty:.2f} (bound {BOUND})")


if __name__ == "__main__":
    main()
