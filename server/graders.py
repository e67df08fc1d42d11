"""The graders: the only place with grading mathematics.

Pure and total. A grader takes an observation, an environment, a state, a mapping or nothing at all, and
answers with the tier's floor when it finds no episode in it. Grading a forged observation grades the forgery:
what counts is the score that the server itself reports.
"""

from collections.abc import Callable, Mapping
from operator import index
from typing import Final, NamedTuple

from qrewrite.game import Scoring
from qrewrite.tasks import TIERS


class Outcome(NamedTuple):
    """What a grade depends on: gates at the start, gates left, and whether an identity has been applied."""

    initial: int
    final: int
    used_advanced_actions: bool


def score(scoring: Scoring, initial: int, final: int, used_advanced_actions: bool) -> float:
    """Return the grade in [floor, ceiling]; the floor when the counts are not those of an episode."""
    if not 0 <= final < initial:
        return scoring.floor
    compression = (initial - final) / initial
    if compression < scoring.gate:
        return scoring.floor
    bonus = scoring.bonus if used_advanced_actions else 0.0
    return min(max(compression + bonus, scoring.floor), scoring.ceiling)


def grade_easy(episode: object = None) -> float:
    """Return the share of gates removed."""
    return _grade("easy", episode)


def grade_medium(episode: object = None) -> float:
    """Return the share of gates removed, and the bonus once an identity has been applied."""
    return _grade("medium", episode)


def grade_hard(episode: object = None) -> float:
    """Return the share of gates removed if it reaches the gate."""
    return _grade("hard", episode)


GRADERS: Final[Mapping[str, Callable[[object], float]]] = {
    "easy": grade_easy,
    "medium": grade_medium,
    "hard": grade_hard,
}
"""Task → grader."""


def grade(episode: object = None) -> float:
    """Grade an episode by its own task; the floor when it names none."""
    task = _find(episode, "task")
    grader = GRADERS.get(task) if isinstance(task, str) else None
    return Scoring().floor if grader is None else grader(episode)


def _grade(task: str, episode: object) -> float:
    scoring = TIERS[task].scoring
    outcome = _outcome(episode)
    return scoring.floor if outcome is None else score(scoring, *outcome)


def _outcome(episode: object) -> Outcome | None:
    initial = _count(_find(episode, "initial_count"))
    final = _count(_find(episode, "gate_count", "final_count"))
    if initial is None or final is None:
        return None
    return Outcome(initial, final, _find(episode, "used_advanced_actions") is True)


def _count(value: object) -> int | None:
    """Return an integer of any type, or None for whatever else it is, booleans and floats among it."""
    if isinstance(value, bool):
        return None
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


_INSIDE: Final = ("metadata", "observation", "state")
"""Where an observation, a reply and an environment carry what is not at their top."""


def _find(episode: object, *names: str) -> object:
    """Return the first of the named facts that the episode carries, at its top or inside it."""
    level = [episode]
    for _ in range(3):
        for holder in level:
            for name in names:
                found = _get(holder, name)
                if found is not None:
                    return found
        level = [inner for holder in level for name in _INSIDE if (inner := _get(holder, name)) is not None]
    return None


def _get(holder: object, name: str) -> object:
    if isinstance(holder, Mapping):
        return holder.get(name)
    return getattr(holder, name, None)
