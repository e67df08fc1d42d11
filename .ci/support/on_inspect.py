"""The game as a task of Inspect, with its mock model: what it records and scores, and what is no score."""

import json
import math
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspect_ai import eval as evaluated
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from qrewrite.tasks import TIERS
from quantum_circuit_env.agents.llm import LlmAgent
from quantum_circuit_env.agents.replies import Reply
from quantum_circuit_env.evals.inspect_task import EPISODE, SCORES, quantum_circuit
from quantum_circuit_env.evals.playing import LocalSession, play_unit
from quantum_circuit_env.evals.records import Episode
from quantum_circuit_env.evals.units import Unit

TURNS = 8


def answer(text: str) -> str:
    """Answer a question: cancel a gate that depends on its words alone."""
    return json.dumps({"target_index": sum(map(ord, text)) % 12, "action_type": 1})


def garbage(_text: str) -> str:
    """Answer with no action."""
    return "I would cancel the first two gates."


def broken(_text: str) -> str:
    """Fail as a service fails."""
    raise RuntimeError("the service is away")


class Direct:
    """The same answers without Inspect."""

    model = "direct"

    def reply(self, messages: Any) -> Reply:
        """Return the answer to the last message."""
        return Reply(answer(messages[-1]["content"]))


def played(logs: Path, reply: Callable[[str], str], **asked: Any) -> Any:
    """Evaluate the mock model with these replies and return the log."""

    def output(messages: Any, *_rest: Any) -> ModelOutput:
        found = ModelOutput.from_content("mockllm", reply(messages[-1].text))
        # Without it, tokens would be counted with a vocabulary from the network.
        found.usage = ModelUsage(input_tokens=5, output_tokens=2, total_tokens=7)
        return found

    epochs = asked.pop("epochs", 1)
    model = get_model("mockllm/model", custom_outputs=output, memoize=False)
    task = quantum_circuit(turns=TURNS, **asked)
    (log,) = evaluated(
        task, model=model, epochs=epochs, log_dir=str(logs), display="none", fail_on_error=False
    )
    return log


def check(what: str, held: object) -> None:
    """Tell what holds; stop at what does not."""
    if not held:
        raise SystemExit(f"failed: {what}")
    print(f"ok: {what}")


def error_of(log: Any, tier: str, field: str) -> float:
    """Standard error of a tier's mean, from the means of its seeds."""
    seeds: defaultdict[int, list[float]] = defaultdict(list)
    for sample in log.samples:
        if sample.metadata["tier"] == tier:
            seeds[sample.metadata["seed"]].append(sample.scores[field].value)
    means = [sum(values) / len(values) for values in seeds.values()]
    mean = sum(means) / len(means)
    return math.sqrt(sum((m - mean) ** 2 for m in means) / (len(means) - 1) / len(means))


def main(logs: Path) -> None:
    """Try the task."""
    log = played(logs, answer, tiers="easy,medium", seeds=4, epochs=2)
    check("an evaluation of 16 episodes succeeds", log.status == "success" and len(log.samples) == 16)
    metrics = {name: found.value for score in log.results.scores for name, found in score.metrics.items()}
    names = [name for score in log.results.scores for name in score.metrics]
    tiers = ("easy", "medium")
    wanted = {f"{tier}_{field}{end}" for tier in tiers for field in SCORES for end in ("", "_stderr")}
    check("each metric has a name of its own, with its tier", sorted(names) == sorted(wanted))
    for tier in tiers:
        check(
            f"the standard error of {tier} is that of its seeds",
            math.isclose(metrics[f"{tier}_score_stderr"], error_of(log, tier, "score"), rel_tol=1e-9),
        )
    for sample in log.samples:
        kept = Episode.from_json(sample.store[EPISODE])
        unit = Unit(kept.evaluator_revision, "direct", kept.tier, kept.seed, kept.sample)
        again = play_unit(unit, lambda _rng: LlmAgent(Direct()), LocalSession(), TURNS)
        told = sample.scores["score"].metadata
        same = (again.action_digest, again.score) == (kept.action_digest, kept.score)
        if not same or (told["tier"], told["seed"]) != (kept.tier, kept.seed):
            raise SystemExit(f"failed: {sample.id} is not what it is without Inspect")
    check("every episode is what the agent llm plays with these replies, and tells its tier and seed", True)

    log = played(logs, garbage, seeds=2)
    floors = {
        sample.scores["score"].value - TIERS[sample.metadata["tier"]].scoring.floor for sample in log.samples
    }
    classes = {kind for sample in log.samples for kind in sample.scores["score"].metadata["classes"]}
    check(
        "replies that are no action score the floor, with their class",
        (floors, classes) == ({0.0}, {"unparseable"}),
    )

    log = played(logs, broken, tiers="easy", seeds=2)
    scored = [score for sample in log.samples for score in (sample.scores or {}).values()]
    check(
        "a model that fails is an error of Inspect's and no score",
        all(sample.error for sample in log.samples) and all(math.isnan(score.value) for score in scored),
    )
    try:
        quantum_circuit(tiers="easy,none")
    except ValueError as error:
        check("a tier that is none is refused with those that are", "easy, medium, hard" in str(error))
    else:
        check("a tier that is none is refused", False)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
