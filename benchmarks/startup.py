"""Seconds from the start of a server's process to its first answer: ours against an empty OpenEnv app.

    uv run python benchmarks/startup.py

The two are started in turn, so that a busy machine slows both; what counts is the ratio of the medians.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from hosting import serving

ROUNDS: Final = 5
BOUND: Final = 1.5
"""Ratio that ours is to stay under."""

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
    start = time.perf_counter()
    with serving([sys.executable, "-m", "uvicorn", app, "--log-level", "warning"], folder) as server:
        server.wait()
        return time.perf_counter() - start


def report() -> str:
    """Measure and return both medians and their ratio, in Markdown."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "empty_app.py").write_text(EMPTY, encoding="utf-8")
        apps = ("empty_app:app", "quantum_circuit_env.server.app:app")
        rounds = [[seconds_to_answer(app, folder) for app in apps] for _ in range(ROUNDS)]
    empty, ours = (statistics.median(column) for column in zip(*rounds, strict=True))
    return (
        "| from the start of the process to its first answer | seconds |\n"
        "| --- | ---: |\n"
        f"| an empty OpenEnv app | {empty:.1f} |\n"
        f"| this server | {ours:.1f} |\n"
        f"| ratio (to stay under {BOUND}) | {ours / empty:.2f} |\n\n"
        f"Medians of {ROUNDS} starts each, in turn. Nearly all of it is the import of OpenEnv."
    )


if __name__ == "__main__":
    print(report())
