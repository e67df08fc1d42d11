"""Batched episodes and as many scalar ones side by side: after every step all that can be seen must agree."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qrewrite.batch import ACTION_RESULTS, TERMINATIONS, Episodes, Step
from qrewrite.circuits import Circuit
from qrewrite.game import Episode
from qrewrite.rules import RULES

Choice = NDArray[Any]
_BITS = np.array([rule.bit for rule in RULES.values()])


def assert_same_position(episodes: Episodes, row: int, scalar: Episode) -> None:
    """Compare circuit, legal actions, and whether anything can be reduced."""
    positions = episodes.positions
    assert positions.circuit(row) == scalar.circuit()
    masks = scalar.position.masks()
    behind = positions.capacity - len(masks)
    assert (positions.legal[row] @ _BITS).tolist() == [*masks, *[0] * behind]
    assert (positions.lists[row, len(masks) :] == positions.codes.none).all()
    assert positions.reducible[row] == scalar.position.reducible


class BatchLockstep:
    """Plays the same actions on both sides and compares; counts the episodes that have ended."""

    def __init__(self, episodes: Episodes, circuits: Sequence[Circuit], par: int | None, auto: bool) -> None:
        self.episodes = episodes
        self._circuits, self._par, self._auto = circuits, par, auto
        self.scalars = [self._scalar(row) for row in range(len(episodes))]
        self.ended: dict[str, int] = {}

    def _scalar(self, row: int) -> Episode:
        return Episode(self._circuits[self.episodes.start[row]], par=self._par)

    def step(self, indices: Choice, action_types: Choice, *, look_at: slice = slice(None)) -> Step:
        """Play one action in each episode; compare the facts of all, and the positions of some."""
        over = [scalar.done for scalar in self.scalars]
        step = self.episodes.step(indices, action_types)
        for scalar, index, action_type in zip(self.scalars, indices, action_types, strict=True):
            scalar.play(int(action_type), int(index))
        self._compare(step)
        for row, scalar in enumerate(self.scalars):
            if scalar.done and not over[row]:
                self.ended[str(scalar.termination)] = self.ended.get(str(scalar.termination), 0) + 1
            if scalar.done and self._auto:
                self.scalars[row] = self._scalar(row)
        for row in range(len(self.scalars))[look_at]:
            assert_same_position(self.episodes, row, self.scalars[row])
        return step

    def _compare(self, step: Step) -> None:
        scalars = self.scalars
        assert step.reward.tolist() == [one.reward for one in scalars]
        assert step.done.tolist() == [one.done for one in scalars]
        assert [TERMINATIONS[number] for number in step.termination] == [one.termination for one in scalars]
        assert [ACTION_RESULTS[number] for number in step.action_result] == [
            one.action_result for one in scalars
        ]
        assert step.gate_count.tolist() == [one.gate_count for one in scalars]
        assert step.steps.tolist() == [one.steps for one in scalars]
        assert step.used_advanced_actions.tolist() == [one.used_advanced_actions for one in scalars]


def any_action(episodes: Episodes, rng: np.random.Generator) -> tuple[Choice, Choice]:
    """Draw actions, legal or not, indices beyond the circuits on both sides among them."""
    size, capacity = len(episodes), episodes.positions.capacity
    return rng.integers(-2, capacity + 2, size), rng.integers(1, len(RULES) + 1, size)


def legal_action(
    episodes: Episodes, rng: np.random.Generator, *, reductions_only: bool = False
) -> tuple[Choice, Choice]:
    """Draw a legal action for each episode, if so asked a swap only where nothing else is legal."""
    legal = episodes.positions.legal
    if reductions_only:
        reductions = legal & np.array([rule.removes > 0 for rule in RULES.values()])
        legal = np.where(reductions.any(axis=(1, 2))[:, None, None], reductions, legal)
    lots = legal * rng.random(legal.shape)
    indices, kinds = np.divmod(lots.reshape(len(episodes), -1).argmax(axis=1), len(RULES))
    return indices, kinds + 1
