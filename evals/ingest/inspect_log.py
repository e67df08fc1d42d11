"""Inspect: an evaluation log, `.json` or `.eval`, version 2, as inspect_ai 0.3 writes it.

Source: github.com/UKGovernmentBEIS/inspect_ai, `inspect_ai.log.EvalLog`. Of the log are read `status`,
`eval.task`, `eval.model`, `eval.task_version`, `eval.revision.commit`, `eval.packages.inspect_ai`,
`eval.config.epochs`, `eval.dataset.sample_ids` (those chosen by a limit) or `samples`; of each sample `id`,
`epoch` (from 1), `scores`, `error`, `limit`. An `.eval` file is a zip with `header.json` and
`samples/*.json`, its members deflated or, by newer versions, compressed with Zstandard, which pyarrow reads.

The metric is the name of a scorer, or `scorer.key` if its values are objects; with one scorer it need not
be said. `C` is a pass, `I` and `N` are none, true and false are what they are, a number is a score, and so
is `P` (0.5) with its `C` (1) and `I` and `N` (0). A sample is missing that has no score, or NaN, which is
how Inspect stores one that the scorer left out, or that ended in an error. The evaluator is known if the
log has the commit of a clean working tree.
"""

import math
from typing import Final, TypeAlias

from quantum_circuit_env.evals.ingest.archive import members
from quantum_circuit_env.evals.ingest.batch import Batch
from quantum_circuit_env.evals.ingest.errors import IngestError, shown
from quantum_circuit_env.evals.ingest.fields import Fields, Source
from quantum_circuit_env.evals.ingest.records import SampleError

GRADES: Final = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
VERDICTS: Final[dict[object, bool]] = {"C": True, "I": False, "N": False}
Value: TypeAlias = bool | float | str
_HEADER: Final = "header.json"


def read(batch: Batch) -> None:
    """Read one log."""
    source = batch.source
    if source.path.suffix == ".eval":
        header, samples = _unzipped(source)
    else:
        header = source.document()
        samples = header.objects("samples")
    status = header.text("status")
    if status != "success":
        batch.missing.append(f"{source.name}: the run's status is {status!r}")
    spec = header.object("eval")
    _expect(batch, spec, samples)
    metric = _metric(batch, samples)
    values = [(sample, _value(sample, metric)) for sample in samples if _scored(batch, sample, metric)]
    verdicts = all(isinstance(value, bool) or value in VERDICTS for _, value in values)
    for sample, value in values:
        _add(batch, spec, sample, value, verdict=verdicts)


def _add(batch: Batch, spec: Fields, sample: Fields, value: Value, *, verdict: bool) -> None:
    passed = VERDICTS.get(value, value is True) if verdict else None
    epoch = sample.whole("epoch")
    if epoch == 0:
        raise sample.error("`epoch` must be an integer from 1, got 0")
    limited = sample.optional_object("limit") is not None
    batch.add(
        sample,
        suite=spec.text("task"),
        agent=spec.text("model"),
        task=sample.name("id"),
        sample=epoch - 1,
        passed=passed,
        score=None if verdict else float(GRADES[value] if isinstance(value, str) else value),
        error=SampleError.BUDGET_EXHAUSTED if limited and not passed else _failed(passed),
        evaluator=_evaluator(spec),
    )


def _failed(passed: bool | None) -> SampleError | None:
    return SampleError.FAILED if passed is False else None


def _expect(batch: Batch, spec: Fields, samples: list[Fields]) -> None:
    config, dataset = spec.optional_object("config"), spec.optional_object("dataset")
    epochs = None if config is None else config.optional_whole("epochs")
    # With a limit or a choice of samples, `sample_ids` are what was chosen and `samples` is the whole.
    chosen = None if dataset is None else dataset.values.get("sample_ids")
    if isinstance(chosen, list):
        batch.expect(len(samples), len(chosen) * (epochs or 1), "samples")
        return
    tasks = None if dataset is None else dataset.optional_whole("samples")
    limited = config is not None and (config.values.get("limit") or config.values.get("sample_id"))
    if tasks is not None and not limited:
        batch.expect(len(samples), tasks * (epochs or 1), "samples")


def _metric(batch: Batch, samples: list[Fields]) -> tuple[str, str | None]:
    """Return scorer and key of the score that is meant."""
    scored = [scores for sample in samples if (scores := sample.optional_object("scores")) is not None]
    names = sorted({name for scores in scored for name in scores.values})
    asked = batch.options.metric
    if asked is None and len(names) == 1:
        return names[0], None
    if asked in names:
        return str(asked), None
    scorer, _, key = (asked or "").rpartition(".")
    if scorer in names:
        return scorer, key
    raise IngestError(
        batch.source.name,
        "",
        f"say with --metric which score is meant: {', '.join(names) or 'there is none'}",
    )


def _scored(batch: Batch, sample: Fields, metric: tuple[str, str | None]) -> bool:
    """Whether a sample has a score; if not, note it as missing."""
    scores = sample.optional_object("scores")
    if sample.values.get("error") is not None:
        batch.unscored(sample, "ended in an error and has no score")
        return False
    if scores is None or scores.values.get(metric[0]) is None:
        batch.unscored(sample, f"has no score of {metric[0]!r}")
        return False
    score, key = _stored(sample, metric)
    value = score.values.get(key)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        batch.unscored(score, f"`{key}` is {shown(value)}: the sample is not scored")
        return False
    return True


def _stored(sample: Fields, metric: tuple[str, str | None]) -> tuple[Fields, str]:
    """Return the object and its key that the value stands under."""
    score = sample.object("scores").object(metric[0])
    whole = score.values.get("value")
    if metric[1] is None or (isinstance(whole, float) and math.isnan(whole)):
        return score, "value"
    return score.object("value"), metric[1]


def _value(sample: Fields, metric: tuple[str, str | None]) -> Value:
    score, key = _stored(sample, metric)
    value = score.values.get(key)
    if isinstance(value, dict):
        raise score.error(f"has several values: say --metric {metric[0]}.KEY with one of {', '.join(value)}")
    if isinstance(value, bool) or (isinstance(value, str) and value in GRADES):
        return value
    if isinstance(value, str):
        ways = f"{', '.join(GRADES)}, true, false or a number"
        raise score.error(f"the value must be one of {ways}, got {shown(value)}")
    return score.number(key)


def _evaluator(spec: Fields) -> str | None:
    revision = spec.optional_object("revision")
    if revision is None or revision.optional_boolean("dirty") is not False:
        return None
    packages = spec.optional_object("packages")
    version = None if packages is None else packages.optional_text("inspect_ai")
    task = spec.values.get("task_version", 0)
    return f"commit={revision.text('commit')} task_version={task} inspect_ai={version or 'unknown'}"


def _unzipped(source: Source) -> tuple[Fields, list[Fields]]:
    """Return the header and the samples of an `.eval` file."""
    header, samples = None, []
    for member in members(source, lambda name: name == _HEADER or name.startswith("samples/")):
        if member.name.endswith(f":{_HEADER}"):
            header = member.document()
        else:
            samples.append(member.document())
    if header is None:
        raise IngestError(source.name, "", "there is no header.json: the run has not ended")
    if not samples:
        raise IngestError(source.name, "", "holds no samples")
    return header, samples
