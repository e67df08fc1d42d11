"""The baseline board as README has it."""

from collections.abc import Iterator, Sequence
from typing import Final

from qrewrite.tasks import TIERS
from quantum_circuit_env.evals.board import Asked
from quantum_circuit_env.evals.comparison import Comparison, Standing, Tier
from quantum_circuit_env.evals.report import words
from quantum_circuit_env.evals.report.tables import letters
from quantum_circuit_env.evals.stats.values import Estimate

LEFT_OUT: Final = ("invalid-spam", "swap-loop", "always-0-1")
"""Agents that play by rote and earn next to nothing: they are on the page, and not in README."""


def readme_block(asked: Asked, found: Sequence[Comparison], pages: Sequence[str]) -> str:
    """Return what stands between README's markers.

    Args:
        asked: which board it is.
        found: the comparison of each budget.
        pages: the page of each, as README links to it.
    """
    return "\n".join(_lines(asked, found, pages))


def _lines(asked: Asked, found: Sequence[Comparison], pages: Sequence[str]) -> Iterator[str]:
    seeds = f"the first {asked.seeds} seeds of the {asked.split} split"
    yield (
        f"`{asked.command}` has every built-in agent play {seeds} of each tier, and writes this section. "
        f"{_made_by(found[0])}, at most {found[0].turns[0]} turns an episode:"
    )
    yield from _tables(found[0])
    yield ""
    yield (
        f"In brackets are {words.target(found[0])}, behind a rank the ranks that other seeds may give; one "
        "without width says that all seeds gave the same. Agents that share a letter are not told apart "
        "(sign-flip tests on shared seeds, with Holm's adjustment for all "
        f"{len(found[0].tiers[0].pairs)} pairs of a tier). *Success*: as few gates left as the best known; "
        "*legacy success*: a score of at least 0.10. All pairs, plots and further numbers, and "
        f"{', '.join(LEFT_OUT[:-1])} and {LEFT_OUT[-1]}: [{pages[0]}]({pages[0]})."
    )
    for comparison, page in zip(found[1:], pages[1:], strict=True):
        turns = comparison.turns[0]
        yield from ("", "<details>", f"<summary>With at most {turns} turns an episode</summary>", "")
        yield f"{_made_by(comparison)}; everything else as above, and on [{page}]({page}):"
        yield from _tables(comparison)
        yield from ("", "</details>")


def _made_by(comparison: Comparison) -> str:
    versions = ", ".join(suite.rpartition("/")[2] for suite in comparison.suites)
    return f"Game version {versions}, evaluator {', '.join(comparison.revisions)}"


def _tables(comparison: Comparison) -> Iterator[str]:
    for tier in comparison.tiers:
        rows = [_row(own, tier) for own in tier.standings if own.agent not in LEFT_OUT]
        # Only medium has a bonus.
        columns = [name for name in rows[0] if name != "without bonus" or TIERS[tier.tier].scoring.bonus]
        yield ""
        yield f"| {' | '.join((tier.tier, *columns[1:]))} |"
        yield f"| --- | ---: | --- |{' ---: |' * (len(columns) - 3)}"
        for row in rows:
            yield f"| {' | '.join(row[name] for name in columns)} |"


def _row(own: Standing, tier: Tier) -> dict[str, str]:
    return {
        "agent": own.agent,
        "rank": words.rank(own.rank),
        "tied": letters(own.agent, tier.tied),
        "normalised score": words.interval(own.mean),
        "score": words.interval(own.score),
        "without bonus": words.interval(own.score_without_bonus),
        "success": _percent(own.success_t1),
        "legacy success": _percent(own.legacy_success),
        "return": words.interval(own.episode_return, 2),
        "steps": words.interval(own.steps, 1),
    }


def _percent(share: Estimate) -> str:
    """Return a share and its interval in percent."""
    if share.mean is None:
        return words.NONE
    told = f"{100 * share.mean:.1f} %"
    if share.interval is None:
        return told
    return f"{told} [{100 * share.interval.low:.1f}, {100 * share.interval.high:.1f}]"
