"""What is derived from a run's records and lies beside them: `summary.json` and `episodes.parquet`.

Both may be deleted and made again; `episodes.jsonl` alone is the truth.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from quantum_circuit_env.agents.vocabulary import ErrorClass
from quantum_circuit_env.evals.metrics import METRICS
from quantum_circuit_env.evals.records import Episode
from quantum_circuit_env.evals.stats.extras import MissingExtraError, require
from quantum_circuit_env.evals.stats.intervals import LEVEL
from quantum_circuit_env.evals.stats.values import Estimate
from quantum_circuit_env.evals.store import RunFolder, StoreError
from quantum_circuit_env.evals.summary import estimates, grouped

SUMMARY: Final = "summary.json"
PARQUET: Final = "episodes.parquet"

_FLOATS: Final = frozenset(
    {"score", "norm_score", "compression", "score_without_bonus", "return", "latency_s"}
)
_BOOLS: Final = frozenset({"bonus", "legacy_success", "success_t1", "success_t50", "g_best_proved"})
_TEXTS: Final = frozenset(
    {"run_id", "evaluator_revision", "suite", "tier", "split", "instance_digest", "agent_id", "status"}
    | {"end_reason", "g_best_method", "action_digest", "final_digest", "started_at", "error"}
)


def write_derived(run: RunFolder) -> Iterator[str]:
    """Write both files into the run's folder; yield a line for each that is left out, and why.

    Raises:
        StoreError: if the run cannot be read or its folder cannot be written.
    """
    episodes = run.episodes()
    text = json.dumps(summarised(run, episodes), indent=2, allow_nan=False)
    try:
        (run.path / SUMMARY).write_text(f"{text}\n", encoding="utf-8", newline="\n")
        try:
            write_parquet(episodes, run.path / PARQUET)
        except MissingExtraError as error:
            yield f"{PARQUET} is left out: {error}"
    except OSError as error:
        raise StoreError(f"{run.path} cannot be written: {error}") from None


def summarised(run: RunFolder, episodes: Sequence[Episode]) -> dict[str, Any]:
    """Return what `summary.json` says: of each agent on each tier, the means and their intervals."""
    return {
        "run_id": run.info.run_id,
        "suite": run.info.suite,
        "evaluator_revision": run.info.revision,
        "intervals": {"level": LEVEL, "target": "population"},
        "rows": [
            {
                "tier": tier,
                "agent_id": agent_id,
                "planned": len(run.info.seeds) * run.info.samples,
                "complete": sum(episode.complete for episode in own),
                "metrics": {name: _plain(found) for name, found in estimates(own, METRICS).items()},
                "classes": _classes(own),
            }
            for (tier, agent_id), own in grouped(episodes).items()
        ],
    }


def _plain(found: Estimate) -> dict[str, Any]:
    interval = found.interval
    return {
        "mean": found.mean,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "flags": list(found.flags),
    }


def _classes(episodes: Sequence[Episode]) -> dict[str, int]:
    counts = {kind.value: sum(e.classes.get(kind, 0) for e in episodes if e.complete) for kind in ErrorClass}
    return {kind: count for kind, count in counts.items() if count}


def write_parquet(episodes: Sequence[Episode], path: Path) -> None:
    """Write the records as a Parquet table, a row an episode, the classes of turns as columns `n_<class>`.

    Raises:
        MissingExtraError: if pyarrow is not installed.
    """
    arrow = require("pyarrow", extra="eval")
    parquet = require("pyarrow.parquet", extra="eval")
    played = arrow.struct(
        [("target_index", arrow.int64()), ("action_type", arrow.int8()), ("turn_class", arrow.string())]
    )
    lists = {"actions": arrow.list_(played), "rewards": arrow.list_(arrow.float64())}
    rows = [_row(episode) for episode in episodes]

    def type_of(name: str) -> Any:
        if name in lists:
            return lists[name]
        if name in _TEXTS:
            return arrow.string()
        return arrow.float64() if name in _FLOATS else arrow.bool_() if name in _BOOLS else arrow.int64()

    # With the types given, tables of several runs fit together even where a column is null throughout.
    schema = arrow.schema([(name, type_of(name)) for name in (rows[0] if rows else ())])
    fresh = path.with_suffix(".tmp")
    parquet.write_table(arrow.Table.from_pylist(rows, schema=schema), fresh, compression="zstd")
    fresh.replace(path)


def _row(episode: Episode) -> Mapping[str, Any]:
    values: dict[str, Any] = json.loads(episode.to_json())
    values.pop("classes")
    values["actions"] = [
        dict(zip(("target_index", "action_type", "turn_class"), each, strict=True))
        for each in values["actions"]
    ]
    return values | {f"n_{kind.value}": episode.classes.get(kind, 0) for kind in ErrorClass}
