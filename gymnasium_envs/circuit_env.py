"""One episode at a time as a Gymnasium environment."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded

from qrewrite.circuits.drawing import draw_text
from qrewrite.game import Episode, Termination
from qrewrite.rules import RULES
from qrewrite.tasks import GAME_VERSION, TIERS, check_seed, generate
from quantum_circuit_env.gymnasium_envs.arguments import (
    ANSI,
    STEPS,
    check_options,
    check_render_mode,
    choices,
    refused,
)
from quantum_circuit_env.gymnasium_envs.layout import KINDS, Array, Layout, Observation, layout_of
from quantum_circuit_env.server.graders import score

METADATA: Final[dict[str, Any]] = {"render_modes": [ANSI], "render_fps": 4, "game_version": GAME_VERSION}
"""Of both environments."""

_BITS: Final = np.array([rule.bit for rule in RULES.values()], np.uint8)


class CircuitEnv(gymnasium.Env[Observation, int]):
    """Shortens one circuit, as `qrewrite.game.Episode` plays it.

    Actions that are not legal are played: they cost 0.1 and change nothing. A step after the end is worth 0
    and changes nothing either.
    """

    metadata: ClassVar[dict[str, Any]] = METADATA  # type: ignore[misc]

    def __init__(
        self,
        *,
        task: str,
        split: str = "train",
        circuits: int | None = None,
        reward: str = STEPS,
        render_mode: str | None = None,
    ) -> None:
        """Make an environment of a tier.

        Args:
            task: easy, medium or hard.
            split: whose seeds resets draw from, each equally likely: train, validation or test.
            circuits: draw only from the first so many of them; from all if None.
            reward: `steps` for the game's rewards, `grade` for the change of the grade at each step.
            render_mode: `ansi` for drawings with characters.

        Raises:
            GameError: one of these is not allowed.
        """
        self._task, self._seeds, self._by_grade = choices(task, split, circuits, reward)
        self._layout: Layout = layout_of(task)
        self._scoring = TIERS[task].scoring
        self._episode: Episode | None = None
        self._circuit_seed = 0
        self.render_mode = check_render_mode(render_mode)
        self.observation_space = self._layout.observation_space()  # type: ignore[assignment]
        self.action_space = self._layout.action_space()

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: seeds what circuits are drawn with, now and later; as it was if None.
            options: `circuit_seed`, to play the circuit of this seed instead of a drawn one.

        Raises:
            GameError: there is no such option or circuit; the episode before goes on.
        """
        options = check_options(options, ("circuit_seed",))
        chosen = options.get("circuit_seed")
        if chosen is not None:
            check_seed(chosen)
        super().reset(seed=seed)
        if chosen is None:
            chosen = self._seeds[int(self.np_random.integers(len(self._seeds)))]
        self._circuit_seed = chosen
        self._episode = Episode(generate(self._task, chosen), par=TIERS[self._task].par)
        return self._observation(self._episode), self._info(self._episode)

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play action type 1 + action % 4 at index action // 4.

        Raises:
            InvalidAction: no integer in 0..4·rows-1; nothing is played.
            ResetNeeded: no episode has begun.
        """
        episode = self._running()
        if isinstance(action, bool) or not self.action_space.contains(action):
            raise refused(action, self._layout.actions)
        before = self._score(episode)
        index, kind = divmod(int(action), KINDS)
        reward = episode.play(kind + 1, index)
        if self._by_grade:
            reward = self._score(episode) - before
        truncated = episode.termination is Termination.STEP_LIMIT
        terminated = episode.done and not truncated
        return self._observation(episode), reward, terminated, truncated, self._info(episode)

    def action_masks(self) -> Array:
        """Return which actions are legal, shape (4·rows,), bool; as sb3-contrib's MaskablePPO asks for it."""
        masks = np.frombuffer(self._running().position.masks(), np.uint8)
        legal = np.zeros((self._layout.rows, KINDS), np.bool_)
        legal[: len(masks)] = (masks[:, None] & _BITS) != 0
        return legal.ravel()

    def render(self) -> str | None:
        """Return the circuit drawn with characters, or None without a render mode."""
        return None if self.render_mode is None else draw_text(self._running().circuit())

    def _running(self) -> Episode:
        if self._episode is None:
            raise ResetNeeded("no episode has begun: call reset() first")
        return self._episode

    def _score(self, episode: Episode) -> float:
        return score(self._scoring, episode.initial_count, episode.gate_count, episode.used_advanced_actions)

    def _observation(self, episode: Episode) -> Observation:
        lists = self._layout.encode(episode.circuit())
        return self._layout.observe(lists, episode.steps, episode.used_advanced_actions)

    def _info(self, episode: Episode) -> dict[str, Any]:
        return {
            "circuit_seed": self._circuit_seed,
            "gate_count": episode.gate_count,
            "score": self._score(episode),
            "action_result": episode.action_result.value,
            "termination": None if episode.termination is None else episode.termination.value,
            "action_mask": self.action_masks().view(np.int8),
        }
