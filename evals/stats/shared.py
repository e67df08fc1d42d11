"""Which agents can be compared all at once: those that have enough in common."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from itertools import combinations
from typing import TypeVar

_Key = TypeVar("_Key", bound=Hashable)


def in_common(keys: Mapping[str, Collection[_Key]], agents: Collection[str]) -> set[_Key]:
    """Return the seeds that all of these agents have; none for no agents."""
    sets = [set(keys[agent]) for agent in agents]
    return set.intersection(*sets) if sets else set()


def sharing(keys: Mapping[str, Collection[_Key]], fewest: int) -> tuple[str, ...]:
    """Return the agents that are to be ranked together, on the seeds that all of these have.

    All of them, if they share `fewest` seeds, or if no two do but all share some. Otherwise a group that does
    (or shares as many as any two), as large as adding one agent after the other makes it: an agent that has
    little in common with the others must not take their seeds from them.

    Args:
        keys: agent → its seeds.
        fewest: seeds from which a ranking says something.

    Returns:
        The agents in the order of `keys`; none if there are several and no two share a seed.

    >>> sharing({"a": range(9), "b": range(9), "c": [3]}, 6)
    ('a', 'b')
    """
    together = in_common(keys, keys)
    widest = max((len(in_common(keys, pair)) for pair in combinations(keys, 2)), default=len(together))
    if len(together) >= fewest or (together and widest < fewest):
        return tuple(keys)
    if not widest:
        return ()
    groups = [_grown(keys, agent, min(fewest, widest)) for agent in keys]
    best = max(groups, key=lambda group: (len(group), len(in_common(keys, group))))
    return tuple(agent for agent in keys if agent in best)


def _grown(keys: Mapping[str, Collection[_Key]], first: str, fewest: int) -> Sequence[str]:
    group, own = [first], set(keys[first])
    for agent in sorted(keys, key=lambda agent: -len(own.intersection(keys[agent]))):
        if agent != first and len(in_common(keys, [*group, agent])) >= fewest:
            group.append(agent)
    return group
