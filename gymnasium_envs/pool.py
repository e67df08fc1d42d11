"""Circuits of a split, generated when first drawn and then kept, so that later resets only copy them."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qrewrite.batch import Positions
from qrewrite.tasks import TIERS, generate

Array = NDArray[Any]


class Pool:
    """The circuits of one tier whose seeds are in a range; other seeds are generated each time."""

    def __init__(self, task: str, seeds: range) -> None:
        self._task, self._seeds = task, seeds
        tier = TIERS[task]
        self._kept = Positions(len(seeds), num_qubits=tier.num_qubits, capacity=tier.gate_count)
        self._made = np.zeros(len(seeds), np.bool_)

    def __reduce__(self) -> tuple[Any, tuple[str, range]]:
        return pool, (self._task, self._seeds)

    def put(self, target: Positions, rows: Array, seeds: Array) -> None:
        """Put the circuits of some seeds in the place of those at `rows` of `target`."""
        picks = seeds - self._seeds.start
        kept = (picks >= 0) & (picks < len(self._seeds))
        if not kept.all():
            self._generate(target, rows[~kept], seeds[~kept])
            rows, picks = rows[kept], picks[kept]
        missing = picks[~self._made[picks]]
        if len(missing):
            missing = np.unique(missing)
            self._generate(self._kept, missing, missing + self._seeds.start)
            self._made[missing] = True
        target.copy(rows, self._kept, picks)

    def _generate(self, target: Positions, rows: Array, seeds: Array) -> None:
        made = Positions.of([generate(self._task, seed) for seed in seeds.tolist()])
        target.copy(rows, made, np.arange(len(rows)))


@cache
def pool(task: str, seeds: range) -> Pool:
    """Return the pool of a tier, shared by all environments of the process."""
    return Pool(task, seeds)
