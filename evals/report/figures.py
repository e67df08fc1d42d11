"""Figures as what the page needs: numbers in an SVG's own units, and what each says as text."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from math import ceil, floor, log10
from typing import Final, NamedTuple

from quantum_circuit_env.agents.vocabulary import ErrorClass
from quantum_circuit_env.evals.compare_pairs import neighbours
from quantum_circuit_env.evals.comparison import Pair, Tier
from quantum_circuit_env.evals.report import words

WIDTH: Final = 340
EDGE: Final = 16
"""Room at both ends of an axis, for half a label."""

PROFILE_HEIGHT: Final = 160
DOTS_HEIGHT: Final = 72
COLOURS: Final = 6
"""Colours of the palette, which are told apart by colour-blind eyes; the dashes of lines differ as well."""

_DASHES: Final = ("none", "7 3", "2 3", "9 3 2 3", "12 5", "4 5")
_CLASSES: Final = tuple(kind.value for kind in ErrorClass)
_STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)
_TOLD_AT: Final = (0.5, 0.9)
"""Thresholds at which a profile is told in words."""


class Tick(NamedTuple):
    """A value on the horizontal axis."""

    x: float
    label: str


class Mark(NamedTuple):
    """One agent's row: its mean, its interval if any, and their text."""

    label: str
    told: str
    x: float
    low: float | None
    high: float | None


class Intervals(NamedTuple):
    """Means and intervals, one row an agent."""

    marks: tuple[Mark, ...]
    ticks: tuple[Tick, ...]


class Line(NamedTuple):
    """One agent's performance profile."""

    label: str
    told: str
    points: str
    colour: int
    dashes: str


class Profile(NamedTuple):
    """The performance profiles of all agents."""

    lines: tuple[Line, ...]
    ticks: tuple[Tick, ...]


class Dots(NamedTuple):
    """The seeds' differences of one pair: a dot a seed, ascending; the mean and its interval behind them."""

    label: str
    told: str
    seeds: str
    path: str
    zero: float
    mean: float
    low: float | None
    high: float | None
    ticks: tuple[Tick, ...]


class Bar(NamedTuple):
    """A class's share of one agent's turns."""

    x: float
    width: float
    colour: int | None
    told: str


class Bars(NamedTuple):
    """The classes of one agent's turns."""

    label: str
    bars: tuple[Bar, ...]


class _Scale:
    """Maps values onto the width of a plot."""

    def __init__(self, values: Iterable[float]) -> None:
        known = list(values)
        low, high = min(known, default=0.0), max(known, default=1.0)
        self.low, self.high = (low, high) if high > low else (low - 0.5, high + 0.5)

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(EDGE + share * (WIDTH - 2 * EDGE), 1)

    def ticks(self, most: int = 6) -> tuple[Tick, ...]:
        """Return round values, at most so many."""
        least = (self.high - self.low) / (most - 1)
        size = 10.0 ** floor(log10(least))
        step = next(size * step for step in _STEPS if size * step >= least * (1 - 1e-9))
        decimals = next((n for n in range(12) if abs(step * 10**n - round(step * 10**n)) < 1e-6), 12)
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        values = (number * step for number in range(first, last + 1))
        return tuple(Tick(self(value), words.number(value, decimals)) for value in values)


def intervals(tier: Tier) -> Intervals:
    """Return the means of all agents with their intervals, the best first."""
    scored = [(own, own.mean.mean, own.mean.interval) for own in tier.standings if own.mean.mean is not None]
    ends = chain.from_iterable((found.low, found.high) for _, _, found in scored if found)
    scale = _Scale([*ends, *(mean for _, mean, _ in scored), *((0.0, 1.0) if tier.taus else ())])
    marks = tuple(
        Mark(
            label=words.agent(own),
            told=words.interval(own.mean),
            x=scale(mean),
            low=scale(found.low) if found else None,
            high=scale(found.high) if found else None,
        )
        for own, mean, found in scored
    )
    return Intervals(marks, scale.ticks())


