"""The registry: how each agent of the catalogue is made, one instance for each episode."""

import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import Final, NamedTuple, Protocol

from qrewrite.policies import (
    Policy,
    beam_search,
    best_order,
    cancel_first,
    identity_first,
    optimal,
    random_legal,
    uniform,
)
from quantum_circuit_env.agents import scripted
from quantum_circuit_env.agents.agent import Agent
from quantum_circuit_env.agents.clock import Deadline
from quantum_circuit_env.agents.endpoint import KEYS, EndpointError, choose_endpoint, read_environment
from quantum_circuit_env.agents.llm import LlmAgent
from quantum_circuit_env.agents.pace import Pace
from quantum_circuit_env.agents.policy_agent import PolicyAgent
from quantum_circuit_env.agents.provider import Limits, Provider
from quantum_circuit_env.agents.spec import CATALOGUE, AgentSpec, Option

LLM: Final = "llm"
"""The agent that needs a provider."""


class _Maker(Protocol):
    def __call__(self, spec: AgentSpec, rng: Random, provider: Provider | None = None, /) -> Agent: ...


class Entry(NamedTuple):
    """An agent that can be named.

    Attributes:
        name, summary, options: as the catalogue has them.
        make: makes the agent for one episode, from its spec, its source of randomness and, for a model, the
            provider.
    """

    name: str
    summary: str
    options: tuple[Option, ...]
    make: _Maker


def make(spec: AgentSpec, rng: Random, provider: Provider | None = None) -> Agent:
    """Return a new agent, which knows of no other episode than the one that it is made for.

    Args:
        spec: which agent.
        rng: its source of randomness.
        provider: the model's service, for `llm`; shared by all its episodes.
    """
    return AGENTS[spec.name].make(spec, rng, provider)


def agent_factory(spec: AgentSpec, provider: Provider | None = None) -> Callable[[Random], Agent]:
    """Return what makes the agent of each episode from its source of randomness.

    Args:
        spec: which agent.
        provider: the model's service; for `llm` without one, what the environment and `.env` name.

    Raises:
        EndpointError: for `llm`, if there is no key or no address for it.
    """
    if spec.name == LLM and provider is None:
        provider = provider_from(spec, read_environment(os.environ, Path.cwd()))
    return partial(make, spec, provider=provider)


def provider_from(
    spec: AgentSpec,
    environ: Mapping[str, str],
    *,
    deadline: Deadline | None = None,
    log: Callable[[str], None] | None = None,
    pace: Pace | None = None,
) -> Provider:
    """Return the service of the model that an `llm` spec names.

    Args:
        spec: names the model and how it is asked.
        environ: as `agents.endpoint.read_environment` returns it; names the service and the key.
        deadline: when nothing is asked any more; never if None.
        log: told of requests that are repeated; by default standard error is.
        pace: how often its service may be asked, together with whoever else has it.

    Raises:
        EndpointError: if there is no key or no address for it.
    """
    endpoint = choose_endpoint(environ, model=str(spec["model"]))
    if endpoint is None:
        raise EndpointError(f"a model needs a key: set one of {', '.join(KEYS)}")
    limits = Limits(temperature=float(spec["temperature"]), max_tokens=int(spec["max_tokens"]))
    return Provider(endpoint, limits, deadline or Deadline(float("inf")), log=log or _log, pace=pace)


def _log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201


def _playing(policy: Policy) -> _Maker:
    return _planning(lambda _spec: policy)


def _planning(policy_of: Callable[[AgentSpec], Policy]) -> _Maker:
    def maker(spec: AgentSpec, rng: Random, _provider: Provider | None = None, /) -> Agent:
        return PolicyAgent(str(spec), policy_of(spec), rng)

    return maker


def _asking(_spec: AgentSpec, _rng: Random, provider: Provider | None = None, /) -> Agent:
    if provider is None:
        raise ValueError(f"{LLM} is made with a provider")
    return LlmAgent(provider)


_MAKERS: Final[Mapping[str, _Maker]] = {
    "null": _playing(scripted.nothing),
    "invalid-spam": _playing(scripted.invalid_spam),
    "swap-loop": _playing(scripted.swap_loop),
    "always-0-1": _playing(scripted.always_first),
    "uniform": _playing(uniform),
    "random-legal": _playing(random_legal),
    "cancel-first": _playing(cancel_first),
    "identity-first": _playing(identity_first),
    "best-of": _planning(lambda spec: best_order(int(spec["k"]))),
    "beam": _planning(lambda spec: beam_search(int(spec["width"]))),
    "optimal": _playing(optimal),
    LLM: _asking,
}

AGENTS: Final[Mapping[str, Entry]] = {
    name: Entry(name, listing.summary, listing.options, _MAKERS[name]) for name, listing in CATALOGUE.items()
}
"""Name → the agent; the same names as CATALOGUE, in its order."""
