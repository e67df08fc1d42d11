"""A circuit together with what is legal on it, kept up to date by each rewrite."""

from collections.abc import Iterator

from qrewrite.circuits import Circuit, WiredCircuit
from qrewrite.rules import IDENTITIES, RULES, Rule, reduction_at


class Position:
    """A circuit under rewriting, its legal actions and whether anything can still be reduced.

    Each rewrite asks the rules' matchers only about the few gates whose neighbours it changed, so that a step
    costs the same in a circuit of any size. The possible reductions are known after every rewrite; the masks
    of legal list actions are brought up to date when somebody asks for them.

    Attributes:
        wired: the circuit; change it through `play` only.
    """

    __slots__ = ("_masks", "_reducible", "_reductions", "_stale", "wired")

    def __init__(self, circuit: Circuit) -> None:
        self.wired = WiredCircuit(circuit)
        nodes = range(len(circuit))
        self._reductions: list[Rule | None] = [reduction_at(self.wired, node) for node in nodes]
        self._reducible = len(nodes) - self._reductions.count(None)
        self._masks = [0] * len(nodes)
        self._stale: list[int] = list(nodes)

    def __len__(self) -> int:
        return len(self.wired.order)

    @property
    def reducible(self) -> bool:
        """Whether some rule that shortens the circuit can be applied, at once or after some swaps."""
        return self._reducible > 0

    def masks(self) -> list[int]:
        """Return the legal actions on each gate of the list: bit t-1 is set when action type t is legal."""
        self._refresh_masks()
        return list(map(self._masks.__getitem__, self.wired.order))

    def reductions(self) -> Iterator[tuple[Rule, int]]:
        """Yield each reduction that is possible, at once or after swaps, with the index of its first gate."""
        for index, node in enumerate(self.wired.order):
            rule = self._reductions[node]
            if rule is not None:
                yield rule, index

    def play(self, rule: Rule, index: int) -> bool:
        """Apply `rule` at a list index of the circuit if it is legal there; say whether it was."""
        wired = self.wired
        if not rule.matches(wired, wired.order[index]):
            return False
        removed, on_wires, in_list = rule.apply(wired, index)
        if removed:
            self._ask_reductions(removed, on_wires)
        self._stale += in_list
        return True

    def _ask_reductions(self, removed: tuple[int, ...], on_wires: tuple[int, ...]) -> None:
        """Ask again about nodes with a new follower and about those before them: triples reach that far."""
        wired, known = self.wired, self._reductions
        for node in removed:
            if known[node] is not None:
                self._reducible -= 1
                known[node] = None
        for node in on_wires:
            if node < 0:
                continue
            self._ask_reduction(node)
            # A triple also looks at the follower of its middle gate, and `node` may be one.
            gate = wired.gates[node]
            for outer in wired.predecessors(node):
                if outer >= 0:
                    identity = IDENTITIES[wired.gates[outer]]
                    if identity is not None and identity.middle is gate:
                        self._ask_reduction(outer)

    def _ask_reduction(self, node: int) -> None:
        known = self._reductions
        found = reduction_at(self.wired, node)
        if known[node] is not found:
            self._reducible += (found is not None) - (known[node] is not None)
            known[node] = found
            self._stale.append(node)

    def _refresh_masks(self) -> None:
        """Ask all rules about nodes with new neighbours, and about the list neighbour before each."""
        wired, before = self.wired, self.wired.before
        for node in {*self._stale, *(before[node] for node in self._stale)}:
            if node >= 0:
                self._masks[node] = sum(rule.bit for rule in RULES.values() if rule.matches(wired, node))
        self._stale.clear()
