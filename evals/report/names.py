"""What tables call agents whose specs are long: a model by what sets it apart from the others."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final, NamedTuple

from quantum_circuit_env.agents.spec import CATALOGUE, AgentSpec, SpecError, Value
from quantum_circuit_env.evals.comparison import Comparison

_LABEL: Final = re.compile(r"(llm:[^ ]+)(.*)")
"""A model's spec, and behind it the run where that is needed."""

_KEPT: Final = "model"
"""What is always told."""


class Named(NamedTuple):
    """A comparison whose agents have their short names, and short name → label where these differ."""

    comparison: Comparison
    labels: Mapping[str, str]


def named(comparison: Comparison) -> Named:
    """Call agents by their short names, in numbers and in words."""
    labels = {own.agent for tier in comparison.tiers for own in tier.standings}
    short = {label: name for label, name in short_names(labels).items() if label != name}
    made: Comparison = _renamed(comparison, short)
    # What is told of an agent names it in the midst of words.
    told = tuple(_with_names(warning, short) for warning in comparison.warnings)
    ordered = {short[label]: label for label in sorted(short)}
    return Named(replace(made, warnings=told), ordered)


def short_names(labels: Iterable[str]) -> dict[str, str]:
    """Return what to call each agent: without options that are the default or that all models share.

    Two agents never get one name: they differ in an option, which at least one of them does not have as the
    default, or in their model.
    """
    every = list(labels)
    specs = {label: found for label in every if (found := _spec(label)) is not None}
    values: defaultdict[str, set[Value]] = defaultdict(set)
    for spec, _ in specs.values():
        for option, value in spec.options:
            values[option].add(value)
    shared = {option for option, found in values.items() if len(specs) > 1 and len(found) == 1}
    return {label: _short(*specs[label], shared) if label in specs else label for label in every}


def _spec(label: str) -> tuple[AgentSpec, str] | None:
    found = _LABEL.fullmatch(label)
    if found is None:
        return None
    try:
        return AgentSpec.parse(found[1]), found[2]
    except SpecError:
        return None


def _short(spec: AgentSpec, run: str, shared: set[str]) -> str:
    defaults = {option.name: option.default for option in CATALOGUE[spec.name].options}
    told = [
        f"{option}={value}"
        for option, value in sorted(spec.options, key=lambda item: item[0] != _KEPT)
        if option == _KEPT or not (option in shared or value == defaults[option])
    ]
    return f"{spec.name}:{','.join(told)}{run}"


def _with_names(text: str, short: Mapping[str, str]) -> str:
    for label in sorted(short, key=len, reverse=True):
        text = text.replace(label, short[label])
    return text


def _renamed(value: object, short: Mapping[str, str]) -> Any:
    """Return a value in which each text that is a label is the short name."""
    if isinstance(value, str):
        return short.get(value, value)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {field.name: _renamed(getattr(value, field.name), short) for field in fields(value)}
        return replace(value, **changed)
    if isinstance(value, Mapping):
        return {_renamed(key, short): _renamed(each, short) for key, each in value.items()}
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(_renamed(each, short) for each in value)
    return value
