"""U: rewrites keep the unitary, refusals keep everything, and what the rules allow is not refused."""

import json
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import pairwise, product
from typing import Any, Final

from qrewrite.rules import RULES
from qrewrite.tasks import TIERS
from quantum_circuit_env.evals.audit.play import Play, Shown, gates_of
from quantum_circuit_env.evals.audit.probe import Probe, Seen, Severity
from quantum_circuit_env.evals.audit.probes.reward import wander
from quantum_circuit_env.evals.audit.subject import Audit, solved_on
from quantum_circuit_env.evals.audit.unitary import Gates, difference, unitary

TOLERANCE: Final = 1e-9
"""Largest difference between entries of unitaries that are equal."""

_ACCEPTED: Final = {rule.accepted.value: rule.name for rule in RULES.values()}

OFTEN_ENOUGH: Final = 5
"""How often each rule must have been tried."""

# A gate stands before each of them, so that the action is at index 1.
_PAIRS: Final = (
    *((f"Y 2;{name} 0;{name} 0", 1) for name in "HXYZ"),
    ("Y 2;CNOT 0 1;CNOT 0 1", 1),
    ("Y 2;SWAP 0 1;SWAP 1 0", 1),
    ("Y 2;CZ 0 1;CZ 1 0", 1),
    ("Y 2;CZ 1 0;X 2;CZ 1 0", 1),
    ("Y 0;X 2;H 0;Y 1;X 2", 1),
)
"""Circuits in which the gate at index 1 cancels, and the action's type."""

_IDENTITIES: Final = (
    *((f"Y {(wire + 1) % 3};H {wire};X {wire};H {wire}", 3) for wire in range(3)),
    ("Y 2;CNOT 0 1;CNOT 1 0;CNOT 0 1", 4),
    ("Y 2;CNOT 1 0;CNOT 0 1;CNOT 1 0", 4),
    ("Y 0;CNOT 2 1;CNOT 1 2;CNOT 2 1", 4),
)
"""Circuits in which three gates from index 1 on are one, and the action's type."""


def _the_unitary_is_kept(audit: Audit) -> Seen:
    problems, largest = [], 0.0
    used = dict.fromkeys(_ACCEPTED.values(), 0)
    with audit.session() as play:
        for where, trace in _traces(audit, play):
            qubits = trace[0].observation["num_qubits"]
            for previous, shown in pairwise(trace):
                if (name := _ACCEPTED.get(shown.facts["action_result"])) is not None:
                    used[name] += 1
                entries, overlap = difference(
                    *map(partial(unitary, num_qubits=qubits), _changed(previous, shown))
                )
                largest = max(largest, entries)
                if entries > TOLERANCE or overlap > TOLERANCE:
                    problems.append(f"{where}: a step changes the unitary by {entries:.3g}")
            entries, _ = difference(unitary(trace[0].gates, qubits), unitary(trace[-1].gates, qubits))
            largest = max(largest, entries)
            if entries > TOLERANCE:
                problems.append(f"{where}: the episode changes the unitary by {entries:.3g}")
    rare = {name: count for name, count in used.items() if count < OFTEN_ENOUGH}
    problems += [
        f"{name} was accepted {count} times, {OFTEN_ENOUGH} are needed" for name, count in rare.items()
    ]
    return Seen({"rewrites": used, "largest_difference": largest, "needed_of_each": OFTEN_ENOUGH}, problems)


def _changed(before: Shown, after: Shown) -> tuple[Gates, Gates]:
    """Return both circuits without the gates that they have in common at either end.

    What is left does the same exactly if the circuits do, since what is taken off can be undone.
    """
    old, new = list(before.gates), list(after.gates)
    for _ in range(2):
        while old and new and old[-1] == new[-1]:
            old.pop()
            new.pop()
        old.reverse()
        new.reverse()
    return old, new


def _traces(audit: Audit, play: Play) -> Iterator[tuple[str, list[Shown]]]:
    """Yield the best plans, walks, and each identity on circuits made for it: chance hardly meets those."""
    for tier, seed in audit.tasks():
        yield f"{tier}, seed {seed}", solved_on(play, tier, seed)
        yield f"{tier}, seed {seed}", list(wander(play, tier, seed))
    for tier, (words, action_type) in product(TIERS, _IDENTITIES):
        shown = play.reset(task=tier, circuit=gates_of(words), num_qubits=3)
        yield f"{tier}, {words}", [shown, play.step(1, action_type)]


def _kept(shown: Shown, state: Mapping[str, Any]) -> str:
    """Return as text all that is shown and no count of steps, nor what the last action came to."""
    facts = {key: value for key, value in shown.facts.items() if key not in ("step", "action_result")}
    prompt = [line for line in shown.observation["prompt"].splitlines() if not line.startswith("Steps left")]
    public = {key: value for key, value in state.items() if key != "step_count"}
    rest = {key: value for key, value in shown.observation.items() if key not in ("metadata", "prompt")}
    return json.dumps([rest, facts, prompt, public], sort_keys=True)


def _refusals_change_nothing(audit: Audit) -> Seen:
    problems, refusals = [], 0
    with audit.session() as play:
        for tier, seed in audit.tasks():
            walk = ((_kept(shown, play.state()), shown) for shown in wander(play, tier, seed))
            for (before, _), (after, shown) in pairwise(walk):
                result = shown.facts["action_result"]
                if result in _ACCEPTED:
                    continue
                refusals += 1
                if before != after:
                    problems.append(f"{tier}, seed {seed}: an action answered {result} changes the episode")
    return Seen({"refusals": refusals}, problems)


def _identities_are_accepted(audit: Audit) -> Seen:
    problems, tried = [], 0
    with audit.session() as play:
        for tier, (words, action_type) in product(TIERS, (*_PAIRS, *_IDENTITIES)):
            tried += 1
            begun = play.reset(task=tier, circuit=gates_of(words), num_qubits=3)
            shown = play.step(1, action_type)
            if len(shown.gates) != len(begun.gates) - 2:
                problems.append(f"{tier}: {words} is not reduced: {shown.facts['action_result']}")
    evidence = ["Identities of other kinds are no rules: the prompt names the four that there are."]
    return Seen({"circuits": tried}, problems, evidence)


PROBES: Final = (
    Probe(
        "U1",
        "Every accepted rewrite keeps the circuit's unitary, with every rule tried several times.",
        ("audit.unitary_preserved", "semantic.replayability"),
        Severity.FAIL,
        _the_unitary_is_kept,
    ),
    Probe(
        "U2",
        "A refused action changes nothing but the step count.",
        ("runtime.state_contract",),
        Severity.FAIL,
        _refusals_change_nothing,
    ),
    Probe(
        "U3",
        "Equal gates cancel however symmetric ones are written, and each identity is accepted in its place.",
        ("semantic.oracle_max",),
        Severity.FAIL,
        _identities_are_accepted,
    ),
)
