"""Plots as what an SVG needs: numbers in its own units. The template draws them and escapes every text."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from quantum_circuit_env.agents.vocabulary import ErrorClass
from quantum_circuit_env.evals.compare_pairs import neighbours
from quantum_circuit_env.evals.comparison import Pair, Tier
from quantum_circuit_env.evals.report import words

WIDTH: Final = 340
LEFT: Final = 12
RIGHT: Final = 12
ROW: Final = 38
COLOURS: Final = 8
"""Colours of the palette; more agents share them, and are told apart by the dashes of their lines."""

_CLASSES: Final = tuple(kind.value for kind in ErrorClass)


class Tick(NamedTuple):
    """A value on the horizontal axis."""

    x: float
    label: str


class Mark(NamedTuple):
    """One agent's row: its mean, its interval if any, and their text."""

    label: str
    y: float
    x: float
    low: float | None
    high: float | None
    told: str


class Intervals(NamedTuple):
    """Means and intervals, one row an agent."""

    height: float
    marks: tuple[Mark, ...]
    ticks: tuple[Tick, ...]


class Line(NamedTuple):
    """One agent's performance profile."""

    label: str
    points: str
    colour: int
    dashes: str


class Dots(NamedTuple):
    """The seeds' differences of one pair: a line at zero, a dot a seed, ascending."""

    title: str
    told: str
    zero: float
    mean: float
    points: tuple[tuple[float, float, str], ...]


class Bar(NamedTuple):
    """A class's share of one agent's turns."""

    x: float
    width: float
    colour: int
    told: str


class Bars(NamedTuple):
    """The classes of one agent's turns."""

    label: str
    bars: tuple[Bar, ...]


class _Scale:
    """Maps values onto the width of a plot."""

    def __init__(self, values: Sequence[float]) -> None:
        low, high = min(values, default=0.0), max(values, default=1.0)
        self.low, self.high = (low, high) if high > low else (low - 0.5, high + 0.5)

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 2)

    def ticks(self, count: int = 5) -> tuple[Tick, ...]:
        values = [self.low + (self.high - self.low) * number / (count - 1) for number in range(count)]
        return tuple(Tick(self(value), words.number(value, 2)) for value in values)


def intervals(tier: Tier) -> Intervals:
    """Return the means of all agents with their intervals, the best first."""
    scored = [own for own in tier.standings if own.mean.mean is not None]
    ends = [
        end for own in scored if own.mean.interval for end in (own.mean.interval.low, own.mean.interval.high)
    ]
    means = [own.mean.mean for own in scored if own.mean.mean is not None]
    bounded = [0.0, 1.0] if tier.taus else []
    scale = _Scale([*ends, *means, *bounded])
    marks = tuple(
        Mark(
            label=own.agent,
            y=ROW * (number + 1) - 8,
            x=scale(value),
            low=scale(own.mean.interval.low) if own.mean.interval else None,
            high=scale(own.mean.interval.high) if own.mean.interval else None,
            told=words.interval(own.mean),
        )
        for number, (own, value) in enumerate(zip(scored, means, strict=True))
    )
    return Intervals(ROW * len(marks) + 26, marks, scale.ticks())


def profile(tier: Tier) -> tuple[Line, ...]:
    """Return the share of each agent's episodes above each threshold."""
    height = 180
    scale = _Scale(tier.taus)
    return tuple(
        Line(
            label=agent,
            points=" ".join(
                f"{scale(tau)},{round(10 + (1 - share) * (height - 20), 2)}"
                for tau, share in zip(tier.taus, shares, strict=True)
            ),
            colour=number % COLOURS,
            dashes=("none", "6 3", "2 3")[number // COLOURS % 3],
        )
        for number, (agent, shares) in enumerate(tier.profile.items())
    )


def profile_ticks(tier: Tier) -> tuple[Tick, ...]:
    """Return the axis of the profile."""
    return _Scale(tier.taus).ticks()


def differences(tier: Tier) -> tuple[Dots, ...]:
    """Return the differences by seed of each agent and the next one in the table."""
    order = [own.agent for own in tier.standings]
    return tuple(_dots(pair) for pair in neighbours(order, tier.pairs) if pair.by_seed)


def _dots(pair: Pair) -> Dots:
    values = sorted(pair.by_seed.items(), key=lambda item: (item[1], item[0]))
    scale = _Scale([*pair.by_seed.values(), 0.0])
    step = 60 / max(1, len(values) - 1)
    return Dots(
        title=f"{pair.a} − {pair.b}",
        told=f"{words.interval(pair.difference)}, p {words.p_value(pair.p_holm)} (Holm)",
        zero=scale(0.0),
        mean=scale(pair.difference.mean or 0.0),
        points=tuple(
            (scale(value), round(10 + number * step, 2), f"seed {seed}: {words.number(value)}")
            for number, (seed, value) in enumerate(values)
        ),
    )


def classes(tier: Tier) -> tuple[Bars, ...]:
    """Return the classes of each agent's turns, those that are not ok first."""
    return tuple(Bars(own.agent, tuple(_bars(own.classes.items()))) for own in tier.standings if own.classes)


def _bars(counts: Iterable[tuple[str, int]]) -> Iterable[Bar]:
    listed = list(counts)
    total, x = sum(count for _, count in listed), float(LEFT)
    for kind, count in listed:
        width = count / total * (WIDTH - LEFT - RIGHT)
        told = f"{kind}: {count} of {total} turns"
        yield Bar(round(x, 2), round(width, 2), _CLASSES.index(kind), told)
        x += width
