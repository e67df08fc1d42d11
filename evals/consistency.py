"""Whether the facts of a record agree; whether they follow from its actions, `rescore` tells."""

from collections import Counter
from collections.abc import Iterator
from math import fsum
from typing import TYPE_CHECKING, Any, Final

from quantum_circuit_env.agents.loop import SUCCESS_SCORE
from quantum_circuit_env.agents.vocabulary import UNUSABLE, ErrorClass
from quantum_circuit_env.evals.stats.scores import normalised_score, success

if TYPE_CHECKING:
    from quantum_circuit_env.evals.records import Episode

_RESULTS: Final = (
    "score",
    "norm_score",
    "compression",
    "score_without_bonus",
    "legacy_success",
    "success_t1",
    "success_t50",
)
"""Null while an episode is incomplete."""


def contradiction(episode: "Episode") -> str | None:
    """Return which fact of a record contradicts the others, or None."""
    if max(episode.g, episode.g_best) > episode.g0:
        return f"g0 is {episode.g0}, g is {episode.g} and g_best is {episode.g_best}: no episode adds gates"
    if not episode.g0:
        return "g0 is 0: no task is an empty circuit"
    for name, told, follows in _derived(episode):
        if told != follows:
            return f"{name} is {_json(told)}, from the other facts follows {_json(follows)}"
    if episode.strict_outputs > episode.valid_outputs:
        return f"strict_outputs is {episode.strict_outputs}, valid_outputs only {episode.valid_outputs}"
    return None


def _derived(episode: "Episode") -> Iterator[tuple[str, Any, Any]]:
    """Yield each fact that others decide: its name in JSON, what is told, and what follows."""
    kinds = Counter(str(played.turn_class) for played in episode.actions)
    told = {str(kind): count for kind, count in episode.classes.items() if kind is not ErrorClass.API_ERROR}
    yield "classes", told, dict(kinds)
    yield "replies", episode.replies, episode.turns
    usable = sum(played.turn_class not in UNUSABLE for played in episode.actions)
    yield "valid_outputs", episode.valid_outputs, usable
    yield "legal_actions", episode.legal_actions, kinds[ErrorClass.OK]
    # Rewards have two decimals.
    yield "return", episode.episode_return, round(fsum(episode.rewards), 2)
    if episode.score is None:
        yield from ((name, getattr(episode, name), None) for name in _RESULTS)
        return
    norm = normalised_score(episode.g0, episode.g, episode.g_best)
    yield "norm_score", episode.norm_score, norm
    yield "compression", episode.compression, (episode.g0 - episode.g) / episode.g0
    yield "success_t1", episode.success_t1, success(norm)
    yield "success_t50", episode.success_t50, success(norm, threshold=0.5)
    yield "legacy_success", episode.legacy_success, episode.score >= SUCCESS_SCORE


def _json(value: object) -> str:
    return "null" if value is None else str(value)
