"""Grading a stored run again: its actions are played through the game as it is now, without asking anybody.

The game is deterministic, so nothing changes where the evaluator has not changed. What the agents would have
done otherwise is not known: where prompt, parser or budget are others now, the run has to be played again. A
change of the parser can be crossed where the models' raw replies were kept.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

from qrewrite.game import Action
from quantum_circuit_env.agents.agent import Agent, Decision, Seen
from quantum_circuit_env.agents.vocabulary import UNUSABLE, EndReason
from quantum_circuit_env.evals.entrants import NOT_REPLAYED, PARSER
from quantum_circuit_env.evals.playing import LocalSession, instance, play_unit
from quantum_circuit_env.evals.provenance import RunInfo, new_run
from quantum_circuit_env.evals.raw_replies import TURNS, RawRepliesError, read_raw_replies
from quantum_circuit_env.evals.records import Episode, Played, digest_of, json_name
from quantum_circuit_env.evals.rereading import RereadError, Rereading, Tally, by_this_parser
from quantum_circuit_env.evals.revision import Difference
from quantum_circuit_env.evals.store import RunFolder
from quantum_circuit_env.evals.units import Unit

_BROUGHT_ALONG: Final = ("tokens_in", "tokens_out", "latency_s", "retries", "started_at")
"""What no replay can tell."""

_OWN_ENDS: Final = frozenset({EndReason.AGENT_STOP, EndReason.CONTEXT_LIMIT})
"""Ends that are the agent's doing: they stay where the actions end."""

_ASKED_ONLY: Final = frozenset({"prompt_template", PARSER})
"""Parts that do not concern an agent that asks no model."""


class RescoreError(Exception):
    """Raised for a run that cannot be graded again; names what stands in the way."""


@dataclass(frozen=True, slots=True)
class Change:
    """One episode that is graded in another way than before; None where there is no score."""

    agent: str
    tier: str
    seed: int
    sample: int
    score_before: float | None
    score_after: float | None
    solved_before: bool | None
    solved_after: bool | None

    @property
    def flip(self) -> str | None:
        """What became of success@1: `pass_to_fail`, `fail_to_pass`, or nothing."""
        if self.solved_before is self.solved_after:
            return None
        if None in (self.solved_before, self.solved_after):
            return "undecided"
        return "fail_to_pass" if self.solved_after else "pass_to_fail"


@dataclass(frozen=True, slots=True)
class Edit:
    """One episode whose record is not what its actions give by the evaluator that it names.

    Attributes:
        fields: names in JSON of what differs.
    """

    agent: str
    tier: str
    seed: int
    sample: int
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FlipTable:
    """What grading again has changed.

    Attributes:
        run_id, rescored_from: the new run and the old one.
        revision, revision_before: by which they are graded.
        differing: parts of the evaluator that are others now.
        episodes: episodes that were graded again.
        not_graded: episodes that were incomplete before, which they stay.
        changes: those that came out in another way.
        edits: records that were edited after they were played; none where the evaluator is another one, for
            then it may be that which tells otherwise.
        reread: what came of reading raw replies again; None where the stored actions were played.
    """

    run_id: str
    rescored_from: str
    revision: str
    revision_before: str
    differing: tuple[str, ...]
    episodes: int
    not_graded: int
    changes: tuple[Change, ...]
    edits: tuple[Edit, ...] = ()
    reread: Tally | None = None

    def flips(self, kind: str) -> int:
        """Return how many flips there are of a kind."""
        return sum(change.flip == kind for change in self.changes)

    def as_json(self) -> dict[str, Any]:
        """Return it as what `json.dumps` takes."""
        changes = [{**asdict(change), "flip": change.flip} for change in self.changes]
        return {**asdict(self), "differing": list(self.differing), "changes": changes}


def rescore(run: RunFolder, out: Path, *, progress: Callable[[int], None] | None = None) -> FlipTable:
    """Grade a run's episodes by the current evaluator, into a folder of their own.

    Args:
        run: what to grade again; it is left as it is.
        out: the new run's folder, which holds none yet.
        progress: told after each episode how many are done.

    Raises:
        RescoreError: if stored actions do not suffice for it, or raw replies that are needed cannot be read.
        StoreError: if the run cannot be read, or the folder not written.
        MissingExtraError: if raw replies are to be read without pyarrow.
    """
    episodes = run.episodes()
    info = _info(run.info)
    differing = run.info.evaluator.differences(info.evaluator)
    rereading = _rereading(run, differing, episodes)
    _check(run.info, differing, episodes, PARSER if rereading else None)
    if rereading:
        info = by_this_parser(info)
    changes: list[Change] = []
    edits: list[Edit] = []
    with RunFolder.create(out, info) as fresh:
        for done, episode in enumerate(episodes, start=1):
            graded = _graded(episode, info, rereading)
            fresh.append(graded)
            changes += _changes(episode, graded)
            if not differing:
                edits += _edits(episode, graded)
            if progress is not None:
                progress(done)
        fresh.finish()
    not_graded = sum(not episode.complete for episode in episodes)
    return FlipTable(
        run_id=info.run_id,
        rescored_from=run.info.run_id,
        revision=info.revision,
        revision_before=run.info.revision,
        differing=tuple(each.told("before", "now") for each in differing),
        episodes=len(episodes) - not_graded,
        not_graded=not_graded,
        changes=tuple(changes),
        edits=tuple(edits),
        reread=rereading.tally if rereading else None,
    )


