"""EvalPlus: `eval_results.json` or `*_eval_results.json`, as evalplus 0.3.1 writes it.

Source: github.com/evalplus/evalplus. `{date, hash, eval: {task: [{task_id, solution, base_status,
plus_status}]}}`; a status is `pass`, `fail` or `timeout`. A sample passes `plus` (the default metric) if
both of its statuses are `pass`, and `base` if the first is. `hash` is the digest of the data set with its
tests, and stands for the evaluator. The file does not name the agent; the suite is what stands before the
slash of the task ids, with the metric behind it. The older shape (`base` and `plus` lists, before 0.3) is
refused.
"""

from typing import Final

from quantum_circuit_env.evals.ingest.batch import Batch, named
from quantum_circuit_env.evals.ingest.errors import IngestError
from quantum_circuit_env.evals.ingest.fields import Fields
from quantum_circuit_env.evals.ingest.records import SampleError

METRICS: Final = ("base", "plus")
_STATUSES: Final = ("pass", "fail", "timeout")


def read(batch: Batch) -> None:
    """Read one `eval_results.json`."""
    metric = batch.options.metric or "plus"
    if metric not in METRICS:
        raise IngestError("--metric", "", f"must be one of {', '.join(METRICS)}, got {metric!r}")
    agent = named(batch.options.agent, "--agent", batch.source, "agent")
    run = batch.source.document()
    digest = run.optional_text("hash")
    tasks = run.object("eval")
    if not tasks.values:
        raise tasks.error("must hold a task")
    for task in tasks.values:
        for number, sample in enumerate(tasks.objects(task)):
            error = _error(sample, METRICS[: METRICS.index(metric) + 1])
            empty = sample.optional_text("solution") == ""
            batch.add(
                sample,
                suite=f"{task.rpartition('/')[0] or 'evalplus'} {metric}",
                agent=agent,
                task=task,
                sample=number,
                passed=error is None,
                valid=False if empty else None,
                error=error,
                evaluator=f"evalplus dataset={digest}" if digest else None,
            )


def _error(sample: Fields, metrics: tuple[str, ...]) -> SampleError | None:
    """Return the error of the first test set of `metrics` that was not passed."""
    for metric in metrics:
        status = sample.optional_text(f"{metric}_status")
        if status not in _STATUSES:
            ways = f"must be one of {', '.join(_STATUSES)}, got {status!r}"
            raise sample.error(f"`{metric}_status` {ways} (--metric base needs the base status alone)")
        if status != "pass":
            return SampleError.TIMEOUT if status == "timeout" else SampleError.FAILED
    return None
