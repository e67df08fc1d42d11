"""verifiers: `traces.jsonl`, as verifiers 0.4 saves an evaluation.

Source: github.com/PrimeIntellect-ai/verifiers 0.4.0, `verifiers/v1/utils/trace_store.py`, `episode.py` and
`trace.py` (trace version 1). A line is one episode: `env.id`, `task` (`key`, `hash`, `data.idx`), `ok`,
`errors` and `traces`, one an agent, with `agent.config.model`, `rewards`: name → `{score, weight}` or null,
`metrics`: name → number or null, `ok`, `is_timeout`, `stop_condition`. `configs/resolved/eval.json` beside
it, if it is there, has `model`, for agents that do not name their own, and `num_rollouts`.

The score is the weighted sum of the rewards; a single reward or metric is said by its name. An episode that
is not `ok`, or whose score is null, is missing: it is no judgement of the model. Episodes of several agents
are refused, because a record is of one. Rollouts are not numbered; the version of the environment is not
stored, so the evaluator is not known.
"""

from collections import Counter
from typing import Final

from quantum_circuit_env.evals.ingest.batch import Batch, named, numbered
from quantum_circuit_env.evals.ingest.fields import Fields
from quantum_circuit_env.evals.ingest.records import SampleError

FILE: Final = "traces.jsonl"
_CONFIG: Final = "configs/resolved/eval.json"


def read(batch: Batch) -> None:
    """Read one `traces.jsonl` and the configuration below it."""
    beside = batch.sidecar(_CONFIG)
    config = None if beside is None else beside.document()
    episodes = [(_task(episode.object("task")), episode) for episode in batch.source.lines()]
    rollouts = None if config is None else config.optional_whole("num_rollouts")
    for task, count in Counter(task for task, _ in episodes).items():
        batch.expect(count, rollouts, f"rollouts of task {task!r}")
    for task, number, episode in numbered(pair for pair in episodes if _scored(batch, pair[1])):
        trace = _trace(episode)
        score = _score(trace, batch.options.metric)
        if score is None:
            batch.unscored(trace, "the reward is null: the rollout was not scored")
            continue
        batch.add(
            trace,
            suite=episode.object("env").text("id"),
            agent=_model(batch, config, trace),
            task=task,
            sample=number,
            score=score,
            error=SampleError.TIMEOUT if trace.optional_boolean("is_timeout") else None,
        )


def _task(task: Fields) -> str:
    """Return what names a task: its key, which is its digest unless it was given one; or its index."""
    known = task.optional_text("key") or task.optional_text("hash")
    return known if known is not None else task.object("data").name("idx")


def _scored(batch: Batch, episode: Fields) -> bool:
    """Whether an episode ended well; if not, note it as missing."""
    if episode.boolean("ok"):
        return True
    batch.unscored(episode, "the rollout ended in an error")
    return False


def _trace(episode: Fields) -> Fields:
    traces = episode.objects("traces")
    if len(traces) > 1:
        raise episode.error(f"{len(traces)} agents took part, and a record is of one")
    return traces[0]


def _score(trace: Fields, metric: str | None) -> float | None:
    rewards = trace.object("rewards")
    if metric is None:
        return (
            None if None in rewards.values.values() else sum(_value(rewards, name) for name in rewards.values)
        )
    if metric in rewards.values:
        reward = rewards.optional_object(metric)
        return None if reward is None else reward.number("score")
    metrics = trace.object("metrics")
    return None if metrics.values.get(metric, 0) is None else metrics.number(metric)


def _value(rewards: Fields, name: str) -> float:
    reward = rewards.object(name)
    return reward.number("score") * reward.number("weight")


def _model(batch: Batch, config: Fields | None, trace: Fields) -> str:
    own = trace.object("agent").object("config").optional_text("model")
    known = own or (None if config is None else config.optional_text("model"))
    return batch.options.agent or named(known, "--agent", batch.source, "agent")
