"""The baseline: a language model, or without a key the built-in greedy agent, plays graded episodes.

Run `python inference.py`, or `python -m quantum_circuit_env.inference` from any folder; see `--help`.
Standard output holds the lines of the transcript and nothing else; what is for people goes to standard error.
"""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from qrewrite.game import STEP_LIMIT
from qrewrite.tasks import MAX_SEED, PUBLISHED_SEEDS, TIERS
from quantum_circuit_env.agents.agent import Agent
from quantum_circuit_env.agents.clock import Deadline
from quantum_circuit_env.agents.endpoint import KEYS, EndpointError, choose_endpoint, read_environment
from quantum_circuit_env.agents.episode import Runner
from quantum_circuit_env.agents.hosting import host
from quantum_circuit_env.agents.interrupts import Interrupts
from quantum_circuit_env.agents.llm import LlmAgent
from quantum_circuit_env.agents.loop import Plan, Record
from quantum_circuit_env.agents.provider import Limits, Provider
from quantum_circuit_env.agents.session import Session
from quantum_circuit_env.agents.summary import summary
from quantum_circuit_env.agents.transcript import Transcript, TranscriptError, plain

EPISODES: Final = 3
"""Episodes of each task on its published seed; other seeds are played once each."""

_LIMITS: Final = Limits()
_MOST_SEEDS: Final = 10_000

_BOUNDS: Final = (
    ("temperature", float, 0, 2, _LIMITS.temperature, "sampling temperature"),
    ("max-tokens", int, 1, 10**6, _LIMITS.max_tokens, "tokens of a reply at most"),
    ("request-timeout", float, 0.1, 3600, _LIMITS.timeout, "seconds for one request"),
    ("retries", int, 0, 20, _LIMITS.retries, "retries of a request that failed"),
    ("retry-pause", float, 0, 60, _LIMITS.pause, "seconds before the first retry"),
    ("longest-pause", float, 0, 600, _LIMITS.longest_pause, "longest wait before a retry"),
    ("run-budget", float, 0, 10**6, 1080.0, "seconds for the whole run"),
    ("server-wait", float, 0, 600, 10.0, "seconds to wait for a server at ENV_BASE_URL"),
)
"""Options that are numbers: name, kind, smallest and largest value, default, meaning."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Play what the command line asks for and return the exit status, 0 when every episode has its end."""
    options = _options(arguments)
    deadline = Deadline(options.run_budget)
    interrupts = Interrupts()
    interrupts.install()
    transcript = Transcript(_claimed_stdout(), interrupts)
    records: list[Record] = []
    try:
        settings = read_environment(os.environ, Path.cwd())
        agent = _agent(options, settings, deadline)
        plans = _plans(options)
        with host(settings, os.environ, patience=options.server_wait, interrupts=interrupts) as server:
            session = Session(server)
            runner = Runner(session, agent, transcript, deadline, turns=options.turns, log=_log)
            try:
                for number, plan in enumerate(plans, 1):
                    _log(f"episode {number} of {len(plans)}: {plan.task}, seed {plan.seed}")
                    records.append(runner.play(plan))
            finally:
                session.close()
    except EndpointError as error:
        _log(f"error: {error}")
        return 2
    except TranscriptError as error:
        _log(f"error: {error}")
        return 1
    finally:
        if records:
            _log(summary(records, model=agent.name))
    return 0


def _agent(options: argparse.Namespace, settings: Mapping[str, str], deadline: Deadline) -> Agent:
    """Return the model that the settings name, or the built-in agent when there is no key."""
    endpoint = None if options.offline else choose_endpoint(settings, model=options.model)
    if endpoint is None:
        # Imported here so that a model's process never holds the solver, which policies bring along.
        from quantum_circuit_env.agents.greedy import GreedyAgent

        why = "as asked for" if options.offline else f"since no key is set ({', '.join(KEYS)})"
        _log(f"The built-in greedy agent plays ({GreedyAgent.NAME}), {why}.")
        return GreedyAgent()
    _log(f"{plain(endpoint.model)} plays, at {endpoint.host}, with the key of {endpoint.key_name}.")
    limits = Limits(
        temperature=options.temperature,
        max_tokens=options.max_tokens,
        timeout=options.request_timeout,
        retries=options.retries,
        pause=options.retry_pause,
        longest_pause=options.longest_pause,
    )
    return LlmAgent(Provider(endpoint, limits, deadline, log=_log))


def _plans(options: argparse.Namespace) -> list[Plan]:
    episodes = options.episodes or (1 if options.seeds else EPISODES)
    return [
        Plan(task, seed)
        for task in options.tasks
        for seed in options.seeds or [PUBLISHED_SEEDS[task]]
        for _ in range(episodes)
    ]


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line; a wrong one ends the process with a message that says what is allowed."""
    parser = argparse.ArgumentParser(
        prog="inference.py",
        description="Let a language model play graded episodes, or the built-in greedy agent without a key.",
        epilog="The key is the first set of API_KEY, OPENAI_API_KEY and HF_TOKEN, in the environment or in "
        ".env; MODEL_NAME and API_BASE_URL name the model and its service. The server is the one at "
        "ENV_BASE_URL, the Docker image IMAGE_NAME, or one that is started for the run.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("--tasks", type=_tasks, default=",".join(TIERS), help="tasks, separated by commas")
    add("--seeds", type=_seeds, help="seeds to play instead, once each, e.g. 0-9 or 1,5,7-8")
    add(
        "--episodes", type=_number(int, 1, 10_000), help=f"episodes of a seed ({EPISODES}, or 1 with --seeds)"
    )
    add("--turns", type=_number(int, 1, STEP_LIMIT), default=15, help="turns of an episode at most")
    add("--model", help="model, instead of MODEL_NAME")
    add("--offline", action="store_true", help="let the built-in greedy agent play, key or not")
    for name, kind, low, high, default, text in _BOUNDS:
        add(f"--{name}", type=_number(kind, low, high), default=default, help=text)
    return parser.parse_args(arguments)


def _tasks(text: str) -> list[str]:
    names = text.split(",")
    if not set(names) <= set(TIERS):
        raise argparse.ArgumentTypeError(f"must be some of {','.join(TIERS)}")
    return names


def _seeds(text: str) -> list[int]:
    seeds: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        bounds = [first, last if dash else first]
        if not all(_is_seed(bound) for bound in bounds):
            raise argparse.ArgumentTypeError(
                f"must be seeds and ranges of seeds in 0..{MAX_SEED}, e.g. 0-9,42"
            )
        low, high = map(int, bounds)
        if high < low or len(seeds) + high - low >= _MOST_SEEDS:
            raise argparse.ArgumentTypeError(
                f"a range must ascend, and there are at most {_MOST_SEEDS} seeds"
            )
        seeds.extend(range(low, high + 1))
    return seeds


def _is_seed(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= MAX_SEED


def _number(kind: type, low: float, high: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        value: float = kind(text)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"must be in {low}..{high}")
        return value

    read.__name__ = "whole number" if kind is int else "number"
    return read


def _claimed_stdout() -> BinaryIO:
    """Return standard output for the transcript alone: what others print there goes to standard error."""
    try:
        own = os.fdopen(os.dup(1), "wb")
    except OSError:
        raise SystemExit("error: standard output is closed") from None
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return own


def _log(text: str) -> None:
    try:
        print(text, file=sys.stderr, flush=True)  # noqa: T201
    except OSError:
        # Nobody reads it. The transcript goes on, and what is still to be told goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


if __name__ == "__main__":
    raise SystemExit(main())
