"""Placeholder."""
from random import Random

from qrewrite.circuits import GATES, Circuit, Gate
from qrewrite.tasks.tiers import check_seed, tier_of


def generate(task: str, seed: int) -> Circuit:
    """Return the circuit of (task, seed)."""
    tier = tier_of(task, check_seed(seed))
    r = Random(f"{tier.name}/{seed}")
    g = []
    names = ["H", "X", "Z", *tier.two_qubit_gates]
    while len(g) < tier.gate_count - 3:
        name = r.choice(names)
        gate = Gate(name, r.sample(range(tier.num_qubits), GATES[name].arity))
        k = r.randint(0, len(g))
        g[k:k] = [gate, gate] if len(g) < tier.gate_count - 4 else [gate]
    g[:0] = [Gate("H", (0,)), Gate("X", (0,)), Gate("H", (0,))]
    return Circuit.of(tier.num_qubits, g)
