"""The circuits that episodes start from."""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from qrewrite.batch.outcomes import verdicts
from qrewrite.batch.positions import Positions
from qrewrite.circuits import Circuit, GameError, TaskError
from qrewrite.circuits.errors import shown
from qrewrite.tasks import TIERS, generate


class Starts:
    """Circuits that episodes start from, encoded and matched once, so that a reset only copies them.

    Attributes:
        positions: the circuits.
        pars: published bound on the gates that must remain, shape (starts,); the largest int16 for none.
        terminations: how an episode ends that is over at its start, as in TERMINATIONS, else 0.
    """

    def __init__(self, circuits: Sequence[Circuit], *, par: int | None = None) -> None:
        """Encode the circuits; GameError if there is none.

        Args:
            circuits: what to play on; a reset draws from them.
            par: bound on the gates that must remain, the same for all, or None where there is no such bound.
        """
        if not circuits:
            raise GameError("episodes need at least one circuit to start from")
        self.positions: Final = Positions.of(circuits)
        no_bound = int(np.iinfo(np.int16).max)
        self.pars: Final = np.full(len(circuits), no_bound if par is None else par, np.int16)
        over = ~self.positions.reducible
        self.terminations: Final = over * verdicts(self.positions.counts, self.pars)

    def __len__(self) -> int:
        return len(self.pars)


def generated(task: str, seeds: Iterable[int]) -> Starts:
    """Return the starts of a tier: start number i is the circuit of (task, i-th seed), its par the tier's.

    TaskError for `random`, since its tiers have pars of their own, for an unknown task and for a seed out of
    range.

    >>> len(generated("easy", range(3)))
    3
    """
    if not isinstance(task, str) or task not in TIERS:
        raise TaskError(f"starts are of one tier, one of {', '.join(TIERS)}, got {shown(task)}")
    return Starts([generate(task, seed) for seed in seeds], par=TIERS[task].par)
