"""The baselines that stand on every board, and which of them runs are in want of.

They say what numbers mean: null is the floor, uniform and random-legal are chance, cancel-first is the simple
way, optimal the best that is known.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from qrewrite.tasks import TIERS
from quantum_circuit_env.evals.fingerprints import Fingerprint
from quantum_circuit_env.evals.revision import evaluator_revision
from quantum_circuit_env.evals.store import RunFolder

BASELINES: Final = ("null", "uniform", "random-legal", "cancel-first", "optimal")
"""Agents without which a number says little; they have no options."""


class Wanted(NamedTuple):
    """Baselines that are to be played on one tier.

    Attributes:
        agents: their names.
        tier, seeds, split, samples, turns: as the runs have them; the split is None where runs differ.
    """

    agents: tuple[str, ...]
    tier: str
    seeds: tuple[int, ...]
    split: str | None
    samples: int
    turns: int


def is_baseline(agent: Fingerprint, name: str) -> bool:
    """Say whether an agent is the baseline of that name."""
    return agent.agent_id.partition(":")[0] == name


def wanted(runs: Sequence[RunFolder]) -> list[Wanted]:
    """Return what runs of one evaluator need so that each tier has all baselines on all of its seeds."""
    found = []
    for tier in TIERS:
        own = [run.info for run in runs if tier in run.info.tiers]
        agents = [agent for info in own for agent in info.agents]
        absent = tuple(name for name in BASELINES if not any(is_baseline(agent, name) for agent in agents))
        if own and absent:
            splits = {info.split for info in own}
            found.append(
                Wanted(
                    absent,
                    tier,
                    tuple(sorted({seed for info in own for seed in info.seeds})),
                    splits.pop() if len(splits) == 1 else None,
                    max(info.samples for info in own),
                    own[0].turns,
                )
            )
    return found


def hindrance(runs: Sequence[RunFolder]) -> str | None:
    """Return why baselines cannot be played for runs of one evaluator; None if they can.

    Only the current evaluator can play, and scores of another one are not comparable.
    """
    stored = runs[0].info
    current = str(evaluator_revision(turns=stored.turns))
    if stored.revision == current:
        return None
    return f"the runs are of evaluator {stored.revision}; this one, {current}, cannot play for it: rescore"
