"""A session's running episode, and what is told of it."""

from dataclasses import dataclass
from typing import Any

from qrewrite.game import Episode
from qrewrite.game.view import circuit_records, legality, prompt
from qrewrite.tasks import GAME_VERSION
from quantum_circuit_env.models import (
    ObservationMetadata,
    QuantumCircuitObservation,
    QuantumCircuitState,
    of_valid,
)
from quantum_circuit_env.server import graders
from quantum_circuit_env.server.arguments import Start
from quantum_circuit_env.server.replies import observation_frame


@dataclass(frozen=True, slots=True)
class Session:
    """A running episode, the reset that started it, and its name."""

    start: Start
    episode: Episode
    episode_id: str

    @property
    def score(self) -> float:
        """The grade so far."""
        scoring, episode = self.start.tier.scoring, self.episode
        return graders.score(
            scoring, episode.initial_count, episode.gate_count, episode.used_advanced_actions
        )

    def observation(self) -> QuantumCircuitObservation:
        """Return what the agent gets to see; nothing in it leads back into the episode."""
        return of_valid(QuantumCircuitObservation, self.payload())

    def reply(self, observation: QuantumCircuitObservation) -> str:
        """Return the frame that tells the agent of the observation, which must be the latest."""
        return observation_frame(observation.__dict__, self.episode.position.wired.texts)

    def payload(self) -> dict[str, Any]:
        """Return the observation's fields in the order of its class, ready to be written as JSON."""
        episode = self.episode
        return {
            "done": episode.done,
            "reward": episode.reward,
            "metadata": self._metadata(),
            "circuit": circuit_records(episode),
            "gate_count": episode.gate_count,
            "num_qubits": episode.position.wired.num_qubits,
            "prompt": prompt(episode, self.start.tier.scoring),
        }

    def _metadata(self) -> ObservationMetadata:
        episode, start = self.episode, self.start
        return {
            "task": start.tier.name,
            "initial_count": episode.initial_count,
            "step": episode.steps,
            "seed": start.seed,
            "used_advanced_actions": episode.used_advanced_actions,
            "action_result": episode.action_result,
            "termination": episode.termination,
            "score": self.score,
            "par": episode.par,
            "game_version": GAME_VERSION,
            "legality": legality(episode) if start.hints else None,
        }

    def state(self) -> QuantumCircuitState:
        """Return the public progress."""
        episode = self.episode
        return QuantumCircuitState(
            episode_id=self.episode_id,
            step_count=episode.steps,
            task=self.start.tier.name,
            seed=self.start.seed,
            gate_count=episode.gate_count,
            initial_count=episode.initial_count,
            used_advanced_actions=episode.used_advanced_actions,
            score=self.score,
            game_version=GAME_VERSION,
        )
