"""M: nothing that a client says or does to what it is given changes its grade."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import product
from math import inf, nan
from types import SimpleNamespace
from typing import Any, Final

from qrewrite.tasks import TIERS
from quantum_circuit_env.evals.audit.probe import Probe, Seen, Severity
from quantum_circuit_env.evals.audit.probes.canaries import canaries_of, violated
from quantum_circuit_env.evals.audit.subject import Audit

_HONEST: Final[Mapping[str, Any]] = {"initial_count": 20, "gate_count": 20, "used_advanced_actions": True}
_WRONG: Final = (nan, inf, -inf, "20", True, -5, [20], None, 1.0)
"""Values that no count of gates is, all of which must be worth the floor."""

_HUGE: Final = 10**400
"""More gates than any float can count."""

_NO_FLAGS: Final[tuple[object, ...]] = ("true", 1, 1.0, nan, [True], {})
"""Values that do not say that an identity has been used."""


def _claims_are_ignored(audit: Audit) -> Seen:
    return Seen({"canaries": len(canaries_of("M1"))}, violated(audit, "M1"))


def _wrong_values_are_worth_nothing(audit: Audit) -> Seen:
    problems, tried = [], 0
    for tier, grader in audit.evaluator.graders.items():
        for name, wrong in product(("initial_count", "gate_count"), _WRONG):
            forged = {**_HONEST, name: wrong}
            for episode in (forged, {"metadata": forged}, SimpleNamespace(**forged)):
                tried += 1
                given = _given(grader, episode)
                if given != TIERS[tier].scoring.floor:
                    problems.append(f"{tier}: an episode with {name} {wrong!r} is graded {given}")
        told = [*_wrong_flags(tier, grader), *_wrong_extremes(tier, grader)]
        problems += told
        tried += len(_NO_FLAGS) + 2
    evidence = [
        "A count that could be one is believed: a grader that is called with a forgery grades the forgery."
    ]
    return Seen({"forgeries": tried}, problems, evidence)


def _wrong_flags(tier: str, grader: Callable[[object], float]) -> Iterator[str]:
    honest = {"initial_count": 20, "gate_count": 10, "used_advanced_actions": False}
    right = _given(grader, honest)
    for wrong in _NO_FLAGS:
        if (given := _given(grader, {**honest, "used_advanced_actions": wrong})) != right:
            yield f"{tier}: used_advanced_actions {wrong!r} is graded {given}, not {right}"


def _wrong_extremes(tier: str, grader: Callable[[object], float]) -> Iterator[str]:
    scoring = TIERS[tier].scoring
    if (given := _given(grader, {**_HONEST, "gate_count": _HUGE})) != scoring.floor:
        yield f"{tier}: more gates than there were are graded {given}"
    given = _given(grader, {**_HONEST, "initial_count": _HUGE})
    if not (type(given) is float and scoring.floor <= given <= scoring.ceiling):
        yield f"{tier}: an absurd number of gates is graded {given}"


def _given(grader: Callable[[object], float], episode: object) -> float | str:
    """Return the grade, or the name of the exception that there is in its place."""
    try:
        return grader(episode)
    except (TypeError, ValueError, ArithmeticError, AttributeError, LookupError) as error:
        return type(error).__name__


def _returned_objects_are_copies(audit: Audit) -> Seen:
    if not audit.evaluator.in_process:
        return Seen(reason="a client over the wire gets JSON of its own")
    problems = []
    with audit.session() as play:
        for tier in TIERS:
            shown = play.reset(task=tier, seed=audit.seeds[0])
            honest, gates = dict(play.state()), shown.gates
            # What a reset has returned, and then what a step has.
            for _ in range(2):
                _spoil(shown.observation)
                shown = play.step(len(gates), 1)
                state = dict(play.state())
                if shown.gates != gates:
                    problems.append(f"{tier}: writing into an observation changes the circuit")
                if (state["score"], state["gate_count"]) != (honest["score"], honest["gate_count"]):
                    problems.append(f"{tier}: writing into an observation changes the grade")
            with audit.session() as other:
                if other.reset(task=tier, seed=audit.seeds[0]).gates != gates:
                    problems.append(f"{tier}: writing into an observation changes other sessions' circuits")
    return Seen({"tiers": len(TIERS)}, problems)


def _spoil(observation: Any) -> None:
    """Write into whatever an observation lets one write into."""
    with suppress(TypeError, AttributeError):
        observation["circuit"][0]["target_qubits"].append(0)
    with suppress(TypeError, AttributeError):
        observation["circuit"][0]["name"] = "I"
    with suppress(TypeError, AttributeError):
        del observation["circuit"][1:]
    with suppress(TypeError, AttributeError):
        observation["metadata"].update(score=0.99, initial_count=10**6, used_advanced_actions=True)


PROBES: Final = (
    Probe(
        "M1",
        "The served grade comes from the server's own state, whatever a client claims.",
        ("runtime.oracle_containment", "semantic.verifier_determinism"),
        Severity.FAIL,
        _claims_are_ignored,
    ),
    Probe(
        "M2",
        "NaN, infinities, text, booleans and absurd numbers in graded fields are worth the floor.",
        ("runtime.reward_well_formed",),
        Severity.FAIL,
        _wrong_values_are_worth_nothing,
    ),
    Probe(
        "M3",
        "Writing into what the environment has returned does not change the episode.",
        ("runtime.episode_isolation",),
        Severity.FAIL,
        _returned_objects_are_copies,
    ),
)
