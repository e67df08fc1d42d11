"""D: a seed is one episode, everywhere and always, and nothing else is a seed."""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, Final

from qrewrite.tasks import MAX_SEED, TIERS
from quantum_circuit_env.evals.audit.calls import OUTSIDE, modules_called
from quantum_circuit_env.evals.audit.elsewhere import (
    TRACED,
    cut_off_grades,
    other_pythons,
    traces_elsewhere,
)
from quantum_circuit_env.evals.audit.play import Play, Shown
from quantum_circuit_env.evals.audit.probe import Probe, Seen, Severity
from quantum_circuit_env.evals.audit.probes.reward import wander
from quantum_circuit_env.evals.audit.subject import Audit, best_plan
from quantum_circuit_env.server.graders import GRADERS

GOLDEN: Final = {"1.0.0": "8e931ca8132868d8"}
"""Game version → digest of the traces of GOLDEN_SEEDS; another one is pinned with each new version."""

GOLDEN_SEEDS: Final = range(5)

_HASH_SEEDS: Final = ("0", "1", "12345")
_GRADINGS: Final = 100

_NO_SEEDS: Final = ("-7", "-1", str(MAX_SEED + 1), "1.0", "true", "NaN", "1e400", '"abc"', '"1"', "[1]", "{}")
"""JSON of what is no seed."""

_SEEDS: Final = (0, 1, 2, 7, 7 + 2**16, 7 + 2**31, MAX_SEED - 1, MAX_SEED)
"""Seeds that must be told apart, also by who keeps some of their bits only."""


def traces(play: Play, seeds: Sequence[int]) -> list[str]:
    """Return the digest of each seed's trace on each tier, as `elsewhere` makes them in other processes."""
    return [
        sha256("\n".join(_trace(play, tier, seed)).encode()).hexdigest()[:16]
        for tier in TIERS
        for seed in seeds
    ]


def _trace(play: Play, tier: str, seed: int) -> Iterator[str]:
    shown = play.reset(task=tier, seed=seed)
    yield str(shown.circuit)
    for step in range(TRACED):
        if shown.done:
            break
        shown = play.step(7 * step % (len(shown.gates) + 1), 1 + step % 4)
        yield f"{shown.reward!r} {shown.facts['action_result']} {len(shown.gates)}"
    yield str(shown.circuit)


def _traced_seeds(audit: Audit) -> tuple[int, ...]:
    return (*GOLDEN_SEEDS, *audit.seeds[:5])


def _served(audit: Audit) -> tuple[list[str], str]:
    """Return the traces of a new session and the version of the game that it plays."""
    with audit.session() as play:
        return traces(play, _traced_seeds(audit)), play.reset().facts["game_version"]


def _same_in_every_process(audit: Audit) -> Seen:
    problems = []
    seeds = _traced_seeds(audit)
    (served, version), (again, _) = _served(audit), _served(audit)
    if served != again:
        problems.append("two sessions show other episodes for the same seeds")
    for hash_seed in _HASH_SEEDS:
        problems += _differences(served, traces_elsewhere(seeds, hash_seed=hash_seed), seeds, hash_seed)
    with audit.session() as play:
        digest = sha256("".join(traces(play, GOLDEN_SEEDS)).encode()).hexdigest()[:16]
    if GOLDEN.get(version) != digest:
        problems.append(
            f"the episodes of version {version} have the digest {digest}, not {GOLDEN.get(version)}"
        )
    measured = {
        "episodes": len(served),
        "hash_seeds": list(_HASH_SEEDS),
        "golden": digest,
        "version": version,
    }
    return Seen(measured, problems)


def _differences(served: list[str], made: list[str], seeds: Sequence[int], hash_seed: str) -> Iterator[str]:
    tasks = [(tier, seed) for tier in TIERS for seed in seeds]
    differing = [task for task, one, other in zip(tasks, served, made, strict=True) if one != other]
    if differing:
        tier, seed = differing[0]
        what = f"{len(differing)} other episodes, first {tier}, seed {seed}"
        yield f"a process with PYTHONHASHSEED={hash_seed} plays {what}"


def _same_under_every_python(audit: Audit) -> Seen:
    seeds = _traced_seeds(audit)
    served, _ = _served(audit)
    pythons = other_pythons()
    problems = [
        f"Python {version} plays other episodes"
        for version, executable in pythons.items()
        if traces_elsewhere(seeds, python=executable) != served
    ]
    if traces_elsewhere(seeds) != served:
        problems.append("this Python plays other episodes in a process of its own")
    reason = None if pythons else "no other Python that is supported is on this machine"
    return Seen({"pythons": sorted(pythons), "episodes": len(served)}, problems, reason=reason)


