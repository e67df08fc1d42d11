"""F: doing nothing of use is worth the floor, whoever does it and at whatever moment it is asked."""

from collections import Counter
from collections.abc import Iterator
from itertools import cycle
from statistics import mean
from typing import Final

from qrewrite.tasks import TIERS
from quantum_circuit_env.agents.agent import Decision
from quantum_circuit_env.agents.agent import Seen as Asked
from quantum_circuit_env.agents.replies import Reply
from quantum_circuit_env.agents.vocabulary import ErrorClass
from quantum_circuit_env.evals.audit.evaluator import Evaluator
from quantum_circuit_env.evals.audit.probe import Probe, Seen, Severity
from quantum_circuit_env.evals.audit.probes.canaries import canaries_of, violated
from quantum_circuit_env.evals.audit.subject import TURNS, Audit, best_plan, play_with, solved_on
from quantum_circuit_env.evals.stats import SeedBootstrap

MARGIN: Final = 0.5
"""The floor margin that `openenv.yaml` declares."""

HEADROOM: Final = 0.25
"""By how much chance must stay behind the best play, as a mean over seeds."""

WORTHLESS: Final = ("invalid-spam", "swap-loop")
"""Agents that are of no use on any circuit; blind cancelling has canaries of its own."""


_NO_EPISODES: Final[tuple[object, ...]] = (
    None,
    {},
    {"initial_count": 0, "gate_count": 0},
    {"initial_count": 20, "gate_count": 20},
)
"""What a grader may be called with when nothing has been played."""


def _null_is_at_the_floor(audit: Audit) -> Seen:
    problems, margin = [], 1.0
    for tier in TIERS:
        floor = TIERS[tier].scoring.floor
        problems += [
            f"{tier}, seed {played.seed}: an agent that does nothing is graded {played.score}"
            for played in audit.panel("null", turns=TURNS, tier=tier)
            if played.score != floor
        ]
    with audit.session() as play:
        for tier, seed in audit.tasks():
            begun, *_, ended = solved_on(play, tier, seed)
            margin = min(margin, ended.score - begun.score)
    if margin < MARGIN:
        problems.append(f"the best play is graded only {margin:.3f} above doing nothing")
    return Seen({"smallest_margin": round(margin, 4), "declared_margin": MARGIN}, problems)


def _no_grade_without_a_game(audit: Audit) -> Seen:
    problems = []
    with audit.session() as play:
        if (score := play.state()["score"]) is not None:
            problems.append(f"before the first reset the score is {score}")
        if play.refused({"type": "step", "data": {"target_index": 0, "action_type": 1}}) is None:
            problems.append("a step before the first reset is played")
        if (score := play.state()["score"]) is not None:
            problems.append(f"after a step before the first reset the score is {score}")
        for tier, seed in audit.tasks():
            floor = TIERS[tier].scoring.floor
            first, told = play.reset(task=tier, seed=seed).score, play.state()["score"]
            empty = play.reset(task=tier, circuit=[], num_qubits=1).score
            if (first, told, empty) != (floor, floor, floor):
                what = f"before the first step {first}, in the state {told}, on an empty circuit {empty}"
                problems.append(f"{tier}, seed {seed}: {what}")
    for tier, grader in audit.evaluator.graders.items():
        problems += [
            f"the grader of {tier} gives {given} for {cold!r}"
            for cold in _NO_EPISODES
            if (given := grader(cold)) != TIERS[tier].scoring.floor
        ]
    return Seen({"tasks": len(TIERS) * len(audit.seeds), "cold_calls": len(_NO_EPISODES)}, problems)


def _worthless_play_is_at_the_floor(audit: Audit) -> Seen:
    problems, episodes = violated(audit, "F3"), 0
    for agent in WORTHLESS:
        for tier in TIERS:
            for played in audit.panel(agent, turns=TURNS, tier=tier):
                episodes += 1
                if played.score != TIERS[tier].scoring.floor or played.total > 0:
                    problems.append(f"{agent} on {tier}, seed {played.seed}: {played.score}, {played.total}")
    return Seen({"episodes": episodes, "canaries": len(canaries_of("F3"))}, problems)


