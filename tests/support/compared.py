"""Runs with chosen results, to be compared."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from quantum_circuit_env.evals.records import Episode
from quantum_circuit_env.evals.store import RunFolder
from support.runs import episode_of, run_info

Scores = Mapping[str, Mapping[str, Sequence[Sequence[float | None]]]]
"""Agent → tier → normalised scores of the samples of each seed; None for an episode that was broken off."""

FIRST = 1_000


def scored(made: Episode, norm: float) -> Episode:
    """The episode with that normalised score, on a circuit of which four fifths can be removed."""
    removed, removable = (4 * part for part in norm.as_integer_ratio())
    start = removable // 4 * 5
    return replace(
        made,
        g0=start,
        g=start - removed,
        g_best=start - removable,
        norm_score=norm,
        score=min(0.99, max(0.01, 0.8 * norm)),
        compression=removed / start,
        success_t1=norm >= 1,
        success_t50=norm >= 0.5,
        legacy_success=0.8 * norm >= 0.1,
    )


def run_of(path: Path, scores: Scores, *, first: int = FIRST, **changes: Any) -> RunFolder:
    """Write a run whose agents have these scores, on seeds from `first`."""
    tables = [table for tiers in scores.values() for table in tiers.values()]
    asked = {
        "tiers": list(next(iter(scores.values()))),
        "seeds": range(first, first + len(tables[0])),
        "split": None,
        "samples": len(tables[0][0]),
        "run_id": path.name,
    }
    info = run_info(tuple(scores), **{**asked, **changes})
    with RunFolder.create(path, info) as run:
        for key in info.keys():  # noqa: SIM118
            norm = scores[key.agent_id][key.tier][key.seed - first][key.sample]
            if norm is None:
                run.append(episode_of(info, key, complete=False))
            else:
                run.append(scored(episode_of(info, key), norm))
    return RunFolder.open(path)
