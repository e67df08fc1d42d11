"""Rates: shares of successes with their intervals, and what the replies of an agent were worth."""

from typing import NamedTuple

from quantum_circuit_env.evals.stats.extras import require
from quantum_circuit_env.evals.stats.intervals import LEVEL
from quantum_circuit_env.evals.stats.values import Interval, StatsError


def wilson(successes: int, n: int, level: float = LEVEL) -> Interval | None:
    """Score interval of a share (Wilson 1927, doi:10.1080/01621459.1927.10502953), by SciPy.

    All p with |successes/n − p| ≤ z sqrt(p (1 − p) / n). For n independent outcomes: one a seed. None for
    n = 0.

    Raises:
        StatsError: unless 0 ≤ successes ≤ n.
    """
    return _proportion(successes, n, level, "wilson")


def clopper_pearson(successes: int, n: int, level: float = LEVEL) -> Interval | None:
    """Interval of a share that covers at least `level` (Clopper and Pearson 1934,
    doi:10.1093/biomet/26.4.404).

    All p with binomial tails of at least (1 − level)/2 at the count. By SciPy; else as `wilson`.
    """
    return _proportion(successes, n, level, "exact")


def _proportion(successes: int, n: int, level: float, method: str) -> Interval | None:
    if not 0 <= successes <= n:
        raise StatsError(f"successes must be in 0..n, got {successes} of {n}")
    if not n:
        return None
    test = require("scipy.stats", extra="eval").binomtest(successes, n)
    low, high = test.proportion_ci(confidence_level=level, method=method)
    # Rounding can leave the share itself outside at 0 and at n.
    share = successes / n
    return Interval(min(float(low), share), max(float(high), share), level, "population")


class TurnRates(NamedTuple):
    """Shares of the turns or the replies of an agent; None where there is nothing to take a share of.

    Attributes:
        api_error: turns without a reply because the model's service failed, over turns attempted.
        nonempty: replies that were neither empty nor cut off, over replies.
        valid_output: replies that were an action, legal or not, over replies.
        valid_action: legal actions, over replies.
        legal_given_valid: legal actions, over replies that were an action.
    """

    api_error: float | None
    nonempty: float | None
    valid_output: float | None
    valid_action: float | None
    legal_given_valid: float | None


def turn_rates(
    *, turns: int, replies: int, nonempty: int, valid_outputs: int, legal_actions: int
) -> TurnRates:
    """Rates of an agent's turns.

    A turn without a reply is a failure of the infrastructure: it is in no denominator of the model's.

    Args:
        turns: turns attempted.
        replies: those that the model answered.
        nonempty: replies that were neither empty nor cut off.
        valid_outputs: replies that were an action.
        legal_actions: actions that the game accepted.

    Raises:
        StatsError: unless each count contains the next.
    """
    if not turns >= replies >= nonempty >= valid_outputs >= legal_actions >= 0:
        counts = (turns, replies, nonempty, valid_outputs, legal_actions)
        raise StatsError(f"each count must contain the next, got {counts}")
    return TurnRates(
        api_error=_share(turns - replies, turns),
        nonempty=_share(nonempty, replies),
        valid_output=_share(valid_outputs, replies),
        valid_action=_share(legal_actions, replies),
        legal_given_valid=_share(legal_actions, valid_outputs),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
