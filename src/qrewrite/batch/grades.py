"""Grades of many episodes, by a grader that grades one."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from qrewrite.batch.codes import Array

Grade: TypeAlias = Callable[[int, int, bool], float]
"""From gates at the start, gates left and whether an identity has been applied to a grade."""


class Grades:
    """Every grade that an episode can have, looked up by its counts and its flag."""

    def __init__(self, grade: Grade, initial_counts: Array) -> None:
        initial, self._kind = np.unique(initial_counts, return_inverse=True)
        self._finals = int(initial.max()) + 1
        self._table = np.array(
            [
                grade(count, final, used)
                for count in initial.tolist()
                for final in range(self._finals)
                for used in (False, True)
            ]
        )

    def of(self, start: Array, counts: Array, used: Array) -> Array:
        """Return the grade of each episode: which start it plays, gates left, and its flag."""
        return self._table.take((self._kind.take(start) * self._finals + counts) * 2 + used)
