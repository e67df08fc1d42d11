"""Numbers as readers see them."""

from typing import Final

from quantum_circuit_env.evals.comparison import Comparison, Overall, Standing
from quantum_circuit_env.evals.stats.ranks import Agreement, Rank
from quantum_circuit_env.evals.stats.values import Estimate

NONE = "–"
"""Where there is no number."""


def number(value: float | None, decimals: int = 3) -> str:
    """Return a number with so many decimals; a negative zero has no sign."""
    if value is None:
        return NONE
    told = f"{value:.{decimals}f}"
    return told.lstrip("-") if float(told) == 0 else told.replace("-", "−")


def percent(share: float | None) -> str:
    """Return a share in percent."""
    return NONE if share is None else f"{100 * share:.1f} %"


def mean(estimate: Estimate) -> str:
    """Return an estimate without its interval."""
    return number(estimate.mean)


def interval(estimate: Estimate, decimals: int = 3) -> str:
    """Return an estimate and its interval."""
    told = number(estimate.mean, decimals)
    if estimate.interval is None:
        return told
    low, high = estimate.interval.low, estimate.interval.high
    return f"{told} [{number(low, decimals)}, {number(high, decimals)}]"


def p_value(p: float | None) -> str:
    """Return a p-value; one that is no longer told apart from 0 as a bound."""
    if p is None:
        return NONE
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


BASELINES: Final = (
    "Rows marked (baseline) were played for this comparison, on the same seeds with the same turns. They are "
    "in no rank, group, rank agreement or pair of the others, whose numbers are as without them."
)


def agent(own: Standing | Overall) -> str:
    """Return what tables call an agent."""
    return f"{own.agent} (baseline)" if own.baseline else own.agent


def rank(found: Rank | None) -> str:
    """Return a rank and its interval, as in `2 (1 to 3)`."""
    if found is None:
        return NONE
    if found.interval is None:
        return str(found.rank)
    return f"{found.rank} ({found.interval.low:.0f} to {found.interval.high:.0f})"


def agreement(found: Agreement) -> str:
    """Return a rank agreement and its p-value, or why there is none."""
    if found.value is None:
        return f"{NONE} ({', '.join(found.flags)})"
    return f"{number(found.value, 2)} (p {p_value(found.p)})"


def target(comparison: Comparison) -> str:
    """Return what the intervals are of."""
    what = {"population": "other seeds of the same tier", "fixed": "a rerun on the same seeds"}
    return f"{100 * comparison.level:g} % intervals for {what[comparison.target]}"
