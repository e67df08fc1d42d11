"""Gates as small integers, with what the rules say of each gate as arrays that are indexed by them."""

from functools import cache
from itertools import permutations
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from qrewrite.circuits import GATES, Circuit, CircuitError, Gate
from qrewrite.rules import IDENTITIES, RULES

Array: TypeAlias = NDArray[Any]


class Codes:
    """The gates on `num_qubits` wires, numbered 0, 1, …; `none` stands for a place without a gate.

    The order is that of the gate table, then of the qubits: H 0, H 1, …, X 0, …. Each array has one entry a
    code, that of `none` included.

    Attributes:
        gates: gate of each code.
        none: the code of no gate, which is len(gates).
        dtype: smallest unsigned integer that holds every code and `no_code`.
        no_code: a number that is no code at all.
        masks: bit q is set when the gate acts on qubit q; all bits for `none`, so that nothing moves past it.
        middles: middle gate of the identity that the gate may begin, `no_code` where there is none.
        products: gate that this identity makes, `none` where there is none.
        identity_bits: bit t-1 is set when this identity is action type t, else 0.
    """

    def __init__(self, num_qubits: int) -> None:
        self.num_qubits = num_qubits
        self.gates: Final = _alphabet(num_qubits)
        self.none: Final = len(self.gates)
        self.no_code: Final = self.none + 1
        self.dtype: Final = np.min_scalar_type(self.no_code)
        self._code_of = {gate: code for code, gate in enumerate(self.gates)}
        every_wire = (1 << num_qubits) - 1
        masks = [*(gate.mask for gate in self.gates), every_wire]
        self.masks: Final[Array] = np.array(masks, np.min_scalar_type(every_wire))
        self.middles: Final[Array] = np.full(self.none + 1, self.no_code, self.dtype)
        self.products: Final[Array] = np.full(self.none + 1, self.none, self.dtype)
        self.identity_bits: Final[Array] = np.zeros(self.none + 1, np.uint8)
        for code, gate in enumerate(self.gates):
            if (identity := IDENTITIES[gate]) is not None:
                self.middles[code] = self._code_of[identity.middle]
                self.products[code] = self._code_of[identity.product]
                self.identity_bits[code] = RULES[identity.action_type].bit

    def absent(self, masks: Array, dtype: Any) -> Array:
        """Return all bits of `dtype` where a gate does not act on a qubit, else 0.

        Shape (places, num_qubits, circuits) for the masks of gates of shape (places, circuits).
        """
        bits = self.masks.dtype.type(1) << np.arange(self.num_qubits, dtype=self.masks.dtype)
        untouched = (masks[:, None] & bits[:, None]) == 0
        bits_of_absent: Array = np.negative(untouched.astype(dtype))
        return bits_of_absent

    def encode(self, circuit: Circuit) -> list[int]:
        """Return the code of each gate; CircuitError for a circuit that needs more qubits."""
        if circuit.num_qubits > self.num_qubits:
            raise CircuitError(
                f"circuits must have at most {self.num_qubits} qubits, got {circuit.num_qubits}"
            )
        return [self._code_of[gate] for gate in circuit.gates]

    def decode(self, codes: Array, num_qubits: int) -> Circuit:
        """Return the circuit of an array of codes, `none` not among them."""
        return Circuit.of(num_qubits, map(self.gates.__getitem__, codes.tolist()))


@cache
def codes_for(num_qubits: int) -> Codes:
    """Return the codes for so many qubits, made once."""
    return Codes(num_qubits)


def _alphabet(num_qubits: int) -> tuple[Gate, ...]:
    # Symmetric gates come twice and are one object; dict keeps the first place of each.
    every = (
        Gate(name, qubits)
        for name, spec in GATES.items()
        for qubits in permutations(range(num_qubits), spec.arity)
    )
    return tuple(dict.fromkeys(every))
