"""The numbers by which an episode is graded, as the prompt shows them and `server/graders.py` uses them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Scoring:
    """How a tier turns the share of removed gates into a grade; equal only to itself, hence a fast key.

    Attributes:
        bonus: added to the share once an identity (rule 3 or 4) has been applied.
        gate: share that must at least be reached; below it the grade is `floor`.
        floor, ceiling: every grade is clamped to [floor, ceiling].
    """

    bonus: float = 0.0
    gate: float = 0.0
    floor: float = 0.01
    ceiling: float = 0.99
