"""A session's running episode, and what is told of it."""

from dataclasses import dataclass, field
from math import fsum
from typing import Any

from qrewrite.game import Episode
from qrewrite.game.view import circuit_records, legality, prompt, prompt_json
from qrewrite.rules import RULES
from qrewrite.tasks import GAME_VERSION
from quantum_circuit_env.models import (
    FurtherAction,
    ObservationMetadata,
    PlayedAction,
    QuantumCircuitAction,
    QuantumCircuitObservation,
    QuantumCircuitState,
    of_valid,
)
from quantum_circuit_env.server import graders
from quantum_circuit_env.server.arguments import Start
from quantum_circuit_env.server.replies import observation_frame


class PlanError(RuntimeError):
    """Raised for an action with further ones in an episode that takes no plans; nothing has been played."""

    def __init__(self) -> None:
        super().__init__(
            'this episode takes one action a step: for "then" reset with "plans": true, e.g. '
            '{"type": "reset", "data": {"plans": true}}'
        )


@dataclass(slots=True)
class Session:
    """A running episode, the reset that started it, and its name.

    Attributes:
        played: what became of each action of the last step, if the episode takes plans; else empty.
    """

    start: Start
    episode: Episode
    episode_id: str
    played: list[PlayedAction] = field(default_factory=list)

    def play(self, action: QuantumCircuitAction) -> None:
        """Play an action, legal or not, and those that it carries up to the first invalid one or the end.

        Raises:
            PlanError: it carries some and the episode takes no plans.
        """
        if self.start.plans:
            self.played = self._play_plan(action)
        elif action.then:
            raise PlanError
        else:
            self.episode.play(action.action_type, action.target_index)

    def _play_plan(self, action: QuantumCircuitAction) -> list[PlayedAction]:
        episode, played = self.episode, list[PlayedAction]()
        plan: list[QuantumCircuitAction | FurtherAction] = [action, *action.then]
        for each in plan:
            reward = episode.play(each.action_type, each.target_index)
            played.append({"action_result": episode.action_result, "reward": reward})
            if episode.done or episode.action_result is not RULES[each.action_type].accepted:
                break
        return played

    @property
    def reward(self) -> float:
        """The reward of the last step: with plans the sum of its actions' rewards, rounded once."""
        return fsum(each["reward"] for each in self.played) if self.start.plans else self.episode.reward

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

    def reply(self, metadata: ObservationMetadata) -> str:
        """Return the frame in which `/ws` tells of the observation, whose metadata has been made."""
        episode = self.episode
        wired = episode.position.wired
        return observation_frame(
            metadata,
            wired.listing.json,
            gate_count=episode.gate_count,
            num_qubits=wired.num_qubits,
            prompt=prompt_json(episode, self.start.tier.scoring),
            reward=self.reward,
            done=episode.done,
        )

    def payload(self) -> dict[str, Any]:
        """Return the observation's fields in the order of its class, ready to be written as JSON."""
        episode = self.episode
        return {
            "done": episode.done,
            "reward": self.reward,
            "metadata": self.metadata(),
            "circuit": circuit_records(episode),
            "gate_count": episode.gate_count,
            "num_qubits": episode.position.wired.num_qubits,
            "prompt": prompt(episode, self.start.tier.scoring),
        }

    def metadata(self) -> ObservationMetadata:
        """Return what the observation says beside the circuit."""
        episode, start = self.episode, self.start
        metadata: ObservationMetadata = {
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
        if start.plans:
            metadata["plan"] = self.played
        return metadata

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
