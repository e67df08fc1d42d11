"""The evaluation as a harness of OpenEnv (`openenv.core.evals`). Importing this imports OpenEnv: seconds."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from openenv.core.evals import EvalConfig, EvalHarness

from qrewrite.game import STEP_LIMIT
from qrewrite.tasks import TIERS
from quantum_circuit_env.agents.spec import AgentSpec
from quantum_circuit_env.evals.configuration import Config, EvaluateError, first_seeds
from quantum_circuit_env.evals.evaluate import evaluate
from quantum_circuit_env.evals.revision import evaluator_revision
from quantum_circuit_env.evals.stats.extras import DISTRIBUTION
from quantum_circuit_env.evals.stats.values import Estimate
from quantum_circuit_env.evals.store import RunFolder
from quantum_circuit_env.evals.summary import estimates

PARAMETERS: Final = ("agent", "tiers", "seeds", "samples", "turns", "url", "workers")
"""Keys of `eval_parameters`; all but `agent` have a default."""

METRICS: Final = (
    "norm_score",
    "score",
    "score_without_bonus",
    "success_t1",
    "success_t50",
    "return",
    "steps",
)
"""What is told of each tier: the mean, and its 95 % interval for other seeds of the tier."""


class CircuitEvalHarness(EvalHarness):
    """Lets one agent play seeds of tiers, and returns flat scores whose names say their tier.

    The data set is a split of the seeds. Scores are `<tier>_<metric>`, `<tier>_<metric>_low` and `…_high`,
    `<tier>_episodes` and `<tier>_incomplete`, and the evaluator's revision; null where there is no number.

    >>> harness = CircuitEvalHarness()
    >>> result = harness.run_from_config(harness.config("test", agent="null", tiers=["easy"], seeds=2))
    >>> result.scores["easy_score"], result.scores["easy_episodes"]
    (0.01, 2)

    Args:
        runs: folder in which each evaluation leaves its run folder; none is kept without.
    """

    def __init__(self, *, runs: Path | str | None = None) -> None:
        self._runs = None if runs is None else Path(runs)

    def config(self, dataset: str, **eval_parameters: Any) -> EvalConfig:
        """Return the configuration of an evaluation by this harness, as it is installed."""
        turns = eval_parameters.get("turns", STEP_LIMIT)
        return EvalConfig(
            harness_name=self.name,
            harness_version=str(evaluator_revision(turns=turns)),
            library_versions={name: version(name) for name in (DISTRIBUTION, "openenv")},
            dataset=dataset,
            eval_parameters=eval_parameters,
        )

    def run(
        self,
        harness_version: str,
        library_versions: dict[str, str],
        dataset: str,
        eval_parameters: dict[str, Any],
    ) -> dict[str, Any]:
        """Play and return the scores.

        Args:
            harness_version: the evaluator's version or its whole revision.
            library_versions: of any packages.
            dataset: split of the seeds.
            eval_parameters: `agent`, a SPEC, and what may be left out: `tiers` (all), `seeds` (200, the
                split's first ones), `samples` (1), `turns` (150), `url` (in process), `workers` (2).

        Raises:
            EvaluateError: if a version is not the one that is installed, or a parameter is not allowed.
            SpecError: if there is no such agent.
            StoreError: if its run folder cannot be written or holds another run.
        """
        config = _config(dataset, eval_parameters)
        _check_versions(harness_version, library_versions, config.turns)
        with self._folder() as folder:
            return _scores(evaluate(config, folder))

    @contextmanager
    def _folder(self) -> Iterator[Path]:
        if self._runs is None:
            with TemporaryDirectory() as folder:
                yield Path(folder)
            return
        self._runs.mkdir(parents=True, exist_ok=True)
        number = sum(1 for _ in self._runs.iterdir()) + 1
        yield self._runs / f"{number:04d}"


def _config(split: str, parameters: Mapping[str, Any]) -> Config:
    unknown = sorted(set(parameters) - set(PARAMETERS))
    if unknown or "agent" not in parameters:
        raise EvaluateError(
            f"eval_parameters take {', '.join(PARAMETERS)}, agent always; "
            f"got {', '.join(parameters) or 'none'}"
        )
    tiers = parameters.get("tiers", tuple(TIERS))
    return Config(
        agents=(AgentSpec.parse(parameters["agent"]),),
        tiers=tuple(tiers.split(",") if isinstance(tiers, str) else tiers),
        seeds=first_seeds(split, _number(parameters, "seeds", 200)),
        split=split,
        samples=_number(parameters, "samples", 1),
        turns=_number(parameters, "turns", STEP_LIMIT),
        url=parameters.get("url"),
        # Worker processes would begin with the script that called this harness.
        executor="async",
        workers=_number(parameters, "workers", 2),
    )


def _number(parameters: Mapping[str, Any], name: str, default: int) -> int:
    value = parameters.get(name, default)
    if type(value) is not int:
        raise EvaluateError(f"{name} must be an integer, got {value!r}")
    return value


def _check_versions(harness_version: str, library_versions: Mapping[str, str], turns: int) -> None:
    """Raise an EvaluateError where a result would name versions that did not make it."""
    revision = evaluator_revision(turns=turns)
    if harness_version not in (revision.version, str(revision)):
        raise EvaluateError(
            f"harness_version must be {revision.version} or {revision}, the one that is installed; "
            f"got {harness_version}"
        )
    for name, wanted in library_versions.items():
        found = _installed(name)
        if found != wanted:
            raise EvaluateError(f"library_versions must be as installed: {name} is {found}, got {wanted}")


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _scores(run: RunFolder) -> dict[str, Any]:
    episodes = run.episodes()
    scores: dict[str, Any] = {"evaluator_revision": run.info.revision, "run_id": run.info.run_id}
    for tier in run.info.tiers:
        own = [episode for episode in episodes if episode.tier == tier]
        complete = [episode for episode in own if episode.complete]
        scores[f"{tier}_episodes"] = len(complete)
        scores[f"{tier}_incomplete"] = len(own) - len(complete)
        for metric, estimate in estimates(complete, METRICS).items():
            scores |= dict(_flat(f"{tier}_{metric}", estimate))
    return scores


def _flat(name: str, estimate: Estimate) -> Sequence[tuple[str, float | None]]:
    found = estimate.interval
    return (
        (name, estimate.mean),
        (f"{name}_low", found.low if found else None),
        (f"{name}_high", found.high if found else None),
    )
