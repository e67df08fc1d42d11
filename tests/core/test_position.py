"""What a position keeps up to date, against the naive rules and against a position made afresh."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import support.profiles  # noqa: F401
from qrewrite.circuits import Circuit
from qrewrite.game import Position
from qrewrite.rules import RULES
from qrewrite.tasks import TIERS, generate
from support import naive_rules, naive_traces
from support.circuits import circuits, grown_circuit, plain, random_circuit


def reductions(position: Position) -> list[tuple[int, int]]:
    return [(rule.action_type, index) for rule, index in position.reductions()]


def check(position: Position, gates: naive_rules.Gates, *, masks: bool) -> None:
    afresh = Position(position.wired.circuit())
    assert plain(position.wired.circuit()) == gates
    assert reductions(position) == reductions(afresh) == naive_traces.reductions(gates)
    assert position.reducible == afresh.reducible == bool(naive_traces.reductions(gates))
    assert len(position) == len(gates)
    if masks:
        assert position.masks() == afresh.masks() == bytes(naive_rules.masks(gates))


def play(position: Position, gates: naive_rules.Gates, action_type: int, index: int) -> naive_rules.Gates:
    accepted = naive_rules.answer(gates, action_type, index) == naive_rules.OK
    assert position.play(RULES[action_type], index) == accepted
    return naive_rules.rewrite(gates, action_type, index) if accepted else gates


@given(circuits(max_words=12), st.lists(st.tuples(st.booleans(), st.integers(0, 10**6)), max_size=40))
def test_all_is_up_to_date_after_any_play(circuit: Circuit, choices: list[tuple[bool, int]]) -> None:
    position, gates = Position(circuit), plain(circuit)
    check(position, gates, masks=True)
    for look, number in choices:
        legal = list(naive_rules.legal_actions(gates))
        if not legal:
            break
        gates = play(position, gates, *legal[number % len(legal)])
        check(position, gates, masks=look)  # masks nobody looked at are brought up to date later


def check_play(circuit: Circuit, rng: Random, *, longest: int, swaps: float) -> None:
    """Play legal actions at random, the given share of them swaps, and check after each."""
    position, gates = Position(circuit), plain(circuit)
    for _ in range(longest):
        legal = list(naive_rules.legal_actions(gates))
        kinds = [[a for a in legal if a[0] == 2], [a for a in legal if a[0] != 2]]
        wanted = kinds[rng.random() >= swaps] or legal
        if not wanted:
            break
        gates = play(position, gates, *rng.choice(wanted))
        check(position, gates, masks=rng.random() < 0.7)


@pytest.mark.parametrize("task", TIERS)
@pytest.mark.parametrize("seed", range(4))
def test_all_is_up_to_date_while_a_task_is_played(task: str, seed: int) -> None:
    check_play(generate(task, seed), Random(f"{task}/{seed}"), longest=60, swaps=0.6)


@pytest.mark.parametrize(("num_qubits", "size"), [(1, 60), (2, 60), (3, 80), (8, 100), (64, 150)])
def test_all_is_up_to_date_on_random_circuits(num_qubits: int, size: int) -> None:
    rng = Random(f"position/{num_qubits}")
    for swaps in (0.2, 0.8):
        check_play(random_circuit(rng, num_qubits, size), rng, longest=40, swaps=swaps)


def test_all_is_up_to_date_on_circuits_that_are_stored_as_large_ones_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in ("qrewrite.circuits.wires", "qrewrite.game.position"):
        monkeypatch.setattr(f"{module}.LARGE", 0)
    rng = Random("position/large")
    for swaps in (0.2, 0.8):
        check_play(grown_circuit(rng, 4, 25), rng, longest=40, swaps=swaps)


@pytest.mark.parametrize(("num_qubits", "words"), [(1, 10), (2, 12), (2, 20), (3, 20), (4, 25), (6, 30)])
def test_all_is_up_to_date_on_circuits_rich_in_reductions(num_qubits: int, words: int) -> None:
    rng = Random(f"position/{num_qubits}/{words}")
    for swaps in (0.0, 0.5) * 8:
        check_play(grown_circuit(rng, num_qubits, words), rng, longest=40, swaps=swaps)
