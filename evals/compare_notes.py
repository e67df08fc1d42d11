"""What could not be computed of an agent as of the others, because samples are missing, and why."""

from collections.abc import Iterator, Sequence

from quantum_circuit_env.evals.compare_tiers import KS, OnTier, Settings
from quantum_circuit_env.evals.counting import counted


def missing_samples(agents: Sequence[OnTier], settings: Settings) -> Iterator[str]:
    """Yield what a reader has to know of agents that have more samples of some seeds than of others."""
    for agent in agents:
        if agent.iid:
            yield from _passes(agent)
        if settings.target == "fixed":
            yield from _reruns(agent, settings.metric.name)


def _passes(agent: OnTier) -> Iterator[str]:
    sizes = [len(row) for row in agent.rows("success_t1").values()]
    for k in KS:
        short = sum(size < k for size in sizes)
        if 0 < short < len(sizes):
            yield (
                f"{agent.label}: pass@{k} is of {counted(len(sizes) - short, 'seed')}; {short} more "
                f"{'has' if short == 1 else 'have'} fewer than {k} samples"
            )


def _reruns(agent: OnTier, metric: str) -> Iterator[str]:
    sizes = [len(row) for row in agent.rows(metric).values()]
    single = sum(size == 1 for size in sizes)
    if 0 < single < len(sizes):
        yield (
            f"{agent.label}: {counted(single, 'seed')} of {len(sizes)} with one sample, which does not tell "
            "what chance does: intervals for a rerun are narrower than they should be"
        )