class _Babbler:
    """A language model whose replies are no actions."""

    name = "garbage"

    def __init__(self, evaluator: Evaluator, replies: Iterator[str]) -> None:
        self._evaluator = evaluator
        self._replies = replies

    def decide(self, _seen: Asked) -> Decision:
        """Read the next reply as the harness reads it."""
        return self._evaluator.read_reply(Reply(next(self._replies)))


def _garbage_is_at_the_floor(audit: Audit) -> Seen:
    problems, turns = violated(audit, "F4"), 0
    classes: Counter[ErrorClass | None] = Counter()
    texts = {text: kind for canary in canaries_of("F4") for text, kind in canary.replies}
    for text, kind in texts.items():
        if (decision := audit.evaluator.read_reply(Reply(text))).error != kind:
            problems.append(f"the reply {text!r} is read as {decision.action or decision.error}")
    babbler = _Babbler(audit.evaluator, cycle(texts))
    with audit.session() as play:
        for tier, seed in audit.tasks():
            record = play_with(play, babbler, tier, seed, TURNS)
            turns += len(record.turns)
            classes += Counter(turn.decision.error for turn in record.turns)
            if record.score != TIERS[tier].scoring.floor:
                problems.append(f"{tier}, seed {seed}: garbage is graded {record.score}")
            if any(turn.reward > -0.1 for turn in record.turns):
                problems.append(f"{tier}, seed {seed}: a garbage reply is played as a legal action")
            if None in classes:
                problems.append(f"{tier}, seed {seed}: a garbage reply has no error class")
    return Seen({"turns": turns, "replies": len(texts), "classes": _named(classes)}, problems)


def _named(classes: Counter[ErrorClass | None]) -> dict[str, int]:
    return {str(kind): count for kind, count in sorted(classes.items(), key=str)}


def _chance_is_reported(audit: Audit) -> Seen:
    problems, measured = [], {}
    if "uniform" not in audit.evaluator.baselines:
        problems.append("comparisons do not ask for uniform random play")
    for tier in TIERS:
        scores = [played.score for played in audit.panel("uniform", turns=TURNS, tier=tier)]
        interval = SeedBootstrap(len(scores)).mean([[score] for score in scores]).interval
        chance, best = mean(scores), _ceiling(audit, tier)
        bounds = None if interval is None else [round(interval.low, 4), round(interval.high, 4)]
        if bounds is None:
            problems.append(f"{tier}: chance has no interval")
        measured[tier] = {"chance": round(chance, 4), "interval": bounds, "best": round(best, 4)}
        if chance >= best - HEADROOM:
            problems.append(f"{tier}: chance is graded {chance:.3f}, the best play {best:.3f}")
    return Seen(measured, problems)


def _ceiling(audit: Audit, tier: str) -> float:
    """Return the mean of the best grades of a tier."""
    with audit.session() as play:
        return mean(best_plan(tier, play.reset(task=tier, seed=seed).circuit)[1] for seed in audit.seeds)


PROBES: Final = (
    Probe(
        "F1",
        "An agent that does nothing is graded the floor exactly, and the best grade is well above it.",
        ("semantic.floor_gap",),
        Severity.FAIL,
        _null_is_at_the_floor,
    ),
    Probe(
        "F2",
        "There is no grade before a reset, and none above the floor before a step or without a circuit.",
        ("semantic.floor_gap",),
        Severity.FAIL,
        _no_grade_without_a_game,
    ),
    Probe(
        "F3",
        "Invalid spam, a loop of swaps and blind cancelling are graded the floor and paid nothing.",
        ("semantic.canary_floor",),
        Severity.FAIL,
        _worthless_play_is_at_the_floor,
    ),
    Probe(
        "F4",
        "Replies that are no action are classed, never played as another one, and graded the floor.",
        ("semantic.canary_floor", "statistical.adversarial_floor"),
        Severity.FAIL,
        _garbage_is_at_the_floor,
    ),
    Probe(
        "F5",
        "Comparisons ask for uniform random play; its grade, with an interval, is far from the best.",
        ("statistical.headroom",),
        Severity.WARN,
        _chance_is_reported,
    ),
)
