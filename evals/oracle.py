"""The oracle: attains the best score that the solver knows, playing as any client does."""

from typing import Any, NamedTuple

from qrewrite.circuits import Circuit
from qrewrite.solver import Plan, solve
from qrewrite.tasks import TIERS
from quantum_circuit_env.server.graders import score


class Attempt(NamedTuple):
    """What came of playing the oracle's plan.

    Attributes:
        task, seed: what the server says was played; no seed on a caller's own circuit.
        plan: what was played.
        best: the score of the plan by the solver's account, the highest on the front.
        score: the score that the server gave.
    """

    task: str
    seed: int | None
    plan: Plan
    best: float
    score: float


def best_plan(task: str, circuit: Circuit) -> tuple[Plan, float]:
    """Return the plan of the circuit's front with the highest score, and that score."""

    def scored(plan: Plan) -> float:
        return score(TIERS[task].scoring, len(circuit), plan.left, plan.identities > 0)

    best = max(solve(circuit).front, key=scored)
    return best, scored(best)


def attempt(client: Any, **arguments: Any) -> Attempt:
    """Reset with these arguments, play the best plan and return what came of it.

    Args:
        client: a blocking QuantumCircuitEnv; what it raises passes through.
        arguments: arguments of the reset, such as `task` and `seed`.
    """
    # Here and not above, since it costs the seconds of importing OpenEnv.
    from quantum_circuit_env.models import QuantumCircuitAction

    observation = client.reset(**arguments).observation
    task, seed = observation.metadata["task"], observation.metadata["seed"]
    circuit = Circuit.from_records(observation.circuit, num_qubits=observation.num_qubits)
    plan, best = best_plan(task, circuit)
    for action in plan.actions:
        observation = client.step(QuantumCircuitAction(**action._asdict())).observation
    return Attempt(task, seed, plan, best, observation.metadata["score"])