def _rereading(
    run: RunFolder, differing: Sequence[Difference], episodes: Sequence[Episode]
) -> Rereading | None:
    """Return how raw replies are read, if the parser is another one now and they were kept."""
    if all(each.part != PARSER for each in differing) or not (run.path / TURNS).exists():
        return None
    try:
        rereading = Rereading(run.info, read_raw_replies(run.path))
        rereading.check(episodes)
    except (RawRepliesError, RereadError) as error:
        raise RescoreError(f"the parser is another one now, and {error}: play the run again") from None
    return rereading


def _info(before: RunInfo) -> RunInfo:
    return new_run(
        agents=before.agents,
        tiers=before.tiers,
        seeds=before.seeds,
        split=before.split,
        samples=before.samples,
        turns=before.turns,
        iid=before.iid,
        rescored_from=before.run_id,
        overall=before.overall,
    )


def _check(
    before: RunInfo, differing: Sequence[Difference], episodes: Sequence[Episode], crossed: str | None
) -> None:
    """Raise a RescoreError that names what cannot be crossed with what is stored, one part left aside."""
    asked = any(agent.model is not None for agent in before.agents)
    stuck = [
        each.told("when it was played", "now")
        for each in differing
        if each.part in NOT_REPLAYED - {crossed} and (asked or each.part not in _ASKED_ONLY)
    ]
    if stuck:
        raise RescoreError(
            f"stored actions cannot cross a change of prompt, parser or budget ({'; '.join(stuck)}): "
            "play the run again"
        )
    for episode in episodes:
        now = digest_of(instance(episode.tier, episode.seed))
        if now != episode.instance_digest:
            raise RescoreError(
                f"{episode.tier} {episode.seed} is another circuit now ({now} instead of "
                f"{episode.instance_digest}): play the run again"
            )


def _graded(before: Episode, info: RunInfo, rereading: Rereading | None) -> Episode:
    """Return the episode as the current evaluator grades it."""
    if not before.complete:
        return replace(before, run_id=info.run_id, evaluator_revision=info.revision)
    if rereading and rereading.concerns(before):
        return _own_end(before, rereading.play(before, lambda agent: _replayed(before, info, agent)))
    replayed = _replayed(before, info, _Replay(before.agent_id, before.actions))
    replayed = replace(replayed, strict_outputs=before.strict_outputs)
    ended = _own_end(before, replayed)
    if ended.end_reason is not EndReason.AGENT_STOP or before.end_reason is EndReason.AGENT_STOP:
        return ended
    return ended.broken_off(f"its actions end before the episode does, which was {before.end_reason}")


def _own_end(before: Episode, replayed: Episode) -> Episode:
    """Return the episode with the end that was its agent's doing, if it stopped where it stopped before."""
    if replayed.end_reason is EndReason.AGENT_STOP and before.end_reason in _OWN_ENDS:
        return replace(replayed, end_reason=before.end_reason)
    return replayed


def _replayed(before: Episode, info: RunInfo, agent: Agent) -> Episode:
    unit = Unit(info.revision, before.agent_id, before.tier, before.seed, before.sample)
    made = play_unit(
        unit,
        lambda _rng: agent,
        LocalSession(),
        info.turns,
        run_id=info.run_id,
        split=before.split,
    )
    return replace(made, **{name: getattr(before, name) for name in _BROUGHT_ALONG})


class _Replay:
    """Plays the actions of a record, and stops after them."""

    def __init__(self, name: str, actions: Sequence[Played]) -> None:
        self.name = name
        self._actions = actions

    def decide(self, seen: Seen) -> Decision | None:
        if len(seen.turns) >= len(self._actions):
            return None
        index, action_type, kind = self._actions[len(seen.turns)]
        return Decision(None, kind) if kind in UNUSABLE else Decision(Action(index, action_type))


def _changes(before: Episode, after: Episode) -> Iterator[Change]:
    if (before.score, before.norm_score, before.success_t1) == (
        after.score,
        after.norm_score,
        after.success_t1,
    ):
        return
    yield Change(*before.key, before.score, after.score, before.success_t1, after.success_t1)


def _edits(before: Episode, after: Episode) -> Iterator[Edit]:
    names = tuple(
        json_name(field.name)
        for field in fields(Episode)
        if field.name != "run_id" and getattr(before, field.name) != getattr(after, field.name)
    )
    if names:
        yield Edit(*before.key, names)
