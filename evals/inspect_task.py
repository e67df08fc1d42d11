"""The game as a task of Inspect (the package `inspect-ai`), played by the model that Inspect gives.

    inspect eval evals/inspect_task.py --model openai/gpt-4o-mini -T tiers=easy -T turns=15

Prompt, parser and loop are those of the agent `llm`. A metric's name says its tier, as in
`easy_norm_score_stderr`: there is no number over all tiers, and no two metrics have one name.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import anyio
import anyio.from_thread
import anyio.to_thread

from qrewrite.game import STEP_LIMIT
from qrewrite.tasks import TIERS
from quantum_circuit_env.agents.hosting import RemoteHost
from quantum_circuit_env.agents.llm import LlmAgent
from quantum_circuit_env.agents.provider import Message, ProviderError
from quantum_circuit_env.agents.replies import Reply, Usage
from quantum_circuit_env.agents.session import Session
from quantum_circuit_env.agents.vocabulary import EndReason
from quantum_circuit_env.evals.configuration import EvaluateError, first_seeds
from quantum_circuit_env.evals.playing import LocalSession, instance, play_unit
from quantum_circuit_env.evals.records import Episode
from quantum_circuit_env.evals.revision import evaluator_revision
from quantum_circuit_env.evals.stats.extras import require
from quantum_circuit_env.evals.units import Unit

if TYPE_CHECKING:
    from quantum_circuit_env.agents.loop import Game

_EXTRA: Final = "inspect"
_inspect = require("inspect_ai", extra=_EXTRA)
_models = require("inspect_ai.model", extra=_EXTRA)
_scoring = require("inspect_ai.scorer", extra=_EXTRA)
# Inspect finds tasks in a file by the decorator's own name.
task = _inspect.task
solver = require("inspect_ai.solver", extra=_EXTRA).solver

EPISODE: Final = "quantum_circuit_env:episode"
"""Key of a sample's store that has the episode's record, one line of JSON as in `episodes.jsonl`."""

SCORES: Final = ("norm_score", "score", "success_t1")
"""Fields of the record that are scored, each by a scorer of its name."""

_SERVER_PATIENCE: Final = 30.0


@task  # type: ignore[untyped-decorator]
def quantum_circuit(
    tiers: str | Sequence[str] = tuple(TIERS),
    split: str = "test",
    seeds: int = 20,
    turns: int = STEP_LIMIT,
    url: str | None = None,
) -> Any:
    """Return the task: a sample is a seed of a tier, an epoch an episode on it.

    Args:
        tiers: which, as a list or separated by commas.
        split: split of the seeds.
        seeds: that many of each tier, the split's first ones.
        turns: turns of an episode at most.
        url: address of a server to play on; in process without.

    Raises:
        EvaluateError: if there is no such tier, or the split has not so many seeds.
    """
    chosen = tiers.split(",") if isinstance(tiers, str) else list(tiers)
    unknown = [tier for tier in chosen if tier not in TIERS]
    if unknown or not 1 <= turns <= STEP_LIMIT:
        raise EvaluateError(
            f"tiers are of {', '.join(TIERS)} and turns in 1..{STEP_LIMIT}; "
            f"got {', '.join(map(str, chosen))} and {turns}"
        )
    samples = [_sample(tier, split, seed) for tier in chosen for seed in first_seeds(split, seeds)]
    return _inspect.Task(
        dataset=samples,
        solver=play(turns=turns, url=url),
        scorer=[_scorer(field) for field in SCORES],
        version=evaluator_revision(turns=turns).version,
        metadata={"evaluator_revision": str(evaluator_revision(turns=turns))},
    )


def _sample(tier: str, split: str, seed: int) -> Any:
    return require("inspect_ai.dataset", extra=_EXTRA).Sample(
        id=f"{tier}-{seed}",
        input=str(instance(tier, seed)),
        metadata={"tier": tier, "seed": seed, "split": split},
    )


@solver  # type: ignore[untyped-decorator]
def play(turns: int = STEP_LIMIT, url: str | None = None) -> Any:
    """Return the solver that plays a sample's episode and puts its record into the store."""
    revision = str(evaluator_revision(turns=turns))

    async def solve(state: Any, _generate: Any) -> Any:
        model = _Model(_models.get_model())
        tier, seed = state.metadata["tier"], state.metadata["seed"]
        unit = Unit(revision, f"inspect:{model.model}", tier, seed, state.epoch - 1)
        play_it = partial(_play, unit, model, turns, url, state.metadata["split"])
        # A limiter of its own: how many samples are played at once is Inspect's business.
        episode = await anyio.to_thread.run_sync(play_it, limiter=anyio.CapacityLimiter(1))
        state.store.set(EPISODE, episode.to_json())
        if model.last is not None:
            state.output = model.last
        return state

    return solve


