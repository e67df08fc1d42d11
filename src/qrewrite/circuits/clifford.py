"""Whether two circuits act alike: the Clifford tableau on Python integers, exact at any width and length.

After Aaronson and Gottesman, arXiv:quant-ph/0406196, but stored by columns: one integer holds a qubit's
column with a bit for every row, so that a gate costs a handful of integer operations.
"""

from typing import NamedTuple

from qrewrite.circuits.circuit import Circuit


class Tableau(NamedTuple):
    """What a circuit U makes of each generator P: the Pauli word U·P·U†. It fixes U up to a global phase.

    Row q is the image of X on qubit q and row num_qubits + q that of Z on qubit q; bit r of an integer
    belongs to row r. A row stands for ±(X^x₀ Z^z₀) ⊗ (X^x₁ Z^z₁) ⊗ … . In this order (X·Z where others write
    Y = i·X·Z) all of our gates turn real words into real words, so a sign bit is all the phase there is.

    Attributes:
        x: for each qubit, the rows with an X on it.
        z: for each qubit, the rows with a Z on it.
        signs: the rows with a minus.
    """

    x: tuple[int, ...]
    z: tuple[int, ...]
    signs: int

    @classmethod
    def of(cls, circuit: Circuit) -> "Tableau":
        """Return the tableau of a circuit; costs one pass over its gates."""
        width = circuit.num_qubits
        x = [1 << row for row in range(width)]
        z = [1 << row for row in range(width, 2 * width)]
        signs = 0
        for gate in circuit.gates:
            name = gate.name
            if name == "H":
                (a,) = gate.qubits
                signs ^= x[a] & z[a]
                x[a], z[a] = z[a], x[a]
            elif name == "CNOT":
                a, b = gate.qubits
                x[b] ^= x[a]
                z[a] ^= z[b]
            elif name == "X":
                signs ^= z[gate.qubits[0]]
            elif name == "Z":
                signs ^= x[gate.qubits[0]]
            elif name == "SWAP":
                a, b = gate.qubits
                x[a], x[b] = x[b], x[a]
                z[a], z[b] = z[b], z[a]
            elif name == "CZ":
                a, b = gate.qubits
                signs ^= x[a] & x[b]
                z[a] ^= x[b]
                z[b] ^= x[a]
            elif name == "Y":
                (a,) = gate.qubits
                signs ^= x[a] ^ z[a]
            else:
                raise NotImplementedError(f"the tableau knows no gate {name}")
        return cls(tuple(x), tuple(z), signs)

    def image(self, row: int) -> str:
        """Return a row as a Pauli word with an optional sign, a letter a qubit.

        >>> Tableau.of(Circuit.parse("CNOT 0 1", num_qubits=2)).image(0)
        'XX'
        """
        pauli = [2 * (z >> row & 1) + (x >> row & 1) for x, z in zip(self.x, self.z, strict=True)]
        # An image is Hermitian, so X·Z = -i·Y occurs an even number of times: each two of them are a minus.
        minus = (self.signs >> row ^ pauli.count(3) >> 1) & 1
        return "-" * minus + "".join("IXZY"[letter] for letter in pauli)


def same_action(left: Circuit, right: Circuit) -> bool:
    """Say whether two circuits are the same unitary up to one global phase; never if their widths differ.

    >>> hxh, x, z = (Circuit.parse(text, num_qubits=1) for text in ("H 0; X 0; H 0", "X 0", "Z 0"))
    >>> same_action(hxh, z), same_action(hxh, x)
    (True, False)
    """
    return left.num_qubits == right.num_qubits and Tableau.of(left) == Tableau.of(right)
