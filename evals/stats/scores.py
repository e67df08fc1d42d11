"""Scores relative to the best that is known of a task."""

from quantum_circuit_env.evals.stats.values import StatsError


def normalised_score(initial: int, final: int, best: int) -> float | None:
    """Share of the removable gates that were removed: (g0 − g) / (g0 − g*).

    Args:
        initial: g0, gates at the start.
        final: g, gates at the end.
        best: g*, fewest gates that are known to be reachable.

    Returns:
        1.0 at the best known count; None when nothing can be removed. Above 1, g* is not the best.

    Raises:
        StatsError: unless 0 ≤ best ≤ initial and 0 ≤ final ≤ initial.
    """
    if not (0 <= best <= initial and 0 <= final <= initial):
        raise StatsError(f"no episode goes from {initial} to {final} gates with {best} as the best")
    return None if best == initial else (initial - final) / (initial - best)


def success(normalised: float | None, threshold: float = 1.0) -> bool | None:
    """success@t: whether the normalised score reaches t; None where there is no normalised score."""
    return None if normalised is None else normalised >= threshold
