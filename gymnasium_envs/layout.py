"""Spaces of a tier's environments, and how circuits are written into arrays."""

from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from qrewrite.batch.codes import codes_for
from qrewrite.circuits import GATES, Circuit
from qrewrite.game import STEP_LIMIT
from qrewrite.rules import RULES
from qrewrite.tasks import TIERS

Array: TypeAlias = NDArray[Any]
Observation: TypeAlias = dict[str, Array]
"""An observation, or many of them with one more axis in front."""

KINDS: Final = len(RULES)
"""Action types; action number a is type 1 + a % KINDS at index a // KINDS."""

_SHARES_LEFT: Final = (np.arange(STEP_LIMIT, -1, -1) / STEP_LIMIT).astype(np.float32)
_NAMES: Final = {name: column for column, name in enumerate(GATES)}


class Layout:
    """How one tier's circuits are observed and acted on.

    A row of `gates` is a gate of the list; its columns are 0 or 1: one for each name in the order of the gate
    table, one for each qubit that is the first of the gate, one for each that is the second. Rows behind the
    last gate are 0.

    Attributes:
        rows: gates at the start, which is the most there can be.
        columns: features of a gate, number of names + 2 · number of qubits.
        actions: number of actions.
    """

    def __init__(self, task: str) -> None:
        tier = TIERS[task]
        self._codes = codes_for(tier.num_qubits)
        self.rows: Final = tier.gate_count
        self.columns: Final = len(GATES) + 2 * tier.num_qubits
        self.actions: Final = self.rows * KINDS
        # NumPy takes rows of 16 or 32 bytes several times as fast as those of other sizes.
        width = 1 << (self.columns - 1).bit_length()
        self._features = np.zeros((self._codes.none + 1, width), np.uint8)
        for code, gate in enumerate(self._codes.gates):
            self._features[code, _NAMES[gate.name]] = 1
            for place, qubit in enumerate(gate.qubits):
                self._features[code, len(GATES) + place * tier.num_qubits + qubit] = 1

    def action_space(self) -> spaces.Discrete[Any]:
        """Return a new action space; spaces have random numbers of their own, so that none is shared."""
        return spaces.Discrete(self.actions)

    def observation_space(self) -> spaces.Dict[Any]:
        """Return a new observation space."""
        return spaces.Dict(
            {
                "gates": spaces.Box(0, 1, (self.rows, self.columns), np.uint8),
                "episode": spaces.Box(0, 1, (2,), np.float32),
            }
        )

    def observe(self, lists: Array, steps: Array | int, used_advanced_actions: Array | bool) -> Observation:
        """Return observations.

        Args:
            lists: gate codes, shape (…, rows).
            steps: actions played, integers of shape (…).
            used_advanced_actions: whether an identity has been applied, shape (…).
        """
        episode = np.stack([_SHARES_LEFT.take(steps), used_advanced_actions], axis=-1, dtype=np.float32)
        return {"gates": self._features.take(lists, axis=0)[..., : self.columns], "episode": episode}

    def encode(self, circuit: Circuit) -> Array:
        """Return the gate codes of a circuit, shape (rows,)."""
        codes = np.full(self.rows, self._codes.none, self._codes.dtype)
        codes[: len(circuit)] = self._codes.encode(circuit)
        return codes


@cache
def layout_of(task: str) -> Layout:
    """Return the layout of a tier, made once."""
    return Layout(task)