def _play(unit: Unit, model: "_Model", turns: int, url: str | None, split: str) -> Episode:
    session: Game = LocalSession() if url is None else Session(RemoteHost(url, _SERVER_PATIENCE))
    try:
        return play_unit(unit, lambda _rng: LlmAgent(model), session, turns, split=split)
    finally:
        session.close()


class _Model:
    """Inspect's model, asked from the thread that plays; what fails in it is left to Inspect.

    Attributes:
        last: what it answered last.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self.last: Any = None

    @property
    def model(self) -> str:
        """The model's name."""
        return str(self._model)

    def reply(self, messages: Sequence[Message]) -> Reply:
        """Return the model's reply, or raise a ProviderError if the prompt does not fit it."""
        kinds = {"system": _models.ChatMessageSystem, "user": _models.ChatMessageUser}
        asked = [kinds[message["role"]](content=message["content"]) for message in messages]
        self.last = output = anyio.from_thread.run(self._model.generate, asked)
        if output.stop_reason == "model_length":
            raise ProviderError("the prompt no longer fits the model", EndReason.CONTEXT_LIMIT)
        usage = output.usage
        return Reply(
            output.completion,
            cut_off=output.stop_reason == "max_tokens",
            refused=output.stop_reason == "content_filter",
            model=output.model,
            usage=Usage(usage.input_tokens, usage.output_tokens) if usage else Usage(),
        )


def _scorer(field: str) -> Any:
    """Return the scorer of a field of the record, with means and errors clustered by seed, tier by tier."""
    grouped = partial(_scoring.grouped, group_key="tier", all=False)
    metrics = [
        grouped(_scoring.mean(), name_template=f"{{group_name}}_{field}"),
        grouped(_scoring.stderr(cluster="seed"), name_template=f"{{group_name}}_{field}_stderr"),
    ]

    def make() -> Any:
        async def score(state: Any, _target: Any) -> Any:
            return _score(state.store.get(EPISODE), field, dict(state.metadata))

        return score

    return _scoring.scorer(metrics=metrics, name=field)(make)()


def _score(line: str | None, field: str, metadata: dict[str, Any]) -> Any:
    """Return the score of a record; without a result it is unscored, never zero."""
    if line is None:
        return _scoring.Score.unscored(explanation="no episode was played", metadata=metadata)
    episode = Episode.from_json(line)
    told = {
        **metadata,
        "end_reason": episode.end_reason.value,
        "evaluator_revision": episode.evaluator_revision,
        **{name: getattr(episode, name) for name in ("g0", "g", "g_best", "steps", "turns", "replies")},
        **{name: getattr(episode, name) for name in ("valid_outputs", "legal_actions", "action_digest")},
        "classes": {kind.value: count for kind, count in episode.classes.items()},
    }
    value = getattr(episode, field)
    if value is None:
        reason = episode.error or "nothing can be removed from this circuit"
        return _scoring.Score.unscored(explanation=reason, metadata=told)
    left = f"{episode.g} of {episode.g0} gates left, best known {episode.g_best}"
    return _scoring.Score(value=float(value), answer=left, metadata=told)
