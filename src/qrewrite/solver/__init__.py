"""Exact optima of circuits, with proofs where they can be had, and the plans that reach them."""

from qrewrite.solver.plan import Plan
from qrewrite.solver.solution import Solution, solve

__all__ = ["Plan", "Solution", "solve"]
