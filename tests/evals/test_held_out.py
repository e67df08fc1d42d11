"""The half of the training example that needs no PyTorch: its features, and its report on held-out seeds."""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from qrewrite.circuits import GATES, Circuit
from qrewrite.policies import cancel_first
from qrewrite.tasks import SPLITS, TIERS, generate
from quantum_circuit_env.evals.optima import best_known
from quantum_circuit_env.gymnasium_envs.layout import layout_of
from quantum_circuit_env.server.graders import score

EXAMPLES = Path(__file__).parents[2] / "examples"
SEEDS = SPLITS["validation"].seeds[:12]
NAMES = list(GATES)


@pytest.fixture(scope="module")
def held_out() -> ModuleType:
    return example("held_out")


def example(name: str) -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(EXAMPLES), *sys.path])
        return import_module(name)


def test_choices_are_played_to_the_end_and_graded(held_out: ModuleType) -> None:
    """The lowest legal cancel, and where there is none what is illegal, up to the limit."""

    def choose(observations: dict[str, Any], masks: Any) -> Any:
        assert set(observations) == {"gates", "episode"}
        cancels = masks & (np.arange(masks.shape[1]) % 4 == 0)
        return np.where(cancels.any(axis=1), cancels.argmax(axis=1), masks.shape[1] - 1)

    chosen = held_out.by_choice("easy", SEEDS, choose)
    for seed, result in zip(SEEDS, chosen, strict=True):
        circuit = Circuit.of(2, cancelled(list(generate("easy", seed).gates)))
        assert result.left == len(circuit)
        assert result.grade == score(TIERS["easy"].scoring, 20, len(circuit), False)
        assert result.steps in ((20 - len(circuit)) // 2, 150)
    played = held_out.by_policy("easy", SEEDS, cancel_first)
    assert all(mine.left <= theirs.left for mine, theirs in zip(played, chosen, strict=True))


def cancelled(gates: list[Any]) -> list[Any]:
    """Cancel on each wire, as one does with brackets."""
    kept = []
    for qubit in range(2):
        word: list[Any] = []
        for gate in gates:
            if gate.qubits == (qubit,):
                if word and word[-1] == gate:
                    word.pop()
                else:
                    word.append(gate)
        kept += word
    return kept


def test_the_report_has_means_with_intervals_and_what_the_first_is_ahead_by(held_out: ModuleType) -> None:
    best = [best_known("easy", seed).left for seed in SEEDS]
    ideal = [held_out.Result((20 - left) / 20, left, 9) for left in best]
    worst = [held_out.Result(0.01, 20, 150) for _ in SEEDS]
    head, _, first, second = held_out.report("easy", SEEDS, {"ideal": ideal, "worst": worst}).splitlines()
    assert head.startswith(f"| easy, 12 seeds {SEEDS[0]}–{SEEDS[-1]} | grade | normalised score |")
    grade = sum(result.grade for result in ideal) / 12
    assert first.startswith(f"| ideal | {grade:.3f} [")
    assert first.endswith("| 1.000 [1.000, 1.000] | 100.0% | 9.0 |  |")
    assert second == (
        "| worst | 0.010 [0.010, 0.010] | 0.000 [0.000, 0.000] | 0.0% | 150.0 | 1.000 [1.000, 1.000] |"
    )


@pytest.mark.parametrize("task", TIERS)
def test_windows_show_the_neighbours_on_the_wires(task: str) -> None:
    wires, reach = (2 if TIERS[task].two_qubit_gates else 1), 2
    module = example("wire_windows")
    circuits = [generate(task, seed) for seed in range(4)]
    layout = layout_of(task)
    lists = np.stack([layout.encode(circuit) for circuit in circuits])
    gates = layout.observe(lists, np.zeros(4, int), np.zeros(4, bool))["gates"]
    found = module.windows(gates, reach=reach, wires=wires)
    assert found.shape == (4, layout.rows, module.width(reach=reach, wires=wires))
    assert found.dtype == np.uint8
    for circuit, rows in zip(circuits, found.tolist(), strict=True):
        for index, row in enumerate(rows):
            assert row == expected(circuit, index, reach, wires)


def expected(circuit: Circuit, index: int, reach: int, wires: int) -> list[int]:
    own = circuit.gates[index]
    features = [int(name == own.name) for name in NAMES]
    for wire in range(wires):
        for step in (1, -1):
            before, at = index, index + step
            for _ in range(reach):
                while wire < len(own.qubits) and 0 <= at < len(circuit):
                    if own.qubits[wire] in circuit.gates[at].qubits:
                        break
                    at += step
                there = wire < len(own.qubits) and 0 <= at < len(circuit)
                gate = circuit.gates[at] if there else None
                features += [int(gate is not None and name == gate.name) for name in NAMES]
                if wires == 2:
                    for place in range(2):
                        for mine in range(2):
                            pair = gate is not None and len(gate.qubits) > place and len(own.qubits) > mine
                            features.append(int(pair and gate.qubits[place] == own.qubits[mine]))  # type: ignore[union-attr]
                features.append(min(abs(at - before) - 1, 3) if there else 0)
                before, at = at, at + step
    return features
