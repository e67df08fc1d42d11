"""Episodes that are played side by side: the game of `qrewrite.game.Episode`, a row each."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from qrewrite.batch.arguments import action_types, integers, numbers
from qrewrite.batch.codes import Array
from qrewrite.batch.grades import Grade, Grades
from qrewrite.batch.outcomes import ADVANCED, ANSWERS, KINDS, REMOVES, REWARDS, STEP_LIMIT_REACHED, verdicts
from qrewrite.batch.positions import Positions
from qrewrite.batch.starts import Starts
from qrewrite.circuits import GameError
from qrewrite.game import STEP_LIMIT


class Step(NamedTuple):
    """What a step did in each episode, arrays of shape (episodes,).

    With automatic resets these still tell of the episode that the action was played in.

    Attributes:
        reward: float64.
        done: whether the episode has ended; bool.
        termination: why, as an index of TERMINATIONS; uint8.
        action_result: what became of the action, as an index of ACTION_RESULTS; uint8.
        gate_count: gates left; int16.
        steps: actions played in the episode; int16.
        used_advanced_actions: whether an identity (rule 3 or 4) has been applied; bool.
        score: the grade so far, float64; None for episodes without a grader.
    """

    reward: Array
    done: Array
    termination: Array
    action_result: Array
    gate_count: Array
    steps: Array
    used_advanced_actions: Array
    score: Array | None


class Episodes:
    """`size` episodes, each a row of every array; `step` and `reset` are the only things that change them.

    The arrays are for reading.

    Attributes:
        positions: the circuits now: `positions.lists`, `positions.legal`, `positions.counts`.
        starts: the circuits that resets draw from.
        start: number of the start that each episode plays, shape (size,), int64.
        steps: actions played so far, int16.
        termination: why the episode is done, as an index of TERMINATIONS, 0 while it runs; uint8.
        used_advanced_actions: whether an identity (rule 3 or 4) has been applied; bool.
    """

    def __init__(
        self,
        starts: Starts,
        size: int,
        rng: np.random.Generator,
        *,
        autoreset: bool = True,
        grade: Grade | None = None,
    ) -> None:
        """Begin `size` episodes.

        Args:
            starts: the circuits to play on.
            size: number of episodes, at least 1.
            rng: draws the starts, each equally likely.
            autoreset: whether an episode that a step has ended is replaced by a new one at once. Otherwise it
                stays done, and steps in it change nothing, until `reset`.
            grade: grades an episode from its two counts and its flag; asked once for each such triple.
        """
        if size < 1:
            raise GameError(f"there must be at least 1 episode, got {size}")
        self.starts: Final = starts
        self.positions: Final = Positions(
            size, num_qubits=starts.positions.codes.num_qubits, capacity=starts.positions.capacity
        )
        self.start: Final[Array] = np.zeros(size, np.int64)
        self.steps: Final[Array] = np.zeros(size, np.int16)
        self.termination: Final[Array] = np.zeros(size, np.uint8)
        self.used_advanced_actions: Final[Array] = np.zeros(size, np.bool_)
        self._rng, self._autoreset = rng, autoreset
        self._grades = None if grade is None else Grades(grade, starts.positions.counts)
        self.reset()

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def score(self) -> Array | None:
        """The grade of each episode so far, shape (size,), float64; None without a grader."""
        if self._grades is None:
            return None
        return self._grades.of(self.start, self.positions.counts, self.used_advanced_actions)

    def reset(self, rows: ArrayLike | None = None, starts: ArrayLike | None = None) -> None:
        """Begin anew in some episodes.

        Args:
            rows: numbers of the episodes, or None for all.
            starts: number of the start for each of them; drawn if None.

        Raises:
            GameError: there is no such episode or start.
        """
        size = len(self)
        chosen = np.arange(size) if rows is None else numbers("rows", rows, size)
        if starts is None:
            picks = self._rng.integers(len(self.starts), size=len(chosen))
        else:
            picks = numbers("starts", starts, len(self.starts))
        if len(picks) != len(chosen):
            raise GameError(f"starts must be one for each of {len(chosen)} episodes, got {len(picks)}")
        self._begin(chosen, picks)

    def step(self, target_index: ArrayLike, action_type: ArrayLike) -> Step:
        """Play one action in each episode, legal or not, and tell what it did.

        Args:
            target_index: index of the gate to act on, integers of shape (size,); an index that is no gate's
                is an invalid action.
            action_type: 1 to 4, integers of shape (size,).

        Raises:
            GameError: a wrong shape or dtype, or an action type that does not exist; nothing is played.
        """
        indices = integers("target_index", target_index, len(self))
        kinds = action_types(action_type, len(self))
        outcome = self._play(indices, kinds)
        done = self.termination != 0
        step = Step(
            REWARDS.take(outcome),
            done,
            self.termination.copy(),
            ANSWERS.take(outcome),
            self.positions.counts.copy(),
            self.steps.copy(),
            self.used_advanced_actions.copy(),
            self.score,
        )
        if self._autoreset and done.any():
            rows = np.flatnonzero(done)
            self._begin(rows, self._rng.integers(len(self.starts), size=len(rows)))
        return step

    def _play(self, indices: Array, kinds: Array) -> Array:
        """Change the state; return for each episode an index of REWARDS and ANSWERS."""
        positions = self.positions
        running = self.termination == 0
        inside = running & (indices >= 0) & (indices < positions.counts)
        indices = (indices * inside).astype(np.int64)
        legal = inside & positions.is_legal(indices, kinds)
        np.add(self.steps, running, out=self.steps)
        reduces = legal & REMOVES.take(kinds)
        rows = np.flatnonzero(legal & ~reduces)
        positions.exchange(rows, indices[rows])
        rows = np.flatnonzero(reduces)
        positions.reduce(rows, indices[rows], kinds[rows])
        self.used_advanced_actions[rows] |= ADVANCED.take(kinds[rows])
        stuck = rows[~positions.reducible[rows]]
        pars = self.starts.pars[self.start[stuck]]
        self.termination[stuck] = verdicts(positions.counts[stuck], pars)
        self.termination[(self.steps >= STEP_LIMIT) & (self.termination == 0)] = STEP_LIMIT_REACHED
        outcome: Array = (running.view(np.uint8) + inside + legal) * KINDS + kinds
        return outcome

    def _begin(self, rows: Array, picks: Array) -> None:
        self.positions.copy(rows, self.starts.positions, picks)
        self.start[rows] = picks
        self.steps[rows] = 0
        self.termination[rows] = self.starts.terminations[picks]
        self.used_advanced_actions[rows] = False
