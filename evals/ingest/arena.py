"""Quantum Arena: `results_*.json`, one file for each run of an assistant on a benchmark.

Source: github.com/eseefried/quantum-arena, data/results/ as of 2026-09 (the files carry no version). Two
shapes:

- executed benchmarks: `benchmark`, `assistant`, `config.num_samples`, and `raw_task_results`: task → list
  of `{passed, syntax_valid, runtime_error}`;
- the judged one (QCoder): `assistant`, `judge_model`, `config.num_samples`, and `results`: list of
  `{task_id, results: list of {code, passed, judge_model}}`. Each attempt saw those before it, so the
  samples are flagged as sequential, and the judge stands for the evaluator.

Fields beside these are ignored. `benchmark` may be missing: then the folder's name is the suite.
`quanbench` names two sets of tasks, of 44 and of 117, so the number of tasks is put behind it.
"""

from typing import Final

from quantum_circuit_env.evals.ingest.batch import Batch
from quantum_circuit_env.evals.ingest.fields import Fields
from quantum_circuit_env.evals.ingest.records import LLM_JUDGED, NON_IID, SampleError

SIZED: Final = frozenset({"quanbench"})
"""Benchmarks whose name stands for several sets of tasks, told apart by their sizes."""


def read(batch: Batch) -> None:
    """Read one `results_*.json`."""
    run = batch.source.document()
    config = run.optional_object("config")
    expected = None if config is None else config.optional_whole("num_samples")
    if "raw_task_results" in run.values:
        tasks = run.object("raw_task_results")
        if not tasks.values:
            raise tasks.error("must hold a task")
        samples = {task: tasks.objects(task) for task in tasks.values}
    elif "results" in run.values:
        samples = {}
        for entry in run.objects("results"):
            task = entry.name("task_id")
            if task in samples:
                raise entry.error(f"the task {task!r} is there twice")
            samples[task] = entry.objects("results")
    else:
        raise run.error("`raw_task_results` or `results` is missing: these files hold no samples without it")
    for task, attempts in samples.items():
        batch.expect(len(attempts), expected, f"samples of task {task!r}")
    _add(batch, run, samples)


def _add(batch: Batch, run: Fields, samples: dict[str, list[Fields]]) -> None:
    suite = run.optional_text("benchmark") or batch.source.path.resolve().parent.name
    suite = f"{suite}-{len(samples)}" if suite in SIZED else suite
    agent = run.text("assistant")
    run_judge = run.optional_text("judge_model")
    for task, attempts in samples.items():
        for number, attempt in enumerate(attempts):
            judge = attempt.optional_text("judge_model") or run_judge
            passed = attempt.boolean("passed")
            batch.add(
                attempt,
                suite=suite,
                agent=agent,
                task=task,
                sample=number,
                passed=passed,
                valid=_valid(attempt),
                error=None if passed else _error(attempt),
                evaluator=f"judge={judge}" if judge else None,
                flags=(NON_IID, LLM_JUDGED) if judge else (),
            )


def _valid(attempt: Fields) -> bool | None:
    if _empty(attempt):
        return False
    return attempt.optional_boolean("syntax_valid")


def _error(attempt: Fields) -> SampleError:
    if _empty(attempt):
        return SampleError.EMPTY_OUTPUT
    if attempt.optional_boolean("syntax_valid") is False:
        return SampleError.UNPARSEABLE
    return SampleError.RUNTIME_ERROR if attempt.optional_boolean("runtime_error") else SampleError.FAILED


def _empty(attempt: Fields) -> bool:
    code = attempt.optional_text("code")
    return code is not None and not code.strip()
