"""The solver's plans and bounds on generated circuits, and on circuits that are too large for it."""

from random import Random

import pytest
from hypothesis import given

from qrewrite.circuits import Circuit, Gate
from qrewrite.game import Episode, Position
from qrewrite.game.gather import actions_for
from qrewrite.policies import play, random_order
from qrewrite.rules import RULES
from qrewrite.solver import Plan, Solution, bound_without_swaps, choices_that_matter, solve
from qrewrite.solver.relaxation import SearchLimitError, possible_events
from qrewrite.solver.search import nodes_of
from qrewrite.tasks import TIERS, generate
from support.circuits import circuits


def check_plan(circuit: Circuit, plan: Plan) -> None:
    """Play it: every action is legal and the numbers are those of the play."""
    episode, total, best = Episode(circuit), 0.0, 0.0
    for action in plan.actions:
        rule = RULES[action.action_type]
        assert episode.position.play(rule, action.target_index)
        total += rule.reward
        best = max(best, total)
    types = [action.action_type for action in plan.actions]
    assert len(episode.position) == plan.left
    assert types.count(2) == plan.swaps
    assert types.count(3) + types.count(4) == plan.identities
    if len(types) <= 150:
        assert plan.best_return == pytest.approx(best)


def check_front(solution: Solution) -> None:
    lefts = [plan.left for plan in solution.front]
    used = [plan.identities for plan in solution.front]
    assert lefts == sorted(set(lefts))
    assert used == sorted(set(used))
    assert solution.left == lefts[0]


@pytest.mark.parametrize("task", TIERS)
@pytest.mark.parametrize("seed", range(8))
def test_plans_of_generated_circuits(task: str, seed: int) -> None:
    circuit = generate(task, seed)
    solution = solve(circuit)
    assert solution.proved
    check_front(solution)
    for plan in solution.front:
        check_plan(circuit, plan)
        assert len(plan.actions) <= 150


@given(circuits())
def test_plans_of_any_circuit(circuit: Circuit) -> None:
    solution = solve(circuit)
    check_front(solution)
    for plan in solution.front:
        check_plan(circuit, plan)
    assert solution.proved


@given(circuits())
def test_the_order_of_the_list_does_not_matter(circuit: Circuit) -> None:
    swapped = Position(circuit)
    rng = Random(len(circuit))
    for _ in range(3 * len(circuit)):
        swapped.play(RULES[2], rng.randrange(len(circuit)))
    before, after = solve(circuit), solve(swapped.wired.circuit())
    assert [(plan.left, plan.identities) for plan in before.front] == [
        (plan.left, plan.identities) for plan in after.front
    ]


@given(circuits())
def test_whatever_play_does_was_foreseen_as_possible(circuit: Circuit) -> None:
    """The split into parts rests on it: no reduction ever joins two parts."""
    foreseen = [event.within for event in possible_events(circuit.gates)]
    rng = Random(len(circuit))
    for _ in range(5):
        position = Position(circuit)
        while found := list(position.reductions()):
            rule, index = found[int(rng.random() * len(found))]
            nodes = set(nodes_of(position.wired, rule, position.wired.order[index]))
            assert any(nodes <= within for within in foreseen)
            for action in actions_for(position, rule, index):
                position.play(RULES[action.action_type], action.target_index)


@pytest.mark.parametrize("seed", range(20))
def test_no_random_play_gets_below_the_optimum(seed: int) -> None:
    for task in TIERS:
        circuit = generate(task, seed)
        episode = Episode(circuit)
        play(episode, random_order, Random(seed))
        assert episode.gate_count >= solve(circuit).left >= 0


def test_a_hasty_search_gives_a_bound_and_a_plan() -> None:
    proved = 0
    for seed in range(10):
        circuit = generate("hard", seed)
        optimum, hasty = solve(circuit), solve(circuit, max_effort=30)
        assert hasty.bound <= optimum.left <= hasty.left
        check_plan(circuit, hasty.best)
        proved += hasty.proved
    assert proved < 10


@pytest.mark.parametrize(("size", "qubits"), [(400, 6), (900, 8), (2_500, 64)])
def test_large_circuits(size: int, qubits: int) -> None:
    rng = Random(size)
    gates: list[Gate] = []
    while len(gates) < size:
        place = rng.randrange(len(gates) + 1)
        gates[place:place] = 2 * [
            Gate(*rng.choice([("H", [rng.randrange(qubits)]), ("CZ", [0, 1]), ("X", [0])]))
        ]
    circuit = Circuit.of(qubits, gates)
    solution = solve(circuit, max_effort=2_000)
    assert 0 <= solution.bound <= solution.left < size
    check_plan(circuit, solution.best)


@pytest.mark.parametrize(
    ("letters", "size", "swapless_bound"),
    [(("H 0",), 150, 0), (("H 0",), 151, 1), (("CNOT 0 1", "CNOT 1 0"), 110, 0)],
)
def test_long_words_on_few_wires_are_bounded(
    letters: tuple[str, ...], size: int, swapless_bound: int
) -> None:
    """They have more possible reductions than could be listed: a beam and the parity must do."""
    rng = Random(size)
    circuit = Circuit.parse(";".join(rng.choices(letters, k=size)), num_qubits=2)
    with pytest.raises(SearchLimitError):
        possible_events(circuit.gates)
    solution = solve(circuit)
    assert solution.bound <= solution.left < size / 2
    assert solution.bound % 2 == size % 2
    check_plan(circuit, solution.best)
    assert bound_without_swaps(circuit.gates) == swapless_bound


@pytest.mark.parametrize("text", ["", "X 0", "X 0; Y 0"])
def test_nothing_to_do(text: str) -> None:
    circuit = Circuit.parse(text, num_qubits=1)
    solution = solve(circuit)
    assert (solution.left, solution.bound, solution.best.actions) == (len(circuit), len(circuit), ())
    assert solution.best_return == 0.0


def test_choices_that_matter() -> None:
    plain = Circuit.parse("X 0; X 0; Y 1; Y 1", num_qubits=2)
    assert choices_that_matter(plain, solve(plain)) == (0, 2)
    trap = Circuit.parse("H 0; H 0; X 0; H 0; Z 0", num_qubits=1)
    assert solve(trap).left == 1
    assert choices_that_matter(trap, solve(trap)) == (1, 2)


def test_a_triple_around_a_gate_that_stays_needs_swaps() -> None:
    apart = Circuit.parse("H 0; Y 1; X 0; H 0", num_qubits=2)
    assert solve(apart).left == 2
    assert bound_without_swaps(apart.gates) == 4
    together = Circuit.parse("H 0; X 0; H 0; Y 1", num_qubits=2)
    assert bound_without_swaps(together.gates) <= solve(together).left == 2
