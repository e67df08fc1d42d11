"""The environment that ours is compared with: it answers each step with an observation that it has ready.

It is an OpenEnv environment with an async step on OpenEnv's own routes, without our front layer, served by
uvicorn with our settings. Which of two observations it answers with, the reset's argument `form` says:

- `typed`: an object of our own observation class, so that OpenEnv serialises it at the same cost as ours;
- `text`: an object with a single string, which makes a reply of the same length at the least possible cost.

On each task its reply is as long as the mean of those that the benchmark's plays get from our server: the
typed observation is one of theirs, that whose reply is nearest to the mean length.
"""

import argparse
from statistics import fmean
from typing import Any, ClassVar, Final

import uvicorn
from fastapi import FastAPI
from openenv.core.env_server.http_server import HTTPEnvServer
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.serialization import serialize_observation
from openenv.core.env_server.types import Observation, State, WSObservationResponse
from plays import Play, plays

from qrewrite.tasks import TIERS
from quantum_circuit_env.models import QuantumCircuitAction, QuantumCircuitObservation
from quantum_circuit_env.server.environment import QuantumCircuitEnvironment
from quantum_circuit_env.server.settings import UVICORN

FORMS: Final = ("typed", "text")
SAMPLE: Final = 16
"""Number of plays whose observations are looked at."""


class Text(Observation):
    """An observation that is one string."""

    text: str


def length(observation: Observation) -> int:
    """Return the length of the frame in which OpenEnv tells of an observation."""
    return len(WSObservationResponse(data=serialize_observation(observation)).model_dump_json())


def ready(task: str) -> dict[str, Observation]:
    """Return the observation of each form for a task."""
    seen = [observation for play in plays(task, SAMPLE) for observation in _observations(play)]
    lengths = [length(observation) for observation in seen]
    mean = fmean(lengths)
    typed = min(zip(lengths, seen, strict=True), key=lambda pair: abs(pair[0] - mean))[1]
    missing = length(typed) - length(Text(text="", done=False, reward=0.0))
    return {"typed": typed, "text": Text(text="x" * missing, done=False, reward=0.0)}


def _observations(play: Play) -> list[QuantumCircuitObservation]:
    environment = QuantumCircuitEnvironment()
    environment.reset(play.seed, task=play.task)
    steps = (environment.step(QuantumCircuitAction(**action._asdict())) for action in play.actions)
    return [observation for observation in steps if not observation.done]


class Echo(Environment[QuantumCircuitAction, Observation, State]):
    """Answers everything with one object."""

    SUPPORTS_CONCURRENT_SESSIONS: ClassVar[bool] = True  # type: ignore[misc]
    REQUIRES_SINGLE_THREAD_EXECUTOR: ClassVar[bool] = True  # type: ignore[misc]
    ready: ClassVar[dict[str, dict[str, Observation]]] = {}

    def reset(self, seed: Any = None, episode_id: Any = None, **options: Any) -> Observation:  # noqa: ARG002
        """Choose the object by `task` and `form`."""
        self._observation = self.ready[options["task"]][options["form"]]
        return self._observation

    async def reset_async(self, seed: Any = None, episode_id: Any = None, **options: Any) -> Observation:
        """Do what `reset` does."""
        return self.reset(seed, episode_id, **options)

    def step(self, action: QuantumCircuitAction, *_unused: Any, **_options: Any) -> Observation:  # noqa: ARG002
        """Answer."""
        return self._observation

    async def step_async(
        self,
        action: QuantumCircuitAction,  # noqa: ARG002
        *_unused: Any,
        **_options: Any,
    ) -> Observation:
        """Answer."""
        return self._observation

    @property
    def state(self) -> State:
        """Nothing."""
        return State()


def main() -> None:
    """Serve."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", required=True, type=int)
    given = parser.parse_args()
    Echo.ready.update({task: ready(task) for task in TIERS})
    app = FastAPI()
    HTTPEnvServer(Echo, QuantumCircuitAction, Observation, 4_096).register_routes(app)
    uvicorn.run(app, host=given.host, port=given.port, log_level="warning", **UVICORN)


if __name__ == "__main__":
    main()
