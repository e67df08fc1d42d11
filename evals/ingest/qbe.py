"""QuanBench+: results of its pass@k pipeline, and the attempts of its feedback loop.

Source: github.com/JawadKotaichh/quanbench-plus, `pass_at_k_pipeline/results.py` and `feedback_loop/`, as of
2026 (the files carry no version). Two shapes, both a JSON list:

- `results/<framework>/pass_at_<k>/<model>.json`, one entry a task: `task_id`, `model_name`, `pass_k`,
  `passed_versions`, `benchmark_version`, `versions`: list of `{version (from 1), kl_bool, error}`. `kl_bool`
  is the verdict; a version without an error is what the suite counts as compiled. Its error is free text, of
  the model's code as well as of the request, so it is told as `failed`.
- `*_attempts.json`, one entry an attempt: `framework`, `model`, `task_id`, `attempt` (from 1), `code`,
  `evaluation`: `{compiled, ran, kl_div_bool, benchmark_version}`. Each attempt saw those before it and their
  errors, and the first that passes is the last, so they are flagged as sequential. `*_final.json` beside
  them repeats the last attempts and is passed over.

The suite is `quanbench-plus`, the framework and the version of the benchmark; of the first shape the
framework is the name of the folder above its own. The evaluator is not named.
"""

from pathlib import Path
from typing import Final

from quantum_circuit_env.evals.ingest.batch import Batch, failure
from quantum_circuit_env.evals.ingest.fields import Fields
from quantum_circuit_env.evals.ingest.records import NON_IID, SampleError

_FINAL: Final = "_final.json"
_FRAMEWORKS: Final = ("cirq", "pennylane", "qiskit")


def read(batch: Batch) -> None:
    """Read one list of tasks or of attempts."""
    if batch.source.path.name.endswith(_FINAL):
        return
    for entry in batch.source.documents():
        if "versions" in entry.values:
            _versions(batch, entry)
        elif "evaluation" in entry.values:
            _attempt(batch, entry)
        else:
            raise entry.error("`versions` or `evaluation` is missing: no entry of QuanBench+ is without it")


def _versions(batch: Batch, task: Fields) -> None:
    versions = task.objects("versions")
    what = f"versions of task {task.name('task_id')!r}"
    batch.expect(len(versions), task.optional_whole("pass_k"), what)
    passes = sum(version.boolean("kl_bool") for version in versions)
    if task.optional_whole("passed_versions") not in (None, passes):
        raise task.error(f"`passed_versions` is {task.whole('passed_versions')}, but {passes} {what} passed")
    for version in versions:
        passed, compiled = version.boolean("kl_bool"), version.optional_text("error") is None
        batch.add(
            version,
            suite=_suite(_framework(batch.source.path), task),
            agent=task.text("model_name"),
            task=task.name("task_id"),
            sample=_from_one(version, "version"),
            passed=passed,
            valid=compiled,
            error=failure(passed, SampleError.FAILED),
        )


def _attempt(batch: Batch, attempt: Fields) -> None:
    evaluation = attempt.object("evaluation")
    passed = evaluation.boolean("kl_div_bool")
    batch.add(
        attempt,
        suite=_suite(attempt.text("framework"), evaluation),
        agent=attempt.text("model"),
        task=attempt.name("task_id"),
        sample=_from_one(attempt, "attempt"),
        passed=passed,
        valid=evaluation.boolean("compiled"),
        error=failure(passed, _error(attempt, evaluation)),
        flags=(NON_IID,),
    )


def _error(attempt: Fields, evaluation: Fields) -> SampleError:
    if not (attempt.optional_text("code") or "").strip():
        return SampleError.EMPTY_OUTPUT
    if not evaluation.boolean("compiled"):
        return SampleError.UNPARSEABLE
    return SampleError.FAILED if evaluation.boolean("ran") else SampleError.RUNTIME_ERROR


def _framework(path: Path) -> str:
    folder = path.resolve().parent.parent.name
    return folder if folder in _FRAMEWORKS else ""


def _suite(framework: str, place: Fields) -> str:
    version = place.optional_text("benchmark_version")
    return " ".join(filter(None, ("quanbench-plus", framework, version)))


def _from_one(place: Fields, key: str) -> int:
    number = place.whole(key)
    if number == 0:
        raise place.error(f"`{key}` must be an integer from 1, got 0")
    return number - 1
