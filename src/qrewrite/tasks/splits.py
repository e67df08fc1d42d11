"""The splits: which generated tasks are for training, for choosing between agents and for the last word.

A split has the same number of tasks of every tier, by index: all of the first tier, then all of the next. Its
seeds are one range, and no seed belongs to two splits. Small seeds, PUBLISHED_SEEDS among them, belong to
none. Frozen: what an index means never changes within a game version.
"""

from dataclasses import dataclass
from typing import Final

from qrewrite.circuits import SplitError, TaskError
from qrewrite.circuits.errors import shown
from qrewrite.tasks.tiers import MAX_SEED, TIERS


@dataclass(frozen=True, slots=True)
class Split:
    """A range of seeds, each of which is one task of every tier; TaskError for a range outside the seeds.

    Attributes:
        name: name of the split.
        first: its first seed.
        per_tier: number of its seeds.
    """

    name: str
    first: int
    per_tier: int

    def __post_init__(self) -> None:
        if not (self.first >= 0 and 1 <= self.per_tier <= MAX_SEED + 1 - self.first):
            raise TaskError(
                f"split {shown(self.name)} must have seeds in 0..{MAX_SEED}, "
                f"got {shown(self.per_tier)} from {shown(self.first)}"
            )

    def __len__(self) -> int:
        """Return the number of tasks, those of all tiers."""
        return self.per_tier * len(TIERS)

    @property
    def seeds(self) -> range:
        """The seeds, the same for each tier."""
        return range(self.first, self.first + self.per_tier)

    def task_at(self, index: int) -> tuple[str, int]:
        """Return the task and the seed at `index`, or raise a SplitError that says what is allowed."""
        if type(index) is not int or not 0 <= index < len(self):
            raise SplitError(
                f"index must be an integer in 0..{len(self) - 1} for split {self.name}, got {shown(index)}"
            )
        tier, offset = divmod(index, self.per_tier)
        return tuple(TIERS)[tier], self.first + offset


PUBLISHED_SEEDS: Final = {"easy": 42, "medium": 7, "hard": 13}
"""Tier → the seed that `inference.py` plays unless others are asked for, and that the examples show."""

SPLITS: Final[dict[str, Split]] = {
    split.name: split
    for split in (
        Split("train", first=1_000_000, per_tier=10_000),
        Split("validation", first=2_000_000, per_tier=200),
        Split("test", first=3_000_000, per_tier=200),
    )
}


def split_named(split: str) -> Split:
    """Return the split of that name, or raise a SplitError that names them all."""
    if not isinstance(split, str) or split not in SPLITS:
        raise SplitError(f"unknown split {shown(split)}; the splits are {', '.join(SPLITS)}")
    return SPLITS[split]


def task_at(split: str, index: int) -> tuple[str, int]:
    """Return the task and the seed that are number `index`, from 0, of a split, or raise a SplitError.

    >>> task_at("test", 0), task_at("test", 599)
    (('easy', 3000000), ('hard', 3000199))
    """
    return split_named(split).task_at(index)
