"""QCircuitEval (the package `qceval`): a run of schema `qceval.run.v2`, `.json` or `.jsonl`.

Source: the package's own documentation of its output, version 0.1.0. A `.json` file is one object with
`schema_version`, `run_id`, `provider`, `model`, `configuration_id`, `qceval` (who judged: `package_version`,
`commit`, `dirty`), `results` and `summary`; a `.jsonl` file has a result a line (`kind: result`) and at its
end the rest (`kind: summary`), without which the run has not ended. Of a result are read `framework`,
`suite`, `task_id`, `sample_index`, `attempt_index`, `status` and of its `evaluation` `passed`,
`verified_status`, `error_type` and `semantic_result.status`.

A suite is `qceval`, its suite and its framework. A sample passes if its status is `passed` and it was
verified. `generated` was never judged and `infrastructure_error` is no fault of the model: both are missing.
With more than one attempt each saw the feedback on those before it: they are flagged as sequential. Runs
with several samples and several attempts a task are refused, because a record has one number.
"""

from typing import Final

from quantum_circuit_env.evals.ingest.batch import Batch, failure
from quantum_circuit_env.evals.ingest.errors import IngestError, shown
from quantum_circuit_env.evals.ingest.fields import Fields
from quantum_circuit_env.evals.ingest.records import NON_IID, SampleError

SCHEMA: Final = "qceval.run.v2"
_UNSCORED: Final = {
    "generated": "was never judged",
    "infrastructure_error": "ended in an error of the infrastructure",
}
_FAILURES: Final = {
    "failed": SampleError.FAILED,
    "provider_failed": SampleError.EMPTY_OUTPUT,
    "compile_failed": SampleError.UNPARSEABLE,
    "run_failed": SampleError.RUNTIME_ERROR,
}
_STATUSES: Final = ("passed", *_FAILURES, *_UNSCORED)
_INVALID: Final = (SampleError.EMPTY_OUTPUT, SampleError.UNPARSEABLE)


def read(batch: Batch) -> None:
    """Read one run."""
    run, results = _streamed(batch) if batch.source.path.suffix == ".jsonl" else _whole(batch)
    attempts = [result.optional_whole("attempt_index") or 0 for result in results]
    samples = [result.optional_whole("sample_index") or 0 for result in results]
    summary = None if run is None else run.optional_object("summary")
    protocol = None if summary is None else summary.optional_object("run_protocol")
    sequential = any(attempts) or (
        protocol is not None and (protocol.optional_whole("max_attempts") or 1) > 1
    )
    if sequential and any(samples):
        raise IngestError(
            batch.source.name, "", "a task has several samples and several attempts: one of both"
        )
    batch.expect(len(results), None if summary is None else summary.optional_whole("total_tasks"), "results")
    for result, number in zip(results, attempts if sequential else samples, strict=True):
        _add(batch, run, result, number, sequential=sequential)


def _whole(batch: Batch) -> tuple[Fields, list[Fields]]:
    run = batch.source.document()
    _check_schema(run)
    return run, run.objects("results")


def _streamed(batch: Batch) -> tuple[Fields | None, list[Fields]]:
    run, results = None, []
    for line in batch.source.lines():
        kind = line.text("kind")
        if kind not in ("result", "summary"):
            raise line.error(f"`kind` must be result or summary, got {shown(kind)}")
        if kind == "result":
            results.append(line)
        elif run is not None:
            raise line.error(f"a second summary, the first is on {run.place}")
        else:
            _check_schema(line)
            run = line
    if run is None:
        batch.missing.append(f"{batch.source.name}: there is no summary: the run has not ended")
    return run, results


def _check_schema(run: Fields) -> None:
    if run.text("schema_version") != SCHEMA:
        raise run.error(f"`schema_version` must be {SCHEMA}, got {shown(run.text('schema_version'))}")


def _add(batch: Batch, run: Fields | None, result: Fields, number: int, *, sequential: bool) -> None:
    status = result.text("status")
    if status not in _STATUSES:
        raise result.error(f"`status` must be one of {', '.join(_STATUSES)}, got {shown(status)}")
    if status in _UNSCORED:
        batch.unscored(result, _UNSCORED[status])
        return
    evaluation = result.optional_object("evaluation")
    passed = status == "passed" and _verified(result.object("evaluation"))
    error = _error(status, evaluation)
    batch.add(
        result,
        suite=f"qceval {result.text('suite')} {result.text('framework')}",
        agent=_agent(run, result),
        task=result.name("task_id"),
        sample=number,
        passed=passed,
        valid=error not in _INVALID,
        error=failure(passed, error),
        evaluator=None if run is None else _evaluator(run),
        flags=(NON_IID,) if sequential else (),
    )


def _verified(evaluation: Fields) -> bool:
    """Whether a result with the status `passed` is one: older runs passed what they had not verified, too."""
    if not evaluation.boolean("passed"):
        raise evaluation.error("`passed` is false, but the result's `status` is passed")
    return evaluation.optional_text("verified_status") in (None, "verified_pass")


def _error(status: str, evaluation: Fields | None) -> SampleError:
    semantic = None if evaluation is None else evaluation.optional_object("semantic_result")
    if semantic is not None and semantic.optional_text("status") == "resource_limit":
        return SampleError.TIMEOUT
    if evaluation is not None and evaluation.optional_text("error_type") == "EvaluationTimeout":
        return SampleError.TIMEOUT
    return _FAILURES.get(status, SampleError.FAILED)


def _agent(run: Fields | None, result: Fields) -> str:
    """Return the configuration, which tells model and effort; without it the model, or who provided it."""
    configuration = None if run is None else run.optional_text("configuration_id")
    return configuration or result.optional_text("model") or result.text("provider")


def _evaluator(run: Fields) -> str | None:
    tool = run.optional_object("qceval")
    if tool is None or tool.optional_boolean("dirty"):
        return None
    version, commit = tool.optional_text("package_version"), tool.optional_text("commit")
    if version is None:
        return None
    return f"qceval={version}" + (f" commit={commit}" if commit else "")
