"""`turns.jsonl.zst`: what models have replied, word for word, one line for each reply.

It is a record beside the episodes, for whoever wants to read a model's words or to parse them by another
parser. The lines of an episode are one piece of the file. An episode that was played again has several, of
which the last counts.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from quantum_circuit_env.agents.llm import Exchange
from quantum_circuit_env.agents.masking import WITHHELD
from quantum_circuit_env.agents.provider import Message
from quantum_circuit_env.agents.replies import Reply
from quantum_circuit_env.evals.credentials import masked_secrets, suspicious
from quantum_circuit_env.evals.frames import Frames, FramesError, whole_pieces
from quantum_circuit_env.evals.records import Episode, EpisodeKey
from quantum_circuit_env.evals.revision import canonical, digest

TURNS: Final = "turns.jsonl.zst"
"""Name of the file in a run's folder."""

SCHEMA: Final = 1
"""Version of the line; raised when a field is added, dropped or read in another way."""


class RawRepliesError(Exception):
    """Raised for a file that is none of replies, or that cannot be written; says where."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RawReply:
    """One reply.

    Attributes:
        schema: version of the line.
        agent_id, tier, seed, sample: the episode.
        turn: number of the turn, from 0.
        prompt: digest of what was asked, as `prompt_of` makes it.
        text: the reply as it came; where it held a key, `(withheld)` stands for that.
        finish_reason: why it stopped, in the service's word.
        cut_off, refused: what the service says of it, as the parser is told.
        model: the model that the service says has answered.
        tokens_in, tokens_out: as the service counted them; null if it did not.
        retries: requests that were repeated for it.
        latency_s: seconds until it was there.
    """

    schema: int = SCHEMA
    agent_id: str
    tier: str
    seed: int
    sample: int
    turn: int
    prompt: str
    text: str
    finish_reason: str
    cut_off: bool
    refused: bool
    model: str
    tokens_in: int | None
    tokens_out: int | None
    retries: int
    latency_s: float

    @property
    def key(self) -> EpisodeKey:
        """The episode that it is of."""
        return EpisodeKey(self.agent_id, self.tier, self.seed, self.sample)

    @property
    def reply(self) -> Reply:
        """What a parser is given."""
        return Reply(self.text, cut_off=self.cut_off, refused=self.refused)

    @classmethod
    def from_json(cls, text: str) -> "RawReply":
        """Read one line; ValueError or TypeError if it is none."""
        made = cls(**json.loads(text))
        if made.schema != SCHEMA or any(type(getattr(made, name)) is not kind for name, kind in _KINDS):
            raise ValueError("no reply of this schema")
        return made


_KINDS: Final = tuple(
    (field.name, field.type) for field in fields(RawReply) if field.type in (str, int, bool)
)


def prompt_of(messages: Sequence[Message]) -> str:
    """Return the digest by which questions are told apart."""
    return digest(canonical(messages))


class RawReplies:
    """The replies of a run, open to add those of one episode after the other.

    Args:
        path: folder of the run.
        secrets: the keys, which are never written.

    Raises:
        RawRepliesError: if the file cannot be written or is another one.
        MissingExtraError: without pyarrow.
    """

    def __init__(self, path: Path, secrets: Iterable[str]) -> None:
        self._path = path / TURNS
        self._secrets = tuple(filter(None, secrets))
        try:
            self._frames = Frames(self._path)
        except (OSError, FramesError) as error:
            raise RawRepliesError(f"{self._path} cannot be written: {error}") from None

    def append(self, episode: Episode, exchanges: Sequence[Exchange]) -> None:
        """Add the replies of an episode, first one first; RawRepliesError if they cannot be written."""
        lines = [self._line(episode, turn, exchange) for turn, exchange in enumerate(exchanges)]
        if not lines:
            return
        try:
            self._frames.append("".join(lines).encode())
        except OSError as error:
            raise RawRepliesError(f"{self._path} cannot be written: {error}") from None

    def _line(self, episode: Episode, turn: int, exchange: Exchange) -> str:
        reply = exchange.reply
        made = RawReply(
            **episode.key._asdict(),
            turn=turn,
            prompt=prompt_of(exchange.asked),
            text=masked_secrets(reply.text, self._secrets),
            finish_reason=masked_secrets(reply.finish_reason, self._secrets),
            cut_off=reply.cut_off,
            refused=reply.refused,
            model=WITHHELD if suspicious(reply.model, self._secrets) else reply.model,
            tokens_in=reply.usage.tokens_in,
            tokens_out=reply.usage.tokens_out,
            retries=reply.usage.retries,
            latency_s=round(exchange.seconds, 6),
        )
        return f"{json.dumps(asdict(made), separators=(',', ':'), allow_nan=False)}\n"

    def close(self) -> None:
        """Add no more."""
        self._frames.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_raw_replies(path: Path) -> dict[EpisodeKey, tuple[RawReply, ...]]:
    """Return the replies of each episode of a run's folder, first one first; nothing if none were kept.

    Raises:
        RawRepliesError: if they cannot be read.
        MissingExtraError: without pyarrow.
    """
    found: dict[EpisodeKey, tuple[RawReply, ...]] = {}
    file = path / TURNS
    try:
        for piece in whole_pieces(file) if file.exists() else ():
            replies = tuple(map(RawReply.from_json, piece.decode().splitlines()))
            for key in {reply.key for reply in replies}:
                found[key] = replies
    except (OSError, ValueError, TypeError) as error:
        raise RawRepliesError(f"{file} cannot be read: {error}") from None
    return found
