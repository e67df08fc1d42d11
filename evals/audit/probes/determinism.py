"""D: a seed is one episode, everywhere and always, and nothing else is a seed."""

import json
import os
import subprocess
import sys
from functools import cache
from hashlib import sha256
from typing import Any, Final

from qrewrite.circuits import Circuit
from qrewrite.tasks import MAX_SEED, TIERS
from quantum_circuit_env.evals.audit.play import Shown
from quantum_circuit_env.evals.audit.probe import AuditError, Probe, Seen, Severity
from quantum_circuit_env.evals.audit.probes.reward import wander
from quantum_circuit_env.evals.audit.subject import Audit, best_plan

_HASH_SEEDS: Final = ("0", "1", "12345")
_GRADINGS: Final = 100

_NO_SEEDS: Final = ("-7", "-1", str(MAX_SEED + 1), "1.0", "true", "NaN", "1e400", '"abc"', '"1"', "[1]", "{}")
"""JSON of what is no seed."""

_DIGEST: Final = """
import sys
from hashlib import sha256
from qrewrite.tasks import TIERS, generate
text = "".join(f"{generate(tier, int(seed))};" for tier in TIERS for seed in sys.argv[1:])
print(sha256(text.encode()).hexdigest())
"""


@cache
def _elsewhere(hash_seed: str, seeds: tuple[int, ...]) -> str:
    """Return the digest of the seeds' circuits as another process makes them."""
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", _DIGEST, *map(str, seeds)],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise AuditError(f"a process that generates circuits fails: {done.stderr.strip()[-200:]}")
    return done.stdout.strip()


def _same_in_every_process(audit: Audit) -> Seen:
    problems, digests = [], []
    for _ in range(2):
        with audit.session() as play:
            served = [play.reset(task=tier, seed=seed).circuit for tier, seed in audit.tasks()]
            digests.append(_digest(served))
    if digests[0] != digests[1]:
        problems.append("two sessions show other circuits for the same seeds")
    problems += [
        f"a process with PYTHONHASHSEED={hash_seed} makes other circuits"
        for hash_seed in _HASH_SEEDS
        if _elsewhere(hash_seed, tuple(audit.seeds)) != digests[0]
    ]
    python = ".".join(map(str, sys.version_info[:3]))
    return Seen({"digest": digests[0][:12], "circuits": len(served), "python": python}, problems)


def _digest(circuits: list[Circuit]) -> str:
    return sha256("".join(f"{circuit};" for circuit in circuits).encode()).hexdigest()


def _only_seeds_are_seeds(audit: Audit) -> Seen:
    problems = []
    with audit.session() as play:
        for text in _NO_SEEDS:
            frame = f'{{"type": "reset", "data": {{"task": "easy", "seed": {text}}}}}'
            if play.refused(frame) is None:
                problems.append(f"{text} is taken for a seed")
        for tier in TIERS:
            seeds = (0, 1, 2, MAX_SEED - 1, MAX_SEED)
            gates = {play.reset(task=tier, seed=seed).gates for seed in seeds}
            if len(gates) < len(seeds):
                problems.append(f"{tier}: two of the seeds {seeds} are one circuit")
    return Seen({"refused": len(_NO_SEEDS)}, problems)


def _the_reported_seed_is_the_one(audit: Audit) -> Seen:
    problems, drawn = [], []
    with audit.session() as play:
        for arguments in ({"task": "easy", "seed": 5}, {}, {"task": "medium"}, {"split": "test", "index": 3}):
            first = play.reset(**arguments)
            task, seed = first.facts["task"], first.facts["seed"]
            drawn.append(seed)
            again = play.reset(task=task, seed=seed)
            if again.gates != first.gates or play.state()["seed"] != seed:
                problems.append(f"reset {arguments} reports seed {seed}, which is another circuit")
    if len(set(drawn)) < len(drawn):
        problems.append(f"resets without a seed report the seeds {drawn}")
    return Seen({"resets": len(drawn)}, problems)


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
    problems = []
    with audit.session() as play:
        for tier, grader in audit.evaluator.graders.items():
            episode = solved_episode(play.reset(task=tier, seed=audit.seeds[0]), tier)
            grades = {grader(episode) for _ in range(_GRADINGS)}
            if len(grades) > 1:
                problems.append(f"{tier}: {_GRADINGS} gradings of one episode give {sorted(grades)[:3]}")
    return Seen({"gradings": _GRADINGS * len(TIERS)}, problems)


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
        "A seed is the same circuit in every session and process, whatever the hash seed.",
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
        "Grading one episode a hundred times gives one grade.",
        ("semantic.verifier_determinism",),
        Severity.FAIL,
        _grading_is_repeatable,
    ),
)
