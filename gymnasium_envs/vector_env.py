"""Many episodes at once, in arrays, as a Gymnasium vector environment."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from qrewrite.batch import ACTION_RESULTS, TERMINATIONS, Episodes, Starts, Step
from qrewrite.circuits import GameError
from qrewrite.circuits.drawing import draw_text
from qrewrite.circuits.errors import shown
from qrewrite.game import Termination
from qrewrite.rules import ActionResult
from qrewrite.tasks import TIERS, check_seed, generate, split_named
from quantum_circuit_env.gymnasium_envs.arguments import (
    STEPS,
    check_options,
    check_render_mode,
    choices,
    refused,
)
from quantum_circuit_env.gymnasium_envs.circuit_env import METADATA
from quantum_circuit_env.gymnasium_envs.layout import KINDS, Array, Layout, Observation, layout_of
from quantum_circuit_env.gymnasium_envs.pool import pool
from quantum_circuit_env.server.graders import score

Infos = dict[str, Any]
Stepped = tuple[Observation, Array, Array, Array, Infos]

_TRUNCATED: Final = np.array([end is Termination.STEP_LIMIT for end in TERMINATIONS])
_TERMINATED: Final = np.array([end is not None for end in TERMINATIONS]) & ~_TRUNCATED
_RESET: Final = ACTION_RESULTS.index(ActionResult.RESET)
_RESULT_NAMES: Final = np.array([result.value for result in ACTION_RESULTS], object)
_TERMINATION_NAMES: Final = np.array([None, *(end.value for end in TERMINATIONS if end)], object)


class CircuitVectorEnv(VectorEnv[Observation, Array, Array]):
    """Shortens `num_envs` circuits over `qrewrite.batch.Episodes`, each row as `CircuitEnv` would.

    Spaces, seeds, rewards and infos are those of a `gymnasium.vector.SyncVectorEnv` of `CircuitEnv`, step by
    step, whatever the autoreset mode. Every array that is returned is the caller's.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        task: str,
        split: str = "train",
        circuits: int | None = None,
        reward: str = STEPS,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        render_mode: str | None = None,
    ) -> None:
        """Make `num_envs` environments of a tier.

        Args:
            num_envs: number of episodes side by side, at least 1.
            task, split, circuits, reward, render_mode: as of `CircuitEnv`.
            autoreset_mode: `SameStep` begins anew in the step that ends an episode, whose last observation is
                `final_obs` of the infos; `NextStep` in the step after it, whose action is ignored; with
                `Disabled` it stays over until `reset(options={"reset_mask": …})`.

        Raises:
            GameError: one of these is not allowed.
        """
        if not isinstance(num_envs, int) or isinstance(num_envs, bool) or num_envs < 1:
            raise GameError(f"num_envs must be an integer, at least 1, got {shown(num_envs)}")
        self._choices = choices(task, split, circuits, reward)
        self._mode = _mode(autoreset_mode)
        self.metadata = {**METADATA, "autoreset_mode": self._mode}
        self.render_mode = check_render_mode(render_mode)
        self._layout: Layout = layout_of(task)
        self._pool = pool(task, split_named(split).seeds)
        tier = TIERS[task]
        # A start for each row: what a row begins with is copied from the pool into it.
        self._starts = Starts([generate(task, self._choices.seeds[0])] * num_envs, par=tier.par)
        grade = partial(score, tier.scoring)
        self._episodes = Episodes(
            self._starts, num_envs, np.random.default_rng(0), autoreset=False, grade=grade
        )
        self.num_envs = num_envs
        self._rngs: dict[int, tuple[np.random.Generator, int]] = {}
        self._circuit_seeds = np.zeros(num_envs, np.int64)
        self._begun = False
        self.single_observation_space = self._layout.observation_space()
        self.single_action_space = self._layout.action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """What draws the circuits of each row."""
        return tuple(rng for rng, _ in self._seeded())

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """What each of them was seeded with."""
        return tuple(seed for _, seed in self._seeded())

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Observation, Infos]:
        """Begin anew in all rows.

        Args:
            seed: seeds what the circuits of each row are drawn with: seed + i for row i, or one for each row.
            options: `circuit_seed`, one for all rows or one for each, to play these circuits instead of drawn
                ones; `reset_mask`, bool of shape (num_envs,), to begin anew in some rows only.

        Raises:
            GameError: there is no such option, row or circuit; nothing begins.
        """
        options = check_options(options, ("circuit_seed", "reset_mask"))
        mask = self._reset_mask(options.get("reset_mask"))
        rows = np.flatnonzero(mask)
        seeds = self._per_row("seed", seed, step=1)
        chosen = self._per_row("circuit_seed", options.get("circuit_seed"))
        for one in chosen:
            if one is not None:
                check_seed(one)
        self._seed_rows(rows, seeds)
        self._begin(rows, chosen)
        self._begun = True
        results = np.full(self.num_envs, _RESET)
        return self._observations(), self._infos(results, mask)

    def step(self, actions: Array) -> Stepped:
        """Play an action in each row: type 1 + action % 4 at index action // 4.

        Args:
            actions: integers in 0..4·rows-1, shape (num_envs,).

        Raises:
            InvalidAction: no such actions; nothing is played.
            ResetNeeded: no episode has begun.
        """
        episodes, actions = self._running(), self._checked(actions)
        over = episodes.termination != 0
        before = self._scores() if self._choices.by_grade else None
        played = episodes.step(actions // KINDS, actions % KINDS + 1)
        reward = played.reward if before is None else self._scores() - before
        ended, results, final = played.termination, played.action_result, {}
        begin = np.zeros(self.num_envs, np.bool_)
        if self._mode is AutoresetMode.SAME_STEP and played.done.any():
            begin = played.done
            final = self._final(begin, played)
        elif self._mode is AutoresetMode.NEXT_STEP and over.any():
            begin = over
            ended[begin] = 0
        if begin.any():
            results[begin] = _RESET
            self._begin(np.flatnonzero(begin))
        infos = {**final, **self._infos(results, np.ones(self.num_envs, np.bool_))}
        return self._observations(), reward, _TERMINATED.take(ended), _TRUNCATED.take(ended), infos

    def action_masks(self) -> Array:
        """Return which actions are legal in each row, shape (num_envs, 4·rows), bool."""
        return self._running().positions.legal.reshape(self.num_envs, -1).copy()

    def render(self) -> tuple[str, ...] | None:
        """Return each circuit drawn with characters, or None without a render mode."""
        if self.render_mode is None:
            return None
        positions = self._running().positions
        return tuple(draw_text(positions.circuit(row)) for row in range(self.num_envs))

    def _running(self) -> Episodes:
        if not self._begun:
            raise ResetNeeded("no episodes have begun: call reset() first")
        return self._episodes

    def _begin(self, rows: Array, chosen: Sequence[int | None] | None = None) -> None:
        """Begin anew in some rows, with the seed chosen for the row or a drawn one."""
        drawable, rngs = self._choices.seeds, self._rngs
        for row in rows.tolist():
            seed = None if chosen is None else chosen[row]
            if seed is None:
                seed = drawable[int(rngs[row][0].integers(len(drawable)))]
            self._circuit_seeds[row] = seed
        self._pool.put(self._starts.positions, rows, self._circuit_seeds[rows])
        self._episodes.reset(rows, rows)

    def _observations(self, rows: Any = slice(None)) -> Observation:
        episodes = self._episodes
        return self._layout.observe(
            episodes.positions.lists[rows], episodes.steps[rows], episodes.used_advanced_actions[rows]
        )

    def _facts(self, results: Array, scores: Array, rows: Any = slice(None)) -> Infos:
        """Return what infos say of some rows now, in arrays of their own."""
        positions = self._episodes.positions
        legal = positions.legal[rows]
        return {
            "circuit_seed": self._circuit_seeds[rows].copy(),
            "gate_count": positions.counts[rows].astype(np.int64),
            "score": scores[rows],
            "action_result": _RESULT_NAMES.take(results[rows]),
            "termination": _TERMINATION_NAMES.take(self._episodes.termination[rows]),
            "action_mask": legal.reshape(len(legal), -1).astype(np.int8),
        }

    def _infos(self, results: Array, mask: Array) -> Infos:
        """Return the infos of all rows, each key with a mask of the rows that have it."""
        return _with_masks(self._facts(results, self._scores()), mask)

    def _final(self, ended: Array, played: Step) -> Infos:
        """Return the last observations and infos of episodes that have ended and are not begun anew yet."""
        rows = np.flatnonzero(ended)
        last = self._observations(rows)
        observations = np.full(self.num_envs, None, object)
        for place, row in enumerate(rows.tolist()):
            observations[row] = {name: values[place] for name, values in last.items()}
        infos: Infos = {}
        for name, values in self._facts(played.action_result, self._scores(), rows).items():
            infos[name] = np.full(
                (self.num_envs, *values.shape[1:]), None if values.dtype == object else 0, values.dtype
            )
            infos[name][rows] = values
        return _with_masks({"final_obs": observations, "final_info": _with_masks(infos, ended)}, ended)

    def _scores(self) -> Array:
        scores = self._episodes.score
        assert scores is not None  # noqa: S101  # there is a grader
        return scores

    def _seeded(self) -> list[tuple[np.random.Generator, int]]:
        self._seed_rows(np.arange(self.num_envs), [None] * self.num_envs)
        return [self._rngs[row] for row in range(self.num_envs)]

    def _seed_rows(self, rows: Array, seeds: Sequence[int | None]) -> None:
        # All of them before any is taken, since a seed may be refused.
        self._rngs |= {
            row: seeding.np_random(seeds[row])
            for row in rows.tolist()
            if seeds[row] is not None or row not in self._rngs
        }

    def _checked(self, actions: Array) -> Array:
        array = np.asarray(actions)
        if array.shape != (self.num_envs,) or array.dtype.kind not in "iu":
            what = f"{array.dtype} of shape {array.shape}"
            raise refused(what, self._layout.actions, f"; {self.num_envs} of them are needed")
        outside = np.flatnonzero((array < 0) | (array >= self._layout.actions))
        if len(outside):
            raise refused(int(array[outside[0]]), self._layout.actions, f" for row {outside[0]}")
        return array.astype(np.int64)

    def _reset_mask(self, mask: object) -> Array:
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        array = np.asarray(mask)
        if array.shape != (self.num_envs,) or array.dtype != np.bool_ or not array.any():
            raise GameError(
                f"reset_mask must be bool of shape ({self.num_envs},) with a row that is true, "
                f"got {array.dtype} of shape {array.shape}"
            )
        if not self._begun and not array.all():
            raise GameError("the first reset is of all rows")
        return array

    def _per_row(self, name: str, values: Any, step: int = 0) -> list[Any]:
        """Return one value a row, from one for all (which grows by `step`) or from one for each."""
        if values is None:
            return [None] * self.num_envs
        if isinstance(values, int) and not isinstance(values, bool):
            return [values + step * row for row in range(self.num_envs)]
        listed = values.tolist() if isinstance(values, np.ndarray) else values
        if not isinstance(listed, Sequence):
            raise GameError(
                f"{name} must be an integer, or one for each of {self.num_envs} rows, got {shown(values)}"
            )
        if len(listed) != self.num_envs:
            raise GameError(f"{name} must be one for each of {self.num_envs} rows, got {len(listed)}")
        return list(listed)


def _with_masks(infos: Infos, mask: Array) -> Infos:
    """Return infos with a mask beside each key: which rows have it."""
    return infos | {f"_{name}": mask.copy() for name in infos}


def _mode(mode: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        names = ", ".join(mode.value for mode in AutoresetMode)
        raise GameError(f"autoreset_mode must be one of {names}, got {shown(mode)}") from None
