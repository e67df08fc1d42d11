"""What an agent may see of an episode: the prompt, the circuit and the legality of actions.

Built here and nowhere else, for language models, the playground and the README alike. Nothing of how the
circuit was made and nothing of where it can be reduced is in it.
"""

from functools import cache, lru_cache
from typing import Final

from qrewrite.circuits import Circuit, GateRecord
from qrewrite.game.episode import STEP_LIMIT, Episode
from qrewrite.game.scoring import Scoring
from qrewrite.rules import INVALID_REWARD, RULES

LEGAL: Final = "ok"
"""Entry of a legality table where the action would be accepted."""


def circuit_records(episode: Episode) -> list[GateRecord]:
    """Return the circuit as JSON-ready records in the order of the list; the records are read-only."""
    return episode.position.wired.records.copy()


def legality(episode: Episode) -> list[list[str]]:
    """Return what each action would be answered, shape (gate_count, 4): `ok` or the refusal.

    Entry [i][t-1] is for action type t on gate i; on an episode that is done, what it would be were it not.
    """
    return [list(_answers(mask)) for mask in episode.position.masks()]


@cache
def _answers(mask: int) -> tuple[str, ...]:
    return tuple(LEGAL if mask & rule.bit else rule.refused.value for rule in RULES.values())


def prompt(episode: Episode, scoring: Scoring, *, turn_budget: int | None = None) -> str:
    """Return the text from which an agent can play: rules, rewards, grading, what is left, and the circuit.

    Args:
        episode: the episode as it stands.
        scoring: how it will be graded.
        turn_budget: turns that the agent has left if its harness allows fewer than the episode's steps.
    """
    wired = episode.position.wired
    left = _steps_left(episode.steps, turn_budget)
    earned = episode.used_advanced_actions
    return _prompt(wired.texts, wired.num_qubits, scoring, episode.initial_count, left, earned)


def prompt_json(episode: Episode, scoring: Scoring) -> str:
    """Return the same text as a JSON string, which costs less than to write the text as JSON afterwards."""
    wired = episode.position.wired
    left, earned = STEP_LIMIT - episode.steps, episode.used_advanced_actions
    text = _prompt(wired.texts, wired.num_qubits, scoring, episode.initial_count, left, earned, _IN_JSON)
    return f'"{text}"'


def prompt_from_observation(
    circuit: Circuit,
    scoring: Scoring,
    *,
    initial_count: int,
    steps: int,
    used_advanced_actions: bool,
    turn_budget: int | None = None,
) -> str:
    """Return the same text from what an observation carries, for a player who is not where the episode is.

    Args:
        circuit: the circuit as it stands.
        scoring: how the episode will be graded.
        initial_count: gates at the start.
        steps: actions played so far.
        used_advanced_actions: whether an action of type 3 or 4 has succeeded.
        turn_budget: as for `prompt`.
    """
    texts = [gate.text for gate in circuit.gates]
    left = _steps_left(steps, turn_budget)
    return _prompt(texts, circuit.num_qubits, scoring, initial_count, left, used_advanced_actions)


def _steps_left(steps: int, turn_budget: int | None) -> int:
    left = STEP_LIMIT - steps
    return left if turn_budget is None else min(left, turn_budget)


def _prompt(
    texts: list[str],
    num_qubits: int,
    scoring: Scoring,
    initial_count: int,
    left: int,
    earned: bool,
    end: str = "\n",
) -> str:
    """Return the prompt with `end` at the end of each line; it has nothing else that JSON would escape."""
    count = len(texts)
    pieces = _numbers(_NUMBERED, end)[: 2 * count] if count <= _NUMBERED else _numbers(count, end).copy()
    pieces[1::2] = texts
    bonus = (" Bonus: earned." if earned else " Bonus: not yet earned.") if scoring.bonus else ""
    return (
        f"{_rules_text(scoring, end)}{end}Steps left: {left}.{bonus} Gates: {count} now, {initial_count} at "
        f"the start. Qubits: {num_qubits}.{end}Circuit (index: gate qubits; the first gate acts first):"
        f"{''.join(pieces) or ' empty'}"
    )


@lru_cache(maxsize=4)
def _numbers(count: int, end: str) -> list[str]:
    """Return `count` line openings, each followed by a place for the gate's text; to be copied."""
    return [piece for index in range(count) for piece in (f"{end}{index}: ", "")]


_IN_JSON: Final = "\\n"
_NUMBERED: Final = 128
"""Gates of circuits of ordinary size, whose openings are made once."""


@cache
def _rules_text(scoring: Scoring, end: str) -> str:
    lines = [
        "Shorten the quantum circuit: remove as many gates as you can. Each turn play one action, "
        "a gate's index i (target_index, from 0) and an action_type:",
        *(
            f"{rule.action_type} {rule.name}: if {rule.condition}, {rule.effect}. Reward {rule.reward:+.2f}."
            for rule in RULES.values()
        ),
        f"Anything else is invalid, changes nothing and costs a step. Reward {INVALID_REWARD:+.2f}.",
        "CNOT lists its control first. CZ a b and SWAP a b are the same as CZ b a and SWAP b a.",
        "The episode ends when nothing can be reduced any more, even after swaps, "
        "or when the steps are used up.",
        _grading_text(scoring),
    ]
    return end.join(lines)


def _grading_text(scoring: Scoring) -> str:
    text = "Grade: c = (gates at the start - gates left) / gates at the start"
    if scoring.bonus:
        text += f", plus {scoring.bonus:.2f} once an action of type 3 or 4 has succeeded"
    if scoring.gate:
        text += f", but {scoring.floor:.2f} if c is below {scoring.gate:.2f}"
    text += f"; always between {scoring.floor:.2f} and {scoring.ceiling:.2f}"
    return f"{text}. Rewards do not count for it."
