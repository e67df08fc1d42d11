"""verifiers: `results.jsonl` with `metadata.json`, as verifiers 0.1 saves an evaluation (see
`verifiers_traces` for the files of 0.4).

Source: github.com/PrimeIntellect-ai/verifiers, `verifiers/utils/save_utils.py`. A line is one rollout:
`{example_id, reward, error, is_truncated, …}`; the metadata have `env_id`, `model`, `num_examples`,
`rollouts_per_example` and, in newer versions, `version_info`, which tells the evaluator. The reward is the
score; another metric of the line is said by its name. A rollout with an error is missing: its reward is no
judgement of the model. Rollouts are not numbered. Fields as of verifiers 0.1.11.
"""

from collections import defaultdict
from typing import Final

from quantum_circuit_env.evals.ingest import verifiers_traces
from quantum_circuit_env.evals.ingest.batch import Batch, numbered
from quantum_circuit_env.evals.ingest.errors import IngestError
from quantum_circuit_env.evals.ingest.fields import Fields
from quantum_circuit_env.evals.ingest.records import SampleError

_VERSIONS: Final = ("vf_version", "vf_commit", "env_version", "env_commit")


def read(batch: Batch) -> None:
    """Read one `results.jsonl` and the `metadata.json` beside it, or a `traces.jsonl`."""
    if batch.source.path.name == verifiers_traces.FILE:
        verifiers_traces.read(batch)
        return
    beside = batch.sidecar("metadata.json")
    if beside is None:
        raise IngestError(batch.source.name, "", "there is no metadata.json beside it, which names the model")
    metadata = beside.document()
    suite, agent, metric = metadata.text("env_id"), metadata.text("model"), batch.options.metric or "reward"
    lines = [(line.name("example_id"), line) for line in batch.source.lines()]
    _expect(batch, metadata, [task for task, _ in lines])
    scored = []
    for task, line in lines:
        if line.values.get("error") is None:
            scored.append((task, line))
        else:
            batch.unscored(line, "the rollout ended in an error")
    for task, number, line in numbered(scored):
        batch.add(
            line,
            suite=suite,
            agent=agent,
            task=task,
            sample=number,
            score=line.number(metric),
            error=SampleError.BUDGET_EXHAUSTED if line.optional_boolean("is_truncated") else None,
            evaluator=_evaluator(metadata),
        )


def _expect(batch: Batch, metadata: Fields, tasks: list[str]) -> None:
    counts: dict[str, int] = defaultdict(int)
    for task in tasks:
        counts[task] += 1
    rollouts = metadata.optional_whole("rollouts_per_example")
    for task, count in counts.items():
        batch.expect(count, rollouts, f"rollouts of example {task!r}")
    # -1 asks for all examples, whose number the file does not have.
    if metadata.values.get("num_examples") != -1:
        batch.expect(len(counts), metadata.optional_whole("num_examples"), "examples")


def _evaluator(metadata: Fields) -> str | None:
    versions = metadata.optional_object("version_info")
    if versions is None:
        return None
    known = {name: versions.optional_text(name) for name in _VERSIONS}
    if not (known["vf_commit"] or known["vf_version"]) or not (known["env_commit"] or known["env_version"]):
        return None
    return " ".join(f"{name}={value}" for name, value in known.items() if value)
