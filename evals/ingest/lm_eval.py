"""lm-evaluation-harness: `samples_<task>_<date>.jsonl`, as lm-eval 0.4 writes it with --log_samples.

Source: github.com/EleutherAI/lm-evaluation-harness, `EvaluationTracker`. A line is one document under one
filter: `{doc_id, filter, metrics: [names], <metric>: number, doc_hash, …}`. The metric is said as the
harness says it, `metric` or `metric,filter`; where there is one of each it need not be said. The task of
the harness is the suite and `doc_id` the task; true and false are verdicts, numbers are scores. The agent
is the name of the folder, as the harness makes it. `results_<date>.json` beside it, if it is there, tells
the evaluator (`lm_eval_version`, `git_hash`, which is that of the folder the harness was started in, and the
version of the task) and how many documents there ought to be (`n-samples`, `effective`).
"""

import re
from typing import Final

from quantum_circuit_env.evals.ingest.batch import Batch
from quantum_circuit_env.evals.ingest.errors import IngestError, shown
from quantum_circuit_env.evals.ingest.fields import Fields

_NAME: Final = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(\.\d+)?)\.jsonl")


def read(batch: Batch) -> None:
    """Read one `samples_*.jsonl`."""
    source = batch.source
    found = _NAME.fullmatch(source.path.name)
    if found is None:
        raise IngestError(source.name, "", "the name must be samples_TASK_YYYY-MM-DDThh-mm-ss.jsonl")
    lines = list(source.lines())
    metric, chosen = _metric(batch, lines)
    beside = batch.sidecar(f"results_{found['date']}.json")
    results = None if beside is None else beside.document()
    evaluator = None if results is None else _evaluator(results, found["task"])
    lines = [line for line in lines if line.values.get("filter", "none") == chosen]
    batch.expect(len(lines), None if results is None else _documents(results, found["task"]), "documents")
    for line in lines:
        batch.add(
            line,
            suite=found["task"],
            agent=source.path.resolve().parent.name,
            task=line.name("doc_id"),
            sample=0,
            passed=line.boolean(metric) if isinstance(line.values.get(metric), bool) else None,
            score=None if isinstance(line.values.get(metric), bool) else line.number(metric),
            evaluator=evaluator,
        )


def _metric(batch: Batch, lines: list[Fields]) -> tuple[str, str]:
    """Return the metric and the filter that are meant."""
    there = sorted({f"{name},{line.values.get('filter', 'none')}" for line in lines for name in _named(line)})
    asked = batch.options.metric
    fits = [name for name in there if asked is None or asked in (name, name.rpartition(",")[0])]
    if len(fits) != 1:
        ways = "; ".join(there) or "the lines name none under `metrics`"
        raise IngestError(batch.source.name, "", f"say with --metric which score is meant: {ways}")
    name, _, chosen = fits[0].rpartition(",")
    return name, chosen


def _named(line: Fields) -> list[str]:
    """Return the metrics that a line says it has."""
    names = line.values.get("metrics")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise line.error(f"`metrics` must be a list of names, got {shown(names)}")
    return names


def _evaluator(results: Fields, task: str) -> str | None:
    tool, commit = results.optional_text("lm_eval_version"), results.optional_text("git_hash")
    versions = results.optional_object("versions")
    version = None if versions is None else versions.values.get(task)
    if version is None or not (tool or commit):
        return None
    parts = {"lm-eval": tool, "commit": commit, "task_version": version}
    return " ".join(f"{name}={value}" for name, value in parts.items() if value is not None)


def _documents(results: Fields, task: str) -> int | None:
    counts = results.optional_object("n-samples")
    own = None if counts is None else counts.optional_object(task)
    return None if own is None else own.optional_whole("effective")
