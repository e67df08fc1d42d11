"""Each rule, matcher and applier, against the same rule written on plain lists."""

from itertools import product
from random import Random

import pytest
from hypothesis import given

import support.profiles  # noqa: F401
from qrewrite.circuits import Circuit, Gate, WiredCircuit, same_action
from qrewrite.rules import IDENTITIES, INVALID_REWARD, RULES, ActionResult, Rule, reduction_at
from support import naive_rules, naive_traces
from support.circuits import alphabet, circuits, plain, random_circuit
from support.unitary import same_unitary

every_rule = pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.name)


def check_against_lists(rule: Rule, circuit: Circuit) -> int:
    """Try the rule at every index; return where it matched."""
    gates, legal = plain(circuit), 0
    for index in range(len(gates)):
        wired = WiredCircuit(circuit)
        matches = rule.matches(wired, index)
        assert matches == (naive_rules.answer(gates, rule.action_type, index) == naive_rules.OK)
        assert wired.circuit() == circuit  # a matcher changes nothing
        if not matches:
            continue
        legal += 1
        rule.apply(wired, index)
        after = wired.circuit()
        assert plain(after) == naive_rules.rewrite(gates, rule.action_type, index)
        assert len(after) == len(circuit) - rule.removes
        assert same_action(circuit, after)
        assert circuit.num_qubits > 6 or same_unitary(circuit, after)
    return legal


@every_rule
@given(circuit=circuits())
def test_rules_are_those_of_the_table(rule: Rule, circuit: Circuit) -> None:
    check_against_lists(rule, circuit)


@every_rule
def test_rules_on_all_short_circuits_are_those_of_the_table(rule: Rule) -> None:
    found = sum(
        check_against_lists(rule, Circuit(2, gates))
        for size in range(4)
        for gates in product(alphabet(2), repeat=size)
    )
    assert found > 0


@pytest.mark.parametrize(("num_qubits", "size"), [(3, 40), (6, 70), (64, 200)])
@every_rule
def test_rules_on_long_circuits_are_those_of_the_table(rule: Rule, num_qubits: int, size: int) -> None:
    rng = Random(f"rules/{num_qubits}")
    for _ in range(3):
        check_against_lists(rule, random_circuit(rng, num_qubits, size))


@given(circuits(max_words=12))
def test_reductions_are_those_of_the_table_reachable_by_swaps(circuit: Circuit) -> None:
    wired = WiredCircuit(circuit)
    found = [(reduction_at(wired, node), node) for node in wired.order]
    expected = naive_traces.reductions(plain(circuit))
    assert [(rule.action_type, node) for rule, node in found if rule is not None] == expected


@every_rule
def test_rules_say_and_pay_what_the_table_says(rule: Rule) -> None:
    assert RULES[rule.action_type] is rule
    assert rule.reward == naive_rules.REWARDS[rule.action_type]
    assert rule.accepted == naive_rules.ACCEPTED[rule.action_type]
    assert rule.refused == naive_rules.REFUSALS[rule.action_type]
    assert rule.advanced == (rule.action_type in (3, 4))
    assert rule.removes == (0 if rule.action_type == 2 else 2)
    assert rule.bit == 2 ** (rule.action_type - 1)


def test_there_are_four_rules_and_a_closed_set_of_results() -> None:
    assert list(RULES) == [1, 2, 3, 4]
    assert INVALID_REWARD == naive_rules.INVALID_REWARD
    answers = {*naive_rules.ACCEPTED.values(), *naive_rules.REFUSALS.values()}
    assert {*ActionResult} == answers | {"reset", "invalid_index", "episode_over"}


@pytest.mark.parametrize("outer", alphabet(3), ids=str)
def test_identities_are_true_and_begin_with_h_or_cnot_only(outer: Gate) -> None:
    identity = IDENTITIES[outer]
    assert (identity is not None) == (outer.name in ("H", "CNOT"))
    if identity is not None:
        triple, product_ = Circuit(3, (outer, identity.middle, outer)), Circuit(3, (identity.product,))
        assert same_action(triple, product_)
        assert same_unitary(triple, product_)
