"""How deep the game is: what its optima are, and how far greedy and random play stay behind them."""

from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import repeat
from random import Random
from statistics import mean, median
from time import process_time
from typing import Final, NamedTuple

from qrewrite.circuits import Circuit
from qrewrite.game import STEP_LIMIT, Episode
from qrewrite.policies import (
    Policy,
    best_of,
    cancel_first,
    identity_first,
    play,
    random_legal,
    random_order,
    uniform,
)
from qrewrite.solver import Plan, Solution, choices_that_matter, reachable_without_swaps, solve
from qrewrite.tasks import TIERS, Tier, generate
from quantum_circuit_env.server.graders import score

PLAYS: Final = 20
"""Random orders of which the best is kept."""

POLICIES: Final[dict[str, Policy]] = {
    "uniform": uniform,
    "random legal": random_legal,
    "cancel-first": cancel_first,
    "identity-first": identity_first,
}
BEST_OF: Final = f"best of {PLAYS}"
OPTIMUM: Final = "optimum"


class Result(NamedTuple):
    """What a player left of a circuit, and its grade."""

    left: int
    score: float


class Sample(NamedTuple):
    """What is known of one circuit.

    Attributes:
        results: player → what it left; the optimum among them.
        proved: whether the optimum is proved.
        plan: the shortest known plan to the optimum.
        best_return: largest known sum of rewards.
        choices, reductions: steps of the plan at which another reduction would lose the optimum, of how many.
        swaps_needed: whether no play without swaps reaches the optimum; None where the search did not tell.
        seconds: CPU time of the solver.
    """

    results: dict[str, Result]
    proved: bool
    plan: Plan
    best_return: float
    choices: int
    reductions: int
    swaps_needed: bool | None
    seconds: float


def sample(task: str, seed: int) -> Sample:
    """Solve and play the circuit of (task, seed); the same for the same arguments, but for the CPU time."""
    tier, circuit = TIERS[task], generate(task, seed)
    began = process_time()
    solution = solve(circuit)
    seconds = process_time() - began
    results = {name: _played(tier, circuit, policy, seed) for name, policy in POLICIES.items()}
    results[BEST_OF] = _result(tier, best_of(PLAYS, circuit, random_order, Random(seed), par=tier.par))
    results[OPTIMUM] = _optimum(tier, circuit, solution)
    choices, reductions = choices_that_matter(circuit, solution)
    without = reachable_without_swaps(circuit, solution.left, max_states=100)
    needed = None if without is None else not without
    return Sample(
        results,
        solution.proved,
        solution.best,
        solution.best_return,
        choices,
        reductions,
        needed,
        seconds,
    )


def _played(tier: Tier, circuit: Circuit, policy: Policy, seed: int) -> Result:
    episode = Episode(circuit, par=tier.par)
    play(episode, policy, Random(seed))
    return _result(tier, episode)


def _optimum(tier: Tier, circuit: Circuit, solution: Solution) -> Result:
    episode = Episode(circuit, par=tier.par)
    for action in solution.best.actions:
        episode.play(action.action_type, action.target_index)
    return _result(tier, episode)


def _result(tier: Tier, episode: Episode) -> Result:
    left = episode.gate_count
    return Result(left, score(tier.scoring, episode.initial_count, left, episode.used_advanced_actions))


def samples(task: str, seeds: Iterable[int], *, workers: int) -> list[Sample]:
    """Return the samples of all seeds, in their order."""
    if workers == 1:
        return list(map(partial(sample, task), seeds))
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(sample, repeat(task), seeds, chunksize=5))


def rows(task: str, found: Sequence[Sample]) -> dict[str, str]:
    """Return the table's column of one tier: what is measured → its value as text."""
    start = TIERS[task].gate_count
    lefts = {name: [one.results[name].left for one in found] for name in found[0].results}
    optima = lefts[OPTIMUM]
    players = ("random legal", "cancel-first", "identity-first", BEST_OF)
    column = {
        "gates at start / optimum": f"{start} / {mean(optima):.1f}",
        "optimum below par, seeds": _percent(left < TIERS[task].par for left in optima),
    }
    for name in players:
        column[f"gates left: {name}"] = f"{mean(lefts[name]):.1f}"
    for name in players:
        share = mean((start - left) / (start - best) for left, best in zip(lefts[name], optima, strict=True))
        column[f"share removed: {name}"] = f"{share:.3f}"
    for name in ("cancel-first", "identity-first", BEST_OF):
        column[f"optimal on, seeds: {name}"] = _percent(
            left <= best for left, best in zip(lefts[name], optima, strict=True)
        )
    for name in ("uniform", "random legal", "cancel-first", "identity-first", OPTIMUM):
        column[f"score: {name}"] = f"{mean(one.results[name].score for one in found):.3f}"
    return column | _plan_rows(found)


def _plan_rows(found: Sequence[Sample]) -> dict[str, str]:
    swaps = [one.plan.swaps for one in found]
    actions = [len(one.plan.actions) for one in found]
    return {
        "choices that matter": f"{mean(one.choices for one in found):.1f} of "
        f"{mean(one.reductions for one in found):.1f}",
        "swaps needed (proved), seeds": _percent(one.swaps_needed is True for one in found),
        "swaps needed (not decided), seeds": _percent(one.swaps_needed is None for one in found),
        "swaps to the optimum, mean (max)": f"{mean(swaps):.1f} ({max(swaps)})",
        "actions to the optimum, mean (max)": f"{mean(actions):.1f} ({max(actions)})",
        f"optimum within {STEP_LIMIT} steps, seeds": _percent(count <= STEP_LIMIT for count in actions),
        "best known return, mean": f"{mean(one.best_return for one in found):.2f}",
        "optimum proved, seeds": _percent(one.proved for one in found),
        "solver, median CPU seconds": f"{median(one.seconds for one in found):.3f}",
    }


def _percent(hits: Iterable[bool]) -> str:
    return f"{100 * mean(map(float, hits)):.1f} %"
