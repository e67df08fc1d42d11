"""What the commands on stored runs have in common."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quantum_circuit_env.evals.usage import UsageError

if TYPE_CHECKING:
    from quantum_circuit_env.evals.store import RunFolder

# The help names the metrics without importing what they are of, so that it answers at once.
_METRICS = (
    "norm_score, score, score_without_bonus, compression, success_t1, success_t50, legacy_success, return "
    "or steps"
)

MetricName = Annotated[str, typer.Option(help=f"What agents are compared by: {_METRICS}.")]


@contextmanager
def refusals_in_one_line() -> Iterator[None]:
    """Tell what cannot be done in one line, with exit status 2."""
    from quantum_circuit_env.evals.entrants import MixedRunsError
    from quantum_circuit_env.evals.executors import ExecutorError
    from quantum_circuit_env.evals.provenance import CredentialError
    from quantum_circuit_env.evals.rescore import RescoreError
    from quantum_circuit_env.evals.stats.extras import MissingExtraError
    from quantum_circuit_env.evals.stats.values import StatsError
    from quantum_circuit_env.evals.store import StoreError

    try:
        yield
    except (
        CredentialError,
        ExecutorError,
        MissingExtraError,
        MixedRunsError,
        RescoreError,
        StatsError,
        StoreError,
    ) as error:
        raise UsageError(str(error)) from None


def open_runs(paths: list[Path]) -> "list[RunFolder]":
    """Return the runs of these folders, each once; StoreError for one that cannot be read."""
    from quantum_circuit_env.evals.store import RunFolder

    return [RunFolder.open(path) for path in dict.fromkeys(paths)]


def json_text(value: Mapping[str, Any]) -> str:
    """Return a value as the text of a JSON file; there is no NaN in it."""
    return f"{json.dumps(value, indent=2, allow_nan=False)}\n"
