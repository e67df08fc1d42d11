"""How an agent is named: `beam:width=64`. Which agents there are, and what can be chosen about each."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from qrewrite.circuits.errors import shown
from quantum_circuit_env.agents.provider import Limits

Value: TypeAlias = int | float | str

_NUMBER: Final = re.compile(r"(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_DIGITS: Final = re.compile(r"[0-9]{1,18}")
_WORD: Final = re.compile(r"[!-+\--<>-~]{1,200}")


class SpecError(ValueError):
    """Raised for a text that names no agent; says what is allowed."""


class Option(NamedTuple):
    """Something that can be chosen about an agent.

    Attributes:
        name: how it is called.
        kind: int, float, or str for a word without blanks.
        low, high: bounds of a number, both allowed.
        default: its value when the spec does not mention it; None if the spec must.
    """

    name: str
    kind: type[int] | type[float] | type[str]
    low: float = 0
    high: float = 0
    default: Value | None = None

    @property
    def allowed(self) -> str:
        """What it may be, in words."""
        if self.kind is str:
            return "1 to 200 visible ASCII characters without , and ="
        return f"{'an integer' if self.kind is int else 'a number'} in {self.low}..{self.high}"

    def __str__(self) -> str:
        chosen = "… (to be given)" if self.default is None else self.default
        return f"{self.name}={chosen}: {self.allowed}"

    def read(self, text: str) -> Value:
        """Return the value that a text stands for, or raise a SpecError."""
        if self.kind is str:
            if _WORD.fullmatch(text):
                return text
        elif (_DIGITS if self.kind is int else _NUMBER).fullmatch(text):
            number = int(text) if self.kind is int else float(text)
            if self.low <= number <= self.high:
                return number
        raise SpecError(f"{self.name} must be {self.allowed}, got {shown(text)}")


class Listing(NamedTuple):
    """What is told of an agent: what it does, in one line, and what can be chosen about it."""

    summary: str
    options: tuple[Option, ...] = ()


CATALOGUE: Final[Mapping[str, Listing]] = {
    "null": Listing("plays nothing at all"),
    "invalid-spam": Listing("plays actions that are refused, to the last step"),
    "swap-loop": Listing("swaps two gates to and fro, to the last step"),
    "always-0-1": Listing("cancels gate 0, whether that is legal or not"),
    "uniform": Listing("draws index and type at random, legal or not"),
    "random-legal": Listing("draws from all legal actions"),
    "cancel-first": Listing("cancels what it can, then gathers the nearest triple"),
    "identity-first": Listing("gathers the nearest triple, cancels where there is none"),
    "best-of": Listing(
        "plays the best of k plays of reductions in random order", (Option("k", int, 1, 10_000, 20),)
    ),
    "beam": Listing("plans the whole episode with a beam over circuits", (Option("width", int, 1, 4096, 8),)),
    "optimal": Listing("plays the solver's plan; the one agent that knows more than it sees"),
    "llm": Listing(
        "asks a language model each turn",
        (
            Option("max_tokens", int, 1, 10**6, Limits().max_tokens),
            Option("model", str),
            Option("temperature", float, 0, 2, Limits().temperature),
        ),
    ),
}
"""Name → what is told of it, baselines first; options in alphabetical order."""


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """Which agent, with all its options; `parse` makes it, and `str` of it parses back to it.

    >>> spec = AgentSpec.parse("beam")
    >>> str(spec), spec["width"]
    ('beam:width=8', 8)

    Attributes:
        name: a key of CATALOGUE.
        options: name and value of each of its options, in alphabetical order.
    """

    name: str
    options: tuple[tuple[str, Value], ...] = ()

    @classmethod
    def parse(cls, text: str) -> "AgentSpec":
        """Read `name` or `name:option=value,option=value`, or raise a SpecError."""
        name, colon, rest = text.partition(":")
        if name not in CATALOGUE:
            raise SpecError(f"unknown agent {shown(name)}; the agents are {', '.join(CATALOGUE)}")
        given = _given(name, rest.split(",")) if colon else {}
        options = CATALOGUE[name].options
        unknown = given.keys() - {option.name for option in options}
        if unknown:
            allowed = ", ".join(option.name for option in options) or "none"
            raise SpecError(f"{name} has no option {shown(min(unknown))}; its options: {allowed}")
        return cls(name, tuple((option.name, _value(name, option, given)) for option in options))

    def __getitem__(self, option: str) -> Value:
        return dict(self.options)[option]

    def __str__(self) -> str:
        listed = ",".join(f"{name}={value}" for name, value in self.options)
        return f"{self.name}:{listed}" if listed else self.name


def _given(name: str, parts: list[str]) -> dict[str, str]:
    given: dict[str, str] = {}
    for part in parts:
        option, equals, value = part.partition("=")
        if not equals:
            raise SpecError(f"after {name}: come option=value, separated by commas, got {shown(part)}")
        if option in given:
            raise SpecError(f"{name}: {shown(option)} is given twice")
        given[option] = value
    return given


def _value(name: str, option: Option, given: Mapping[str, str]) -> Value:
    if option.name in given:
        return option.read(given[option.name])
    if option.default is None:
        raise SpecError(f"{name} needs {option.name}=…: {option.allowed}")
    return option.default
