"""The evaluator's revision: one short text for all that decides what a score means, and its parts by name.

Scores of different revisions are not comparable; their parts say why.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import ClassVar, Final, NamedTuple, TypeAlias

from pydantic import ConfigDict

from qrewrite.circuits import Circuit
from qrewrite.game import STEP_LIMIT, Action, Episode
from qrewrite.game.gather import actions_for
from qrewrite.rules import INVALID_REWARD, RULES, ActionResult
from qrewrite.tasks import GAME_VERSION, TIERS, generate
from quantum_circuit_env.agents.agent import Decision, Seen, Turn
from quantum_circuit_env.agents.llm import REMEMBERED, messages
from quantum_circuit_env.agents.loop import INVALID_STREAK
from quantum_circuit_env.agents.replies import PARSER_VERSION
from quantum_circuit_env.agents.vocabulary import UNUSABLE
from quantum_circuit_env.evals.optima import table_digest

EVALUATOR_VERSION: Final = "1.0.0"
"""Raised when episodes are played, normalised or counted in another way than before."""

Part: TypeAlias = str | int
"""What a part of the evaluator is: a version, a number, or a digest of what is too long to show."""


class Difference(NamedTuple):
    """One thing that is not the same on two sides; None where a side has no such thing."""

    part: str
    ours: object
    theirs: object

    def told(self, ours: str = "here", theirs: str = "there") -> str:
        """Return the difference as words, with a word for each side."""
        return f"{self.part}: {_shown(self.ours)} {ours}, {_shown(self.theirs)} {theirs}"


def _shown(value: object) -> str:
    return "nothing" if value is None else str(value)


def differences(ours: Mapping[str, object], theirs: Mapping[str, object]) -> list[Difference]:
    """Return in what two mappings differ, in the order of their keys."""
    return [
        Difference(part, ours.get(part), theirs.get(part))
        for part in {**ours, **theirs}
        if ours.get(part) != theirs.get(part)
    ]


@dataclass(frozen=True, slots=True)
class Revision:
    """What episodes are played and graded by.

    Attributes:
        version: version of the evaluator, major.minor.patch.
        parts: all that a score depends on beside the agent: name → version, number or digest.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(strict=True, extra="forbid")

    version: str
    parts: dict[str, Part]

    def __str__(self) -> str:
        """Return `<version>+<12 digits>`, by which records name the revision."""
        return f"{self.version}+{digest(canonical(self.parts))}"

    def differences(self, other: "Revision") -> list[Difference]:
        """Return in which parts the other one is not the same; empty for equal revisions."""
        return differences(
            {"evaluator_version": self.version, **self.parts},
            {"evaluator_version": other.version, **other.parts},
        )


def evaluator_revision(*, turns: int) -> Revision:
    """Return the revision of this evaluator with that many turns an episode."""
    return Revision(
        EVALUATOR_VERSION,
        {
            "game_version": GAME_VERSION,
            "golden_digest": golden_digest(),
            "grader_source": grader_digest(),
            "scoring": digest(canonical({tier.name: asdict(tier.scoring) for tier in TIERS.values()})),
            "optima": table_digest()[:12],
            "parser_version": PARSER_VERSION,
            "prompt_template": prompt_digest(),
            "turns": turns,
            "step_limit": STEP_LIMIT,
            "invalid_streak": INVALID_STREAK,
        },
    )


def canonical(value: object) -> str:
    """Return the one JSON text of a value: keys sorted, no blanks, ASCII, nothing that is no number."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(text: str) -> str:
    """Return the first 12 hexadecimal digits of a text's SHA-256."""
    return sha256(text.encode()).hexdigest()[:12]


@cache
def grader_digest() -> str:
    """Return the digest of the graders' source, the same whatever its line ends are."""
    return digest((files("quantum_circuit_env.server") / "graders.py").read_text("utf-8"))


@cache
def golden_digest() -> str:
    """Return the digest of a few episodes: their circuits, and what each of their actions comes to."""
    return digest("\n".join(line for tier in TIERS for seed in range(3) for line in _episode(tier, seed)))


def _episode(tier: str, seed: int) -> Iterator[str]:
    """Play any action, then the first reduction, and so on; yield the circuit and what came of it all."""
    circuit = generate(tier, seed)
    episode = Episode(circuit, par=TIERS[tier].par)
    yield f"{circuit.num_qubits}\n{circuit}"
    while not episode.done:
        anything = Action(7 * episode.steps % (episode.gate_count + 1), 1 + episode.steps % len(RULES))
        yield _play(episode, anything)
        if episode.position.reducible:
            for action in actions_for(episode.position, *next(episode.position.reductions())):
                yield _play(episode, action)


def _play(episode: Episode, action: Action) -> str:
    reward = episode.play(action.action_type, action.target_index)
    return f"{action.text} {episode.action_result} {reward!r} {episode.gate_count} {episode.termination}"


@cache
def prompt_digest() -> str:
    """Return the digest of what a language model is asked: the rules of every tier, every kind of turn."""
    circuit = Circuit.parse("H 0; X 0; Y 1; Z 1; CNOT 0 1; CZ 0 1; SWAP 0 1", num_qubits=2)
    turns = tuple(_kinds_of_turns())
    asked = [
        messages(Seen(circuit, tier.scoring, len(circuit), past, 15, past > 0, turns[:past]))
        for tier in TIERS.values()
        for past in range(0, len(turns) + REMEMBERED, REMEMBERED)
    ]
    return digest(canonical(asked))


def _kinds_of_turns() -> Iterator[Turn]:
    for error in sorted(UNUSABLE):
        yield Turn(Decision(None, error), ActionResult.INVALID_INDEX, INVALID_REWARD, Action(7, 1))
    for rule in RULES.values():
        action = Action(0, rule.action_type)
        for result, reward in (
            (rule.accepted, rule.reward),
            (rule.refused, INVALID_REWARD),
            (ActionResult.INVALID_INDEX, INVALID_REWARD),
        ):
            yield Turn(Decision(action), result, reward, action)
