"""T: an episode ends when nothing can be won any more, and then it is over."""

from collections import Counter
from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Final

from qrewrite.game import STEP_LIMIT, Position
from qrewrite.policies import cancel_first
from qrewrite.rules import RULES
from qrewrite.tasks import TIERS
from quantum_circuit_env.evals.audit.play import Play, Shown, gates_of
from quantum_circuit_env.evals.audit.probe import Probe, Seen, Severity
from quantum_circuit_env.evals.audit.probes.canaries import canaries_of, violated
from quantum_circuit_env.evals.audit.probes.reward import wander
from quantum_circuit_env.evals.audit.reducible import reducible
from quantum_circuit_env.evals.audit.subject import Audit, solved_on

_PUZZLES: Final = ("H 0;X 0;H 0", "Z 0;H 0;X 0;H 0;Z 0", "CNOT 0 1;CNOT 1 0;CNOT 0 1", "H 0;Y 1;X 0;Y 2;H 0")
"""Circuits in which nothing cancels and a triple can be collapsed, perhaps after swaps."""

_HOPELESS: Final = ("H 0;X 0", "CNOT 0 1;CNOT 1 0", "H 0;X 1;H 0;X 0;H 1;Y 0;Y 1", "CZ 0 1;X 0;CZ 0 1")
"""Circuits of which only the third can be reduced."""


def _done_is_final(audit: Audit) -> Seen:
    problems, ends = violated(audit, "T1"), Counter[str]()
    with audit.session() as play:
        for tier, seed in audit.tasks():
            ended = _to_the_end(play, tier, seed)
            state = play.state()
            ends[str(ended.facts["termination"])] += 1
            for target_index, action_type in product((0, len(ended.gates)), RULES):
                shown = play.step(target_index, action_type)
                if not shown.done or shown.reward != 0 or shown.gates != ended.gates or play.state() != state:
                    problems.append(f"{tier}, seed {seed}: a step after {ended.facts['termination']} counts")
    return Seen({"canaries": len(canaries_of("T1")), "ends": dict(ends)}, problems)


def _to_the_end(play: Play, tier: str, seed: int) -> Shown:
    """Play cancels first, which leads to dead ends, and return how it ends."""
    shown = play.reset(task=tier, seed=seed)
    while not shown.done and (actions := cancel_first(Position(shown.circuit), Random(seed))):
        shown = play.step(*actions[0])
    return shown


def _done_when_nothing_is_left(audit: Audit) -> Seen:
    problems, ends = [], 0
    with audit.session() as play:
        for tier, seed in audit.tasks():
            if not solved_on(play, tier, seed)[-1].done:
                problems.append(f"{tier}, seed {seed}: solved, and not done")
            for shown in wander(play, tier, seed):
                if shown.done == reducible(shown.gates):
                    problems.append(
                        f"{tier}, seed {seed}: done is {shown.done} at step {shown.facts['step']}"
                    )
                ends += shown.done
        for tier in TIERS:
            problems += [f"{tier}: {told}" for told in _wrong_at_once(play, tier)]
            problems += [f"{tier}: {told}" for told in _wrong_limit(play, tier, audit.seeds[0])]
    return Seen({"ends": ends, "step_limit": STEP_LIMIT}, problems)


def _wrong_at_once(play: Play, tier: str) -> Iterator[str]:
    """Yield what is wrong with the end of circuits that are made for it."""
    for words in (*_PUZZLES, *_HOPELESS):
        shown = play.reset(task=tier, circuit=gates_of(words), num_qubits=3)
        if shown.done == reducible(shown.gates):
            yield f"{words}: done is {shown.done} from the start"


def _wrong_limit(play: Play, tier: str, seed: int) -> Iterator[str]:
    """Yield what is wrong with an episode of nothing but refused actions: it lasts as long as may be."""
    shown = play.reset(task=tier, seed=seed)
    for step in range(1, STEP_LIMIT + 1):
        shown = play.step(len(shown.gates), 1)
        if shown.done != (step == STEP_LIMIT):
            yield f"done is {shown.done} after {step} refused actions, the limit is {STEP_LIMIT}"
            return


PROBES: Final = (
    Probe(
        "T1",
        "After the end of an episode no step is paid or changes anything.",
        ("runtime.state_contract",),
        Severity.FAIL,
        _done_is_final,
    ),
    Probe(
        "T2",
        "An episode is done exactly when nothing can be reduced even after swaps, or at the step limit.",
        ("semantic.oracle_max",),
        Severity.FAIL,
        _done_when_nothing_is_left,
    ),
)
