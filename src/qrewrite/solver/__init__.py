"""Exact optima of circuits, with proofs where they can be had, and the plans that reach them."""

from qrewrite.solver.choices import choices_that_matter
from qrewrite.solver.plan import Plan
from qrewrite.solver.solution import Solution, solve
from qrewrite.solver.swapless import bound_without_swaps, reachable_without_swaps

__all__ = [
    "Plan",
    "Solution",
    "bound_without_swaps",
    "choices_that_matter",
    "reachable_without_swaps",
    "solve",
]
