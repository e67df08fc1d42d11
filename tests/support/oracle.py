"""What a session must be told: the game played in this process, and each reply spelt out field by field.

Shares the game, the view and the graders with the server, and nothing of how the server keeps sessions or
writes replies.
"""

import json
from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any, Final

from qrewrite.circuits import Circuit
from qrewrite.game import Episode
from qrewrite.game.view import legality, prompt_from_observation
from qrewrite.rules import RULES
from qrewrite.tasks import GAME_VERSION, TIERS, generate, task_at, tier_of
from quantum_circuit_env.server.graders import GRADERS

TOLD_OF_NO_EPISODE: Final[Mapping[str, Any]] = {
    "episode_id": None,
    "step_count": 0,
    "task": None,
    "seed": None,
    "gate_count": None,
    "initial_count": None,
    "used_advanced_actions": None,
    "score": None,
    "game_version": None,
}
"""The state before the first reset."""


class Oracle:
    """One session's twin; its answers are the `data` of the frames that the session must get.

    Attributes:
        episode: the running one.
        plans: whether it takes plans.
    """

    def __init__(self) -> None:
        self.episode: Episode | None = None
        self.plans = False
        self._played: list[dict[str, Any]] = []
        self._task, self._seed, self._hints, self._id = "", None, False, ""

    def reset(self, arguments: Mapping[str, Any], *, drawn: int | None = None) -> dict[str, Any]:
        """Start the episode that these arguments, which must be in order, ask for.

        Args:
            arguments: those of `reset`; one that is None counts as not given.
            drawn: the seed that the server reports, for arguments that name none.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        self._hints, self._id = given.get("hints", False), given.get("episode_id", "")
        self._seed, self.plans, self._played = None, given.get("plans", False), []
        if "circuit" in given:
            self._task = given.get("task", "easy")
            circuit = Circuit.from_records(given["circuit"], num_qubits=given["num_qubits"])
            self.episode = Episode(circuit)
            return self.observation()
        if "split" in given:
            self._task, self._seed = task_at(given["split"], given["index"])
        else:
            self._seed = given.get("seed", drawn)
            assert self._seed is not None
            self._task = tier_of(given.get("task", "random"), self._seed).name
        self.episode = Episode(generate(self._task, self._seed), par=TIERS[self._task].par)
        return self.observation()

    def step(
        self, target_index: int, action_type: int, then: Sequence[Mapping[str, int]] = ()
    ) -> dict[str, Any]:
        """Play one action, legal or not, and further ones, if the episode takes plans."""
        assert self.plans or not then
        episode, self._played = self._running, []
        for each in ({"target_index": target_index, "action_type": action_type}, *then):
            reward = episode.play(each["action_type"], each["target_index"])
            self._played.append({"action_result": episode.action_result, "reward": reward})
            if episode.done or episode.action_result is not RULES[each["action_type"]].accepted:
                break
        return self.observation()

    def observation(self) -> dict[str, Any]:
        """Return what the last reset or step must have been answered with."""
        episode = self._running
        circuit, metadata = episode.circuit(), self._metadata()
        text = prompt_from_observation(
            circuit,
            TIERS[self._task].scoring,
            initial_count=episode.initial_count,
            steps=episode.steps,
            used_advanced_actions=episode.used_advanced_actions,
        )
        observation = {
            "metadata": metadata,
            "circuit": [{"name": gate.name, "target_qubits": list(gate.qubits)} for gate in circuit.gates],
            "gate_count": len(circuit),
            "num_qubits": circuit.num_qubits,
            "prompt": text,
        }
        return {
            "observation": observation,
            "reward": fsum(each["reward"] for each in self._played) if self.plans else episode.reward,
            "done": episode.done,
            "metadata": metadata,
        }

    def state(self) -> dict[str, Any]:
        """Return what the session must be told of its state; the id is "" where the server draws it."""
        if self.episode is None:
            return dict(TOLD_OF_NO_EPISODE)
        told = self._metadata()
        shared = ("task", "seed", "initial_count", "used_advanced_actions", "score", "game_version")
        return {
            "episode_id": self._id,
            "step_count": told["step"],
            "gate_count": self.episode.gate_count,
            **{name: told[name] for name in shared},
        }

    @property
    def _running(self) -> Episode:
        assert self.episode is not None
        return self.episode

    def _metadata(self) -> dict[str, Any]:
        episode = self._running
        counts = {
            "initial_count": episode.initial_count,
            "gate_count": episode.gate_count,
            "used_advanced_actions": episode.used_advanced_actions,
        }
        return {
            "task": self._task,
            "initial_count": episode.initial_count,
            "step": episode.steps,
            "seed": self._seed,
            "used_advanced_actions": episode.used_advanced_actions,
            "action_result": episode.action_result,
            "termination": episode.termination,
            "score": GRADERS[self._task](counts),
            "par": episode.par,
            "game_version": GAME_VERSION,
            "legality": legality(episode) if self._hints else None,
            **({"plan": self._played} if self.plans else {}),
        }


def same(told: object, expected: object) -> bool:
    """Whether two JSON values are equal to the type of each number: neither True nor 1.0 is 1."""
    return told == expected and _text(told) == _text(expected)


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True)
