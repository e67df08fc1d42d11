"""OpenEnv: `results.jsonl` with `metadata.json`, as `openenv collect` of openenv 0.10 writes them.

Source: `openenv.core.harness.collect`. A line is one episode: `{episode_id, reward, done, task, messages,
…}`; the metadata have `env`, `provider`, `model` and `num_episodes_requested`. The reward is the score.
Episodes whose `task` is null are each a task of their own, named by `episode_id`, which is the same for
every agent that was given the same plan. The evaluator is not named. `openenv collect` drops episodes that
lost, unless it is told to keep them: then samples are missing, and what is left speaks of the others only.
"""

from quantum_circuit_env.evals.ingest.batch import Batch, numbered
from quantum_circuit_env.evals.ingest.errors import IngestError
from quantum_circuit_env.evals.ingest.fields import Fields, canonical


def read(batch: Batch) -> None:
    """Read one `results.jsonl` and the `metadata.json` beside it."""
    beside = batch.sidecar("metadata.json")
    if beside is None:
        raise IngestError(
            batch.source.name, "", "there is no metadata.json beside it, which names the environment"
        )
    metadata = beside.document()
    suite = metadata.text("env")
    agent = "/".join(filter(None, (metadata.text("provider"), metadata.optional_text("model"))))
    lines = list(batch.source.lines())
    _refuse_repeated(lines)
    batch.expect(len(lines), metadata.optional_whole("num_episodes_requested"), "episodes")
    for task, number, line in numbered(_tasks(lines)):
        batch.add(line, suite=suite, agent=agent, task=task, sample=number, score=line.number("reward"))


def _refuse_repeated(lines: list[Fields]) -> None:
    seen: dict[str, Fields] = {}
    for line in lines:
        episode = line.text("episode_id")
        if episode in seen:
            raise line.error(f"the episode {episode!r} is there already, on {seen[episode].place}")
        seen[episode] = line


def _tasks(lines: list[Fields]) -> list[tuple[str, Fields]]:
    """Return the lines with their tasks; text as it is, anything else as JSON."""
    tasks = [line.values.get("task") for line in lines]
    if all(task is None for task in tasks):
        return [(line.text("episode_id"), line) for line in lines]
    if None in tasks:
        raise lines[tasks.index(None)].error(
            "`task` is null here and not elsewhere: all or none must have one"
        )
    return [
        (task if isinstance(task, str) else canonical(task), line)
        for task, line in zip(tasks, lines, strict=True)
    ]
