"""The gate alphabet: one table of facts, and the interned gates that are made of it."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, NoReturn

from qrewrite.circuits.errors import CircuitError, shown

MAX_QUBITS: Final = 64
"""Largest number of wires of a circuit."""


class GateSpec(NamedTuple):
    """What is known of one gate name.

    `images` gives the gate as a Clifford map: for each generator X₀, Z₀ (then X₁, Z₁) the Pauli word that
    U·P·U† is, a letter a qubit with an optional sign (Aaronson and Gottesman, arXiv:quant-ph/0406196).
    `matrix` is the unitary, shape (2**arity, 2**arity), with the first qubit the most significant bit.
    `marks` is what a drawing shows on each qubit: a letter, or the name of a symbol.
    """

    arity: int
    symmetric: bool
    images: tuple[str, ...]
    matrix: tuple[tuple[complex, ...], ...]
    marks: tuple[str, ...]


_R: Final = 2**-0.5

GATES: Final[dict[str, GateSpec]] = {
    "H": GateSpec(1, False, ("Z", "X"), ((_R, _R), (_R, -_R)), ("H",)),
    "X": GateSpec(1, False, ("X", "-Z"), ((0, 1), (1, 0)), ("X",)),
    "Y": GateSpec(1, False, ("-X", "-Z"), ((0, -1j), (1j, 0)), ("Y",)),
    "Z": GateSpec(1, False, ("-X", "Z"), ((1, 0), (0, -1)), ("Z",)),
    "CNOT": GateSpec(
        2,
        False,
        ("XX", "ZI", "IX", "ZZ"),
        ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 0, 1), (0, 0, 1, 0)),
        ("control", "not"),
    ),
    "CZ": GateSpec(
        2,
        True,
        ("XZ", "ZI", "ZX", "IZ"),
        ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, -1)),
        ("control", "control"),
    ),
    "SWAP": GateSpec(
        2,
        True,
        ("IX", "IZ", "XI", "ZI"),
        ((1, 0, 0, 0), (0, 0, 1, 0), (0, 1, 0, 0), (0, 0, 0, 1)),
        ("swap", "swap"),
    ),
}
"""Every gate of the game; all of them are their own inverse and Clifford."""


class GateRecord(dict[str, Any]):
    """A gate as JSON, `{"name": …, "target_qubits": (…)}`: shared by all circuits and therefore read-only."""

    __slots__ = ()

    def _read_only(self, *_args: object, **_kwargs: object) -> NoReturn:
        raise TypeError("a gate record is read-only; copy it with dict(record)")

    __setitem__ = __delitem__ = __ior__ = _read_only
    clear = pop = popitem = setdefault = update = _read_only

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        return dict, (dict(self),)


class Gate:
    """One gate on distinct qubits, control first; equal gates are the same object.

    Symmetric gates are stored with the smaller qubit first. Prints as the line that parses back to it.

    >>> Gate("CZ", (3, 1))
    Gate('CZ', (1, 3))
    >>> Gate("CZ", (3, 1)) is Gate("CZ", (1, 3))
    True
    >>> str(Gate("CNOT", (3, 1)))
    'CNOT 3 1'
    """

    __slots__ = ("json", "mask", "name", "qubits", "record", "text")

    name: str
    qubits: tuple[int, ...]
    mask: int
    """Bit q is set when the gate acts on qubit q; for our rules, gates of disjoint masks commute."""
    text: str
    record: GateRecord
    json: str
    """The record as it is written in JSON, without spaces."""

    def __new__(cls, name: str, qubits: Sequence[int]) -> "Gate":
        """Return the gate; CircuitError when the name, the number of qubits or a qubit is not allowed."""
        try:
            found = _INTERNED.get((name, tuple(qubits)))
        except TypeError:
            got = f"{shown(name)} and {shown(qubits)}"
            raise CircuitError(f"a gate is a name and a list of qubits, got {got}") from None
        # 1 and True are the same key, so a hit still has to prove that its qubits are integers.
        if found is not None and all(type(qubit) is int for qubit in qubits):
            return found
        return cls._intern(name, _checked_qubits(name, qubits))

    @classmethod
    def _intern(cls, name: str, qubits: tuple[int, ...]) -> "Gate":
        self = super().__new__(cls)
        fields = {
            "name": name,
            "qubits": qubits,
            "mask": sum(1 << qubit for qubit in qubits),
            "text": " ".join((name, *map(str, qubits))),
            "record": GateRecord(name=name, target_qubits=qubits),
            "json": f'{{"name":"{name}","target_qubits":[{",".join(map(str, qubits))}]}}',
        }
        for field, value in fields.items():
            object.__setattr__(self, field, value)
        # setdefault is atomic: two threads that make the same gate get the same object.
        return _INTERNED.setdefault((name, qubits), self)

    def __setattr__(self, field: str, value: object) -> NoReturn:
        raise AttributeError(f"a gate is immutable, cannot set {field!r}")

    def __delattr__(self, field: str) -> NoReturn:
        raise AttributeError(f"a gate is immutable, cannot delete {field!r}")

    def __repr__(self) -> str:
        return f"Gate({self.name!r}, {self.qubits!r})"

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[type["Gate"], tuple[str, tuple[int, ...]]]:
        return Gate, (self.name, self.qubits)

    def __copy__(self) -> "Gate":
        return self

    def __deepcopy__(self, _memo: object) -> "Gate":
        return self


_INTERNED: Final[dict[tuple[str, tuple[int, ...]], Gate]] = {}


def _checked_qubits(name: str, qubits: Sequence[int]) -> tuple[int, ...]:
    """Return the qubits in canonical order, or raise a CircuitError that says what is allowed."""
    spec = GATES.get(name) if isinstance(name, str) else None
    if spec is None:
        raise CircuitError(f"unknown gate {shown(name)}; the gates are {', '.join(GATES)}")
    if any(type(qubit) is not int for qubit in qubits):
        raise CircuitError(f"{name}: qubits must be integers, got {shown(list(qubits))}")
    if len(qubits) != spec.arity or len(set(qubits)) != spec.arity:
        distinct = "1 qubit" if spec.arity == 1 else f"{spec.arity} distinct qubits"
        raise CircuitError(f"{name} takes {distinct}, got {shown(list(qubits))}")
    if not all(0 <= qubit < MAX_QUBITS for qubit in qubits):
        raise CircuitError(f"{name}: qubits must be in 0..{MAX_QUBITS - 1}, got {shown(list(qubits))}")
    return tuple(sorted(qubits)) if spec.symmetric else tuple(qubits)
