"""The environment: one session's episode behind OpenEnv's interface."""

import asyncio
from typing import Any, ClassVar, Final
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.serialization import serialize_observation
from openenv.core.env_server.types import EnvironmentMetadata, WSErrorCode, WSObservationResponse

from qrewrite.game import Episode
from qrewrite.tasks import RANDOM
from quantum_circuit_env.models import (
    QuantumCircuitAction,
    QuantumCircuitObservation,
    QuantumCircuitState,
)
from quantum_circuit_env.server import graders, web_view
from quantum_circuit_env.server.about import describe
from quantum_circuit_env.server.arguments import Start, check_reset
from quantum_circuit_env.server.messages import error_frame
from quantum_circuit_env.server.rubric import StepReward
from quantum_circuit_env.server.session import PlanError, Session
from quantum_circuit_env.server.sockets import SOCKET
from quantum_circuit_env.server.task_api import TaskApi

LARGE: Final = 2_000
"""Gates above which a step, or a reset on a caller's own circuit, would hold up the other sessions."""


class NoEpisodeError(RuntimeError):
    """Raised for a step in a session that has not been reset."""

    def __init__(self) -> None:
        # OpenEnv's client connects again without a word.
        super().__init__(
            'there is no episode yet: send a reset first, e.g. {"type": "reset", "data": {}}; a connection '
            "that was closed, as after a long silence, has taken its episode along"
        )


class QuantumCircuitEnvironment(
    TaskApi, Environment[QuantumCircuitAction, QuantumCircuitObservation, QuantumCircuitState]
):
    """One player's session: at most one episode at a time, replaced by each reset."""

    SUPPORTS_CONCURRENT_SESSIONS: ClassVar[bool] = True  # type: ignore[misc]
    # One thread makes all environments; without this OpenEnv keeps a thread for every session.
    REQUIRES_SINGLE_THREAD_EXECUTOR: ClassVar[bool] = True  # type: ignore[misc]

    def __init__(self, *, task: str = RANDOM) -> None:
        """Make a session without an episode; cheap, since OpenEnv makes one for every HTTP request.

        Args:
            task: the task of a reset that names none.
        """
        super().__init__(rubric=StepReward())
        self._default_task = task
        self._session: Session | None = None

    def reset(
        self, /, seed: int | None = None, episode_id: str | None = None, **options: Any
    ) -> QuantumCircuitObservation:
        """Start an episode and return its first observation.

        Args:
            seed: 0 to 2**32 - 1; decides the circuit together with the task. Drawn and reported if None.
            episode_id: the caller's name for the episode, at most 255 characters. Drawn if None.
            options: `task` (easy, medium, hard or random), `hints` (whether observations tell what is legal),
                `plans` (whether an action may carry further ones in `then`),
                `split` with `index` (play that task, in place of task and seed), `circuit` with `num_qubits`
                (play on the caller's own gates, graded as `task`, easy if None).

        Raises:
            ArgumentError: an argument is unknown or not allowed; the running episode goes on as it was.
        """
        return self._begin(self._check(seed, episode_id, options))

    async def reset_async(
        self, /, seed: int | None = None, episode_id: str | None = None, **options: Any
    ) -> QuantumCircuitObservation:
        """Do what `reset` does, on a thread when the caller brings a large circuit of his own."""
        circuit = options.get("circuit")
        if isinstance(circuit, list | tuple) and len(circuit) > LARGE:
            observation = await asyncio.to_thread(self.reset, seed, episode_id, **options)
        else:
            observation = self.reset(seed, episode_id, **options)
        if (socket := SOCKET.get()) is not None:
            socket.environment = self
        return observation

    def step(self, action: QuantumCircuitAction, *_unused: Any, **_options: Any) -> QuantumCircuitObservation:
        """Play one action, legal or not, or a plan; after the end of the episode nothing changes any more.

        Raises:
            NoEpisodeError: there has been no reset.
            PlanError: the action has a `then`, and the episode was not reset with plans.
        """
        session = self._session
        if session is None:
            raise NoEpisodeError
        session.play(action)
        observation = session.observation()
        # The game has paid already; the rubric says for what.
        self._apply_rubric(action, observation)
        return observation

    async def step_async(
        self, action: QuantumCircuitAction, *_unused: Any, **_options: Any
    ) -> QuantumCircuitObservation:
        """Do what `step` does, on a thread when the circuit is large."""
        if self._large:
            return await asyncio.to_thread(self.step, action)
        return self.step(action)

    async def answer(self, action: QuantumCircuitAction) -> str:
        """Do what `step_async` does and return the frame in which `/ws` tells of it."""
        try:
            if self._large:
                return await asyncio.to_thread(self._answer, action)
            return self._answer(action)
        except PlanError as error:
            return error_frame(WSErrorCode.EXECUTION_ERROR, str(error))

    @property
    def session(self) -> Session | None:
        """The running episode and the reset that started it; None before the first reset."""
        return self._session

    @property
    def state(self) -> QuantumCircuitState:
        """Public progress of the session, made anew at each call."""
        session = self._session
        return QuantumCircuitState.before_reset() if session is None else session.state()

    def get_metadata(self) -> EnvironmentMetadata:
        """Say what this environment is."""
        return describe()

    def render_web(self, observation: web_view.Shown) -> str:
        """Return HTML that draws the circuit of an observation."""
        return web_view.render(observation)

    def web_actions(self, observation: web_view.Shown) -> list[tuple[str, dict[str, Any]]]:
        """Return legal actions on an observation with their labels: reductions, then some swaps."""
        return web_view.actions(observation)

    def grade_easy(self) -> float:
        """Grade the episode as easy."""
        return graders.grade_easy(self)

    def grade_medium(self) -> float:
        """Grade the episode as medium."""
        return graders.grade_medium(self)

    def grade_hard(self) -> float:
        """Grade the episode as hard."""
        return graders.grade_hard(self)

    def grade(self) -> float:
        """Grade the episode as its own task."""
        return graders.grade(self)

    @property
    def _large(self) -> bool:
        return self._session is not None and self._session.episode.gate_count > LARGE

    def _answer(self, action: QuantumCircuitAction) -> str:
        session, rubric = self._session, self.rubric
        if session is None:
            raise NoEpisodeError
        if not isinstance(rubric, StepReward) or rubric.hooked:
            # Somebody looks at the observation.
            data = serialize_observation(self.step(action))
            return WSObservationResponse(data=data).model_dump_json()
        session.play(action)
        metadata = session.metadata()
        rubric.see(metadata)
        return session.reply(metadata)

    def _check(self, seed: Any, episode_id: Any, options: dict[str, Any]) -> Start:
        arguments = {"seed": seed, "episode_id": episode_id, **options}
        return check_reset(arguments, default_task=self._default_task)

    def _begin(self, start: Start) -> QuantumCircuitObservation:
        episode = Episode(start.circuit(), par=start.par)
        session = Session(start, episode, str(uuid4()) if start.episode_id is None else start.episode_id)
        observation = session.observation()
        self._session = session
        self._reset_rubric()
        return observation
