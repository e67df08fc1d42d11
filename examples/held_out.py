"""What players make of circuits that none of them has trained on."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from numpy.typing import NDArray

from qrewrite.game import Episode
from qrewrite.policies import Policy, play
from qrewrite.tasks import TIERS, generate
from quantum_circuit_env.evals.optima import best_known
from quantum_circuit_env.evals.stats.resampling import SeedBootstrap
from quantum_circuit_env.evals.stats.scores import normalised_score
from quantum_circuit_env.gymnasium_envs import IDS
from quantum_circuit_env.server.graders import score

Array = NDArray[Any]
Choose = Callable[[dict[str, Array], Array], Array]
"""From observations and masks of legal actions, one a row, to an action for each row."""


class Result(NamedTuple):
    """How the episode of one seed has ended: its grade, gates left and steps."""

    grade: float
    left: int
    steps: int


def by_policy(task: str, seeds: Sequence[int], policy: Policy) -> list[Result]:
    """Let a policy play each circuit once, with random numbers of the circuit's own seed."""
    results = []
    for seed in seeds:
        episode = Episode(generate(task, seed), par=TIERS[task].par)
        play(episode, policy, Random(seed))
        left, used = episode.gate_count, episode.used_advanced_actions
        grade = score(TIERS[task].scoring, episode.initial_count, left, used)
        results.append(Result(grade, left, episode.steps))
    return results


def by_choice(task: str, seeds: Sequence[int], choose: Choose) -> list[Result]:
    """Let a function choose the actions on all circuits, side by side, each played once."""
    env = gymnasium.make_vec(IDS[task], num_envs=len(seeds), autoreset_mode="Disabled")
    observations, infos = env.reset(options={"circuit_seed": list(seeds)})
    over, steps = np.zeros(len(seeds), np.bool_), np.zeros(len(seeds), int)
    while not over.all():
        actions = choose(observations, infos["action_mask"].astype(bool))
        steps += ~over
        observations, _, terminated, truncated, infos = env.step(actions)
        over = terminated | truncated
    return list(map(Result, infos["score"].tolist(), infos["gate_count"].tolist(), steps.tolist()))


def report(task: str, seeds: Sequence[int], players: Mapping[str, list[Result]]) -> str:
    """Return a table in Markdown: each player's means with their 95 % intervals over seeds.

    The last column is the mean difference of normalised scores, the first player's minus this one's.
    """
    bootstrap, initial = SeedBootstrap(len(seeds)), TIERS[task].gate_count
    best = [best_known(task, seed).left for seed in seeds]
    norms = {
        name: [_normalised(initial, result.left, left) for result, left in zip(results, best, strict=True)]
        for name, results in players.items()
    }
    first = next(iter(norms.values()))
    lines = [
        f"| {task}, {len(seeds)} seeds {seeds[0]}–{seeds[-1]} "
        "| grade | normalised score | at the optimum | steps | ahead by |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, results in players.items():
        grade = bootstrap.mean([result.grade for result in results])
        at_best = np.mean([norm >= 1 for norm in norms[name]])
        steps = np.mean([result.steps for result in results])
        ahead = "" if norms[name] is first else _shown(bootstrap.difference(first, norms[name]))
        norm = _shown(bootstrap.mean(norms[name]))
        lines.append(f"| {name} | {_shown(grade)} | {norm} | {at_best:.1%} | {steps:.1f} | {ahead} |")
    return "\n".join(lines)


def _normalised(initial: int, left: int, best: int) -> float:
    norm = normalised_score(initial, left, best)
    # A circuit that cannot be shortened at all is as good as it gets.
    return 1.0 if norm is None else norm


def _shown(estimate: Any) -> str:
    interval = estimate.interval
    ends = "" if interval is None else f" [{interval.low:.3f}, {interval.high:.3f}]"
    return f"{estimate.mean:.3f}{ends}"
