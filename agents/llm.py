"""The agent that asks a language model, and what it asks."""

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Final, NamedTuple, Protocol

from qrewrite.game import view
from qrewrite.rules import RULES
from quantum_circuit_env.agents.agent import Decision, Seen, Turn
from quantum_circuit_env.agents.provider import Message, ProviderError
from quantum_circuit_env.agents.replies import Reply, Usage, read_reply
from quantum_circuit_env.agents.vocabulary import ErrorClass

REMEMBERED: Final = 8
"""Turns of which the model is reminded."""

SYSTEM: Final = (
    "You shorten quantum circuits by playing one action a turn. Answer each message with one JSON object and "
    'nothing after it: {"target_index": <integer>, "action_type": <integer>}. Exactly these two keys.'
)

_ADVICE: Final = {
    ErrorClass.EMPTY_OUTPUT: "your reply was empty",
    ErrorClass.BUDGET_EXHAUSTED: "your reply was cut off before its JSON object was complete; think less",
    ErrorClass.REFUSAL: "your reply was a refusal",
    ErrorClass.UNPARSEABLE: "your reply held no JSON object",
    ErrorClass.WRONG_KEYS: "the object must have exactly the keys target_index and action_type, once each",
    ErrorClass.WRONG_TYPE_OR_RANGE: "target_index must be an integer from 0, action_type one from 1 to 4",
    ErrorClass.OUT_OF_RANGE_INDEX: "there is no gate with that index",
}
"""What the model is told of a class of turns."""


class Exchange(NamedTuple):
    """One question and its answer.

    Attributes:
        asked: the messages.
        reply: the answer as it came.
        seconds: how long it took, retries included.
    """

    asked: Sequence[Message]
    reply: Reply
    seconds: float


class Service(Protocol):
    """A model that can be asked; a `Provider` is one."""

    @property
    def model(self) -> str:
        """The model's name."""

    def reply(self, messages: Sequence[Message]) -> Reply:
        """Return the model's reply, or raise a ProviderError when there will be none."""


class LlmAgent:
    """Asks a model for each turn; each question is complete, so that none needs the ones before it.

    Attributes:
        usage: what all its replies so far have cost.
        on_exchange: told of each answer, if somebody wants to know.
    """

    def __init__(self, provider: Service) -> None:
        self._provider = provider
        self.usage = Usage()
        self.on_exchange: Callable[[Exchange], None] | None = None

    @property
    def name(self) -> str:
        """The model's name."""
        return self._provider.model

    def decide(self, seen: Seen) -> Decision:
        """Return the model's answer, or raise a ProviderError when there will be none."""
        asked, began = messages(seen), perf_counter()
        try:
            reply = self._provider.reply(asked)
        except ProviderError as error:
            self.usage = self.usage.plus(Usage(retries=error.retries))
            raise
        self.usage = self.usage.plus(reply.usage)
        if self.on_exchange is not None:
            self.on_exchange(Exchange(asked, reply, perf_counter() - began))
        return read_reply(reply)


def messages(seen: Seen) -> list[Message]:
    """Return what the model is asked: rules, circuit, turns left, and what became of its last turns."""
    prompt = view.prompt_from_observation(
        seen.circuit,
        seen.scoring,
        initial_count=seen.initial_count,
        steps=seen.steps,
        used_advanced_actions=seen.used_advanced_actions,
        turn_budget=seen.turns_left,
    )
    past = _past(seen.turns)
    return [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": f"{prompt}\n\n{past}Your action?"},
    ]


def _past(turns: tuple[Turn, ...]) -> str:
    """Return the last turns as lines, latest last; empty when there are none."""
    first = max(0, len(turns) - REMEMBERED)
    lines = [f"{number}. {_told(turn)}" for number, turn in enumerate(turns[first:], first + 1)]
    return "\n".join(("Your last turns (indices as they were then):", *lines, "", "")) if lines else ""


def _told(turn: Turn) -> str:
    """Return what a turn was and why it was refused, if it was."""
    action, kind = turn.decision.action, turn.kind
    if action is None:
        return f"no action ({kind}): {_ADVICE[kind]}. Reward {turn.reward:+.2f}."
    if kind is ErrorClass.OK:
        return f"{action.text}: {turn.result}. Reward {turn.reward:+.2f}."
    why = _ADVICE.get(kind, f"it is allowed only if {RULES[action.action_type].condition}")
    return f"{action.text} was refused ({turn.result}): {why}. Reward {turn.reward:+.2f}."
