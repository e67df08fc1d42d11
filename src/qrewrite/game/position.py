"""A circuit together with what is legal on it, kept up to date by each rewrite."""

from collections.abc import Iterator
from typing import Final

from qrewrite.circuits import LARGE, UNKNOWN, Circuit, WiredCircuit
from qrewrite.rules import IDENTITIES, SWAP, Rule, may_be_middle, reduction_at

_SWAP: Final = SWAP.bit


class Position:
    """A circuit under rewriting, its legal actions and whether anything can still be reduced.

    Each rewrite asks the rules' matchers only about the few gates whose neighbours it changed, so that a step
    costs the same in a circuit of any size. The possible reductions are known after every rewrite; legal list
    actions are asked about when somebody wants to know, and remembered in the circuit's marks.

    Attributes:
        wired: the circuit; change it through `play` only.
    """

    __slots__ = ("_reducible", "_reductions", "wired")

    def __init__(self, circuit: Circuit) -> None:
        self.wired = WiredCircuit(circuit)
        nodes = range(len(circuit))
        self._reductions: list[Rule | None] = [reduction_at(self.wired, node) for node in nodes]
        self._reducible = len(nodes) - self._reductions.count(None)
        if len(circuit) >= LARGE:
            # Asked in the order of the list, its gates are fetched from memory before they are needed.
            self._ask_all()

    def __len__(self) -> int:
        return len(self.wired.order)

    @property
    def reducible(self) -> bool:
        """Whether some rule that shortens the circuit can be applied, at once or after some swaps."""
        return self._reducible > 0

    def masks(self) -> bytes:
        """Return the legal actions on each gate of the list: bit t-1 is set when action type t is legal.

        A byte a gate, so that making it takes next to nothing but the few gates that have to be asked about.
        """
        self._ask_all()
        return bytes(self.wired.marks)

    def _ask_all(self) -> None:
        wired, known = self.wired, self._reductions
        marks, order = wired.marks, wired.order
        index = marks.find(UNKNOWN)
        while index >= 0:
            bits = _SWAP if SWAP.matches(wired, index) else 0
            # No other rule can match there.
            rule = known[order[index]]
            if rule is not None and rule.matches(wired, index):
                bits |= rule.bit
            marks[index] = bits
            index = marks.find(UNKNOWN, index + 1)

    def reductions(self) -> Iterator[tuple[Rule, int]]:
        """Yield each reduction that is possible, at once or after swaps, with the index of its first gate."""
        for index, node in enumerate(self.wired.order):
            rule = self._reductions[node]
            if rule is not None:
                yield rule, index

    def play(self, rule: Rule, index: int) -> bool:
        """Apply `rule` at a list index of the circuit if it is legal there; say whether it was."""
        wired = self.wired
        mark = wired.marks[index]
        if not (rule.matches(wired, index) if mark == UNKNOWN else mark >> rule.action_type - 1 & 1):
            return False
        removed, on_wires = rule.apply(wired, index)
        if removed:
            self._ask_reductions(removed, on_wires)
        return True

    def _ask_reductions(self, removed: tuple[int, ...], on_wires: tuple[int, ...]) -> None:
        """Ask again about nodes with a new follower and about those before them: triples reach that far."""
        wired, known = self.wired, self._reductions
        gates = wired.gates
        for node in removed:
            if known[node] is not None:
                self._reducible -= 1
                known[node] = None
        for node in on_wires:
            if node < 0:
                continue
            self._ask_reduction(node)
            # A triple also looks at the follower of its middle gate, and `node` may be one.
            gate = gates[node]
            if not may_be_middle(gate):
                continue
            for outer in wired.predecessors(node):
                if outer >= 0:
                    identity = IDENTITIES[gates[outer]]
                    if identity is not None and identity.middle is gate:
                        self._ask_reduction(outer)

    def _ask_reduction(self, node: int) -> None:
        known = self._reductions
        found = reduction_at(self.wired, node)
        if known[node] is not found:
            self._reducible += (found is not None) - (known[node] is not None)
            known[node] = found
            self.wired.marks[self.wired.index(node)] = UNKNOWN
