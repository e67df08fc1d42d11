"""Who is compared: the agents of run folders, whose runs must have been played and graded alike."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from quantum_circuit_env.evals.fingerprints import Fingerprint
from quantum_circuit_env.evals.records import Episode, EpisodeKey
from quantum_circuit_env.evals.revision import Difference, differences
from quantum_circuit_env.evals.store import RunFolder

PARSER: Final = "parser_version"
"""The part of an evaluator that reading raw replies again can cross."""

NOT_REPLAYED: Final = frozenset({PARSER, "prompt_template", "turns", "step_limit", "invalid_streak"})
"""Parts of an evaluator on which the actions themselves depend; grading stored ones again does not help."""


class MixedRunsError(Exception):
    """Raised for runs whose scores do not mean the same; names each part that differs."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """One agent with all its episodes.

    Attributes:
        label: what tables call it: the agent's spec, and the run where that alone is not clear.
        fingerprint: what the agent is.
        runs: runs that its episodes are of.
        episodes: those that stand, complete or not.
        unplayed: episodes that its runs plan and do not have.
        iid: whether the samples of a task are independent of each other.
    """

    label: str
    fingerprint: Fingerprint
    runs: tuple[str, ...]
    episodes: tuple[Episode, ...]
    unplayed: tuple[EpisodeKey, ...]
    iid: bool


def check_alike(runs: Sequence[RunFolder]) -> None:
    """Raise a MixedRunsError unless the runs have one suite, evaluator, budget and parser."""
    found = [
        (ours, theirs, different)
        for ours, theirs in combinations(runs, 2)
        if (different := _differences(ours, theirs))
    ]
    if not found:
        return
    ours, theirs, different = found[0]
    told = "; ".join(each.told(f"in {ours.path}", f"in {theirs.path}") for each in different)
    parsers = [each.part for each in different if each.part == PARSER or each.part.endswith(" parser")]
    stuck = [each.part for each in different if each.part in NOT_REPLAYED or each.part in parsers]
    if stuck and stuck == parsers:
        way = (
            f"rescoring crosses {', '.join(stuck)} only for a run that has kept its raw replies: "
            "rescore that one, or play one of them again"
        )
    elif stuck:
        way = f"no rescoring can cross {', '.join(stuck)}: play one of them again"
    else:
        way = "`quantum-circuit-env rescore RUN --out DIR` grades a run's actions by the current evaluator"
    raise MixedRunsError(f"their scores are not comparable: {told}; {way}, or look at them --side-by-side")


def _differences(ours: RunFolder, theirs: RunFolder) -> list[Difference]:
    return [
        *differences({"suite": ours.info.suite}, {"suite": theirs.info.suite}),
        *ours.info.evaluator.differences(theirs.info.evaluator),
        *_parsers(ours, theirs),
    ]


def _parsers(ours: RunFolder, theirs: RunFolder) -> list[Difference]:
    """Agents that ask a model must have had their replies read in one way."""
    read = [
        sorted({agent.parser for agent in run.info.agents if agent.parser is not None})
        for run in (ours, theirs)
    ]
    return [Difference("agents' parser", *map(", ".join, read))] if all(read) and read[0] != read[1] else []


def entrants(runs: Sequence[RunFolder], *, pooled: bool = True) -> list[Entrant]:
    """Return the agents of the runs, in the order of their labels.

    One agent's runs are pooled where they complement or repeat each other; where they disagree about an
    episode, or the agent is another one behind its name, each run is an entrant of its own.

    Args:
        runs: what to read.
        pooled: False to keep every run apart.
    """
    parts: defaultdict[str, list[Entrant]] = defaultdict(list)
    for run in runs:
        for entrant in _of_run(run):
            parts[entrant.label].append(entrant)
    found = [entrant for own in parts.values() for entrant in (_pool(own) if pooled else _apart(own))]
    return sorted(found, key=lambda entrant: entrant.label)


def _of_run(run: RunFolder) -> Iterable[Entrant]:
    episodes: defaultdict[str, list[Episode]] = defaultdict(list)
    for episode in run.episodes():
        episodes[episode.agent_id].append(episode)
    have = {episode.key for own in episodes.values() for episode in own}
    missing: defaultdict[str, list[EpisodeKey]] = defaultdict(list)
    for key in run.info.keys():  # noqa: SIM118
        if key not in have:
            missing[key.agent_id].append(key)
    for agent in run.info.agents:
        name = agent.agent_id
        yield Entrant(
            name, agent, (run.info.run_id,), tuple(episodes[name]), tuple(missing[name]), run.info.iid
        )


def _pool(parts: list[Entrant]) -> list[Entrant]:
    if any(part.fingerprint != parts[0].fingerprint for part in parts):
        return _apart(parts)
    standing: dict[EpisodeKey, Episode] = {}
    for episode in (episode for part in parts for episode in part.episodes):
        before = standing.get(episode.key)
        if before is None or not before.complete:
            standing[episode.key] = episode
        elif episode.complete and _result(episode) != _result(before):
            return _apart(parts)
    unplayed = {key for part in parts for key in part.unplayed} - standing.keys()
    return [
        replace(
            parts[0],
            runs=tuple(run for part in parts for run in part.runs),
            episodes=tuple(standing.values()),
            unplayed=tuple(sorted(unplayed)),
            iid=all(part.iid for part in parts),
        )
    ]


def _apart(parts: list[Entrant]) -> list[Entrant]:
    if len(parts) == 1:
        return parts
    return [replace(part, label=f"{part.label} [{part.runs[0]}]") for part in parts]


def _result(episode: Episode) -> tuple[object, ...]:
    return episode.action_digest, episode.score, episode.norm_score, episode.end_reason