def _only_seeds_are_seeds(audit: Audit) -> Seen:
    problems = []
    with audit.session() as play:
        for tier in TIERS:
            for text in _NO_SEEDS:
                frame = f'{{"type": "reset", "data": {{"task": "{tier}", "seed": {text}}}}}'
                if play.refused(frame) is None:
                    problems.append(f"{tier}: {text} is taken for a seed")
            circuits = {play.reset(task=tier, seed=seed).gates for seed in _SEEDS}
            if len(circuits) < len(_SEEDS):
                problems.append(f"{tier}: two of the seeds {_SEEDS} are one circuit")
    return Seen({"refused": len(_NO_SEEDS), "told_apart": len(_SEEDS)}, problems)


def _the_reported_seed_is_the_one(audit: Audit) -> Seen:
    problems, drawn = [], []
    own: list[dict[str, Any]] = [{"task": tier, "seed": 5} for tier in TIERS]
    free: list[dict[str, Any]] = [{}, *({"task": tier} for tier in TIERS), {"split": "test", "index": 3}]
    with audit.session() as play:
        for arguments in (*own, *free):
            first = play.reset(**arguments)
            task, seed = first.facts["task"], first.facts["seed"]
            drawn += [] if arguments in own else [seed]
            if "seed" in arguments and arguments["seed"] != seed:
                problems.append(f"reset {arguments} reports seed {seed}")
            again = play.reset(task=task, seed=seed)
            if again.gates != first.gates or play.state()["seed"] != seed:
                problems.append(f"reset {arguments} reports seed {seed}, which is another circuit")
    if len(set(drawn)) < len(drawn):
        problems.append(f"resets without a seed report the seeds {drawn}")
    return Seen({"resets": len(own) + len(free), "drawn": len(drawn)}, problems)


def _told(shown: Shown) -> str:
    return json.dumps([shown.data["observation"], shown.reward, shown.done], sort_keys=True)


def _replays_are_equal(audit: Audit) -> Seen:
    problems, steps = [], 0
    with audit.session() as one, audit.session() as other:
        for tier, seed in audit.tasks():
            first, second = ([_told(shown) for shown in wander(play, tier, seed)] for play in (one, other))
            steps += len(first) - 1
            if first != second:
                problems.append(f"{tier}, seed {seed}: the same actions show something else when replayed")
    return Seen({"steps": steps}, problems)


def _grading_is_repeatable(audit: Audit) -> Seen:
    problems, modules = [], set[str]()
    episodes = {}
    with audit.session() as play:
        for tier in audit.evaluator.graders:
            episodes[tier] = solved_episode(play.reset(task=tier, seed=audit.seeds[0]), tier)
    for tier, grader in audit.evaluator.graders.items():
        grades = {grader(episodes[tier]) for _ in range(_GRADINGS)}
        if len(grades) > 1:
            problems.append(f"{tier}: {_GRADINGS} gradings of one episode give {sorted(grades)[:3]}")
        _, called = modules_called(partial(grader, episodes[tier]))
        modules |= called
        if asked := sorted(name for name in called if name.partition(".")[0] in OUTSIDE):
            problems.append(f"{tier}: grading asks {', '.join(asked)}")
    if audit.evaluator.graders is GRADERS:
        here = {tier: GRADERS[tier](episode) for tier, episode in episodes.items()}
        if (there := cut_off_grades(json.dumps(episodes))) != here:
            problems.append(f"without network, clock and environment the grades are {there}, not {here}")
    return Seen({"gradings": _GRADINGS * len(TIERS), "calls_into": sorted(modules)}, problems)


def solved_episode(first: Shown, tier: str) -> dict[str, Any]:
    """Return what a grader reads of an episode, as it is after the best plan."""
    plan, _ = best_plan(tier, first.circuit)
    return {
        "task": tier,
        "initial_count": len(first.gates),
        "gate_count": plan.left,
        "used_advanced_actions": plan.identities > 0,
    }


PROBES: Final = (
    Probe(
        "D1",
        "A seed is the same episode in every session and process, whatever the hash seed, and as pinned.",
        ("runtime.seed_control", "runtime.episode_determinism", "hub.cross_host_determinism"),
        Severity.FAIL,
        _same_in_every_process,
    ),
    Probe(
        "D2",
        "Integers from 0 to 2^32 - 1 are seeds, each with a circuit of its own; all else is refused.",
        ("runtime.seed_control",),
        Severity.FAIL,
        _only_seeds_are_seeds,
    ),
    Probe(
        "D3",
        "The seed that is reported reproduces the circuit, also one that was drawn.",
        ("semantic.replayability",),
        Severity.FAIL,
        _the_reported_seed_is_the_one,
    ),
    Probe(
        "D4",
        "The same actions on the same seed show the same observations, rewards and grades.",
        ("semantic.replayability",),
        Severity.FAIL,
        _replays_are_equal,
    ),
    Probe(
        "D5",
        "Grading one episode a hundred times gives one grade, without network, clock or environment.",
        ("semantic.verifier_determinism", "semantic.verifier_portability"),
        Severity.FAIL,
        _grading_is_repeatable,
    ),
    Probe(
        "D6",
        "A seed is the same episode under every other supported Python that is on the machine.",
        ("hub.cross_host_determinism",),
        Severity.FAIL,
        _same_under_every_python,
    ),
)
