"""The best that is known of each task: what scores are normalised by.

`optima.tsv` holds it, frozen, for every task of the splits of SPLIT_NAMES; other tasks are solved when they
are asked for. `python -m quantum_circuit_env.evals.optima` computes the table again.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Final, NamedTuple

from qrewrite.solver import Plan, solve
from qrewrite.tasks import SPLITS, TIERS, generate, tier_of
from quantum_circuit_env.server.graders import score

SPLIT_NAMES: Final = ("validation", "test")
"""Splits whose tasks the table holds."""

_FILE: Final = "optima.tsv"
_COLUMNS: Final = ("tier", "seed", "initial", "left", "proved", "best_score", "method")


class Optimum(NamedTuple):
    """The best that is known of one task.

    Attributes:
        initial: gates at the start.
        left: fewest gates that can be left, as far as is known.
        proved: whether no play can leave fewer.
        best_score: highest grade that a known plan gets. On medium the bonus can make it another plan's than
            the one that leaves the fewest gates.
        method: how it was found: `exact` by a search that has proved it, `bound` by one that was cut short.
    """

    initial: int
    left: int
    proved: bool
    best_score: float
    method: str


Task = tuple[str, int]
"""Tier and seed."""


def best_known(tier: str, seed: int) -> Optimum:
    """Return the best that is known: from the table, else from the solver, which takes up to seconds.

    Raises:
        TaskError: if there is no such task.
    """
    name = tier_of(tier, seed).name
    found = table().get((name, seed))
    return _solved(name, seed) if found is None else found


@lru_cache(maxsize=4096)
def _solved(tier: str, seed: int) -> Optimum:
    return solved(tier, seed)


def solved(tier: str, seed: int) -> Optimum:
    """Return what the solver finds now, whatever the table holds."""
    circuit = generate(tier, seed)
    solution = solve(circuit)

    def scored(plan: Plan) -> float:
        return score(TIERS[tier].scoring, len(circuit), plan.left, plan.identities > 0)

    method = "exact" if solution.proved else "bound"
    return Optimum(len(circuit), solution.left, solution.proved, max(map(scored, solution.front)), method)


@cache
def table() -> Mapping[Task, Optimum]:
    """Return the frozen table."""
    return dict(map(_read, _text().splitlines()[1:]))


@cache
def table_digest() -> str:
    """Return the SHA-256 of the table's text, in hexadecimal; the same whatever its line ends are."""
    return sha256("\n".join(_text().splitlines()).encode()).hexdigest()


def _text() -> str:
    return (files(__package__) / _FILE).read_text("ascii")


def tasks() -> Iterator[Task]:
    """Yield the tasks of the table in its order: tier by tier, split by split, by seed."""
    for tier in TIERS:
        for split in SPLIT_NAMES:
            yield from ((tier, seed) for seed in SPLITS[split].seeds)


def rows(asked: Iterable[Task]) -> Iterator[str]:
    """Yield the table's lines: the names of its columns, then what the solver finds for each task."""
    yield "\t".join(_COLUMNS)
    for tier, seed in asked:
        initial, left, proved, best_score, method = solved(tier, seed)
        yield f"{tier}\t{seed}\t{initial}\t{left}\t{proved:d}\t{best_score!r}\t{method}"


def _read(row: str) -> tuple[Task, Optimum]:
    tier, seed, initial, left, proved, best_score, method = row.split("\t")
    return (tier, int(seed)), Optimum(int(initial), int(left), proved == "1", float(best_score), method)


def main() -> None:
    """Compute the table and put it in the old one's place."""
    asked = list(tasks())
    lines = []
    for line in rows(asked):
        lines.append(f"{line}\n")
        if len(lines) % 20 == 1:
            print(f"\r{len(lines) - 1} of {len(asked)} tasks solved", end="", file=sys.stderr)  # noqa: T201
    path = Path(__file__).with_name(_FILE)
    fresh = path.with_suffix(".tmp")
    fresh.write_text("".join(lines), encoding="ascii", newline="\n")
    fresh.replace(path)
    print(f"\r{path} written: {len(asked)} tasks", file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    main()