def profile(tier: Tier) -> Profile:
    """Return the share of each agent's episodes above each threshold."""
    scale = _Scale(tier.taus)
    names = {own.agent: words.agent(own) for own in tier.standings}
    lines = tuple(
        Line(
            label=names[agent],
            told=", ".join(_above(tier.taus, shares)),
            points=_polyline(scale, tier.taus, shares),
            colour=number % COLOURS,
            # Agents of one colour differ in their dashes, and so do neighbours.
            dashes=_DASHES[(number + number // COLOURS) % len(_DASHES)],
        )
        for number, (agent, shares) in enumerate(tier.profile.items())
    )
    return Profile(lines, scale.ticks())


def _above(taus: Sequence[float], shares: Sequence[float]) -> Iterator[str]:
    for wanted in _TOLD_AT:
        nearest = min(range(len(taus)), key=lambda number: abs(taus[number] - wanted))
        yield f"{words.percent(shares[nearest])} above {taus[nearest]:g}"


def _polyline(scale: _Scale, taus: Sequence[float], shares: Sequence[float]) -> str:
    """Return the points of a line, without those that lie between two equal ones."""
    last = len(taus) - 1
    kept = (
        number
        for number in range(last + 1)
        if number in (0, last) or not shares[number - 1] == shares[number] == shares[number + 1]
    )
    return " ".join(
        f"{scale(taus[number]):g},{round(8 + (1 - shares[number]) * (PROFILE_HEIGHT - 16), 1):g}"
        for number in kept
    )


def differences(tier: Tier) -> tuple[Dots, ...]:
    """Return the differences by seed of each agent and the next one in the table, all on one scale."""
    order = [own.agent for own in tier.standings if not own.baseline]
    pairs = [pair for pair in neighbours(order, tier.pairs) if pair.by_seed]
    scale = _Scale(chain((0.0,), *(_ends(pair) for pair in pairs)))
    return tuple(_dots(pair, scale) for pair in pairs)


def _ends(pair: Pair) -> Iterator[float]:
    yield from pair.by_seed.values()
    if pair.difference.interval is not None:
        yield from (pair.difference.interval.low, pair.difference.interval.high)


def _dots(pair: Pair, scale: _Scale) -> Dots:
    values = sorted(pair.by_seed.items(), key=lambda item: (item[1], item[0]))
    step = (DOTS_HEIGHT - 12) / max(1, len(values) - 1)
    found = pair.difference.interval
    return Dots(
        label=f"{pair.a} − {pair.b}",
        told=f"{words.interval(pair.difference)}, p {words.p_value(pair.p_holm)} (Holm)",
        seeds=_seeds(values),
        path="".join(
            f"M{scale(value):g} {round(6 + number * step, 1):g}h0" for number, (_, value) in enumerate(values)
        ),
        zero=scale(0.0),
        mean=scale(pair.difference.mean or 0.0),
        low=scale(found.low) if found else None,
        high=scale(found.high) if found else None,
        ticks=scale.ticks(),
    )


def _seeds(values: Sequence[tuple[int, float]]) -> str:
    """Tell on how many seeds which agent is better, and the seeds that differ most."""
    less = sum(value < 0 for _, value in values)
    more = sum(value > 0 for _, value in values)
    told = f"{len(values)} seeds: the first is better on {more}, the second on {less}"
    (lowest, least), (highest, most) = values[0], values[-1]
    ends = [f"{words.number(most)} on seed {highest}"] if most > 0 else []
    ends += [f"{words.number(least)} on seed {lowest}"] if least < 0 else []
    return f"{told}; at most {', '.join(ends)}" if ends else told


def classes(tier: Tier) -> tuple[Bars, ...]:
    """Return the classes of each agent's turns, those that are not ok first."""
    return tuple(
        Bars(words.agent(own), tuple(_bars(own.classes.items()))) for own in tier.standings if own.classes
    )


def _bars(counts: Iterable[tuple[str, int]]) -> Iterator[Bar]:
    listed = list(counts)
    total, x = sum(count for _, count in listed), 0.0
    for kind, count in listed:
        width = count / total * WIDTH
        colour = None if kind == ErrorClass.OK else _CLASSES.index(kind) % COLOURS
        yield Bar(round(x, 1), round(width, 1), colour, f"{kind} {count} ({words.percent(count / total)})")
        x += width
