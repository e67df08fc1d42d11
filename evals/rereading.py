"""Raw replies read again by the parser as it is now, and played as far as they still answer what is asked.

Each reply was the answer to a question that told of the turns before it. Once the parser reads one of those
in another way, the questions after it would have been others, to which nobody knows the answers. From there
on the episode is not known, unless it is over.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from quantum_circuit_env.agents.agent import Decision, Seen
from quantum_circuit_env.agents.llm import messages
from quantum_circuit_env.agents.replies import PARSER_VERSION, read_reply
from quantum_circuit_env.agents.vocabulary import EndReason
from quantum_circuit_env.evals.counting import counted
from quantum_circuit_env.evals.provenance import RunInfo
from quantum_circuit_env.evals.raw_replies import RawReply, prompt_of
from quantum_circuit_env.evals.records import Episode, EpisodeKey


class RereadError(Exception):
    """Raised where replies are missing."""


@dataclass(slots=True)
class Tally:
    """What reading again has come to.

    Attributes:
        episodes, replies: that were read again.
        otherwise: replies that are read in another way now.
        unknown: episodes that are not known from such a reply on, and have no score any more.
    """

    episodes: int = 0
    replies: int = 0
    otherwise: int = 0
    unknown: int = 0

    def told(self) -> str:
        """The same, in words."""
        return (
            f"parser {PARSER_VERSION} has read {counted(self.replies, 'raw reply', 'raw replies')} of "
            f"{counted(self.episodes, 'episode')} again, {self.otherwise} in another way; "
            f"{counted(self.unknown, 'episode')} not known from there on, for the next reply answered "
            "another question"
        )


class Rereading:
    """The agents of a run that ask a model, as what they said is read now.

    Args:
        info: the run.
        replies: what was kept of it.
    """

    def __init__(self, info: RunInfo, replies: Mapping[EpisodeKey, Sequence[RawReply]]) -> None:
        self._asked = {agent.agent_id for agent in info.agents if agent.parser is not None}
        self._replies = replies
        self.tally = Tally()

    def concerns(self, episode: Episode) -> bool:
        """Say whether an episode is read again: a model's, and one that has a score."""
        return episode.complete and episode.agent_id in self._asked

    def check(self, episodes: Sequence[Episode]) -> None:
        """Raise a RereadError unless there is one reply for each turn of each episode that is read again."""
        lacking = [
            episode
            for episode in episodes
            if self.concerns(episode)
            and [reply.turn for reply in self._replies.get(episode.key, ())] != list(range(episode.replies))
        ]
        if lacking:
            raise RereadError(
                f"raw replies of {counted(len(lacking), 'episode')}, or some of them, were not kept"
            )

    def play(self, before: Episode, play: Callable[["Reread"], Episode]) -> Episode:
        """Return the episode as its replies are read now.

        Args:
            before: the episode as it was.
            play: plays an agent on the episode's task.
        """
        agent = Reread(before, self._replies[before.key])
        after = play(agent)
        self.tally.episodes += 1
        self.tally.replies += after.turns
        self.tally.otherwise += sum(
            then != now for then, now in zip(before.actions, after.actions, strict=False)
        )
        if agent.lost is None:
            return after
        self.tally.unknown += 1
        return after.broken_off(
            f"an earlier reply is read otherwise now, so that turn {agent.lost + 1} asks what nobody answered"
        )


@dataclass(slots=True)
class Reread:
    """Says what a model said, as long as it is asked what the model was asked; then stops.

    Attributes:
        before: the episode in which it was said.
        replies: what was said.
        lost: the first turn without an answer; None where the answers suffice.
    """

    before: Episode
    replies: Sequence[RawReply]
    lost: int | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        """The agent's spec."""
        return self.before.agent_id

    def decide(self, seen: Seen) -> Decision | None:
        """Return what the model's answer is now."""
        turn = len(seen.turns)
        if turn < len(self.replies) and self.replies[turn].prompt == prompt_of(messages(seen)):
            return read_reply(self.replies[turn].reply)
        if turn < len(self.replies) or self.before.end_reason is not EndReason.CONTEXT_LIMIT:
            self.lost = turn
        return None


def by_this_parser(info: RunInfo) -> RunInfo:
    """Return the run as one whose replies this parser reads."""
    return replace(
        info,
        agents=tuple(
            agent if agent.parser is None else replace(agent, parser=PARSER_VERSION) for agent in info.agents
        ),
    )
