"""The lines of standard output: one for the start, each step and the end of an episode, and nothing else."""

import re
from collections.abc import Sequence
from typing import BinaryIO, Final

from quantum_circuit_env.agents.interrupts import Interrupts
from quantum_circuit_env.agents.masking import masked_by_looks

ENVIRONMENT: Final = "quantum_circuit_env"

_NOT_PLAIN: Final = re.compile(r"[^A-Za-z0-9._/:@+()-]")
_LONGEST: Final = 120
_LONGEST_MESSAGE: Final = 300


class TranscriptError(Exception):
    """Raised when a line cannot be written; says why."""


class Transcript:
    """Writes lines that are flushed and whole, and whose fields cannot be taken for anything else.

    An episode that is started is ended once, whatever is thrown in between.
    """

    def __init__(self, stream: BinaryIO, interrupts: Interrupts) -> None:
        self._stream = stream
        self._interrupts = interrupts

    def start(self, *, task: str, model: str) -> None:
        """Write the line that opens an episode."""
        self._write(f"[START] task={plain(task)} env={ENVIRONMENT} model={plain(model)}")

    def step(self, number: int, *, action: str, reward: float, done: bool, error: str | None) -> None:
        """Write the line of one step; `action` is `none` for a reply that was no action."""
        self._write(
            f"[STEP] step={number} action={plain(action)} reward={reward:.2f} done={str(done).lower()} "
            f"error={'null' if error is None else plain(error)}"
        )

    def end(self, *, success: bool, steps: int, score: float, rewards: Sequence[float]) -> None:
        """Write the line that closes an episode."""
        listed = ",".join(f"{reward:.2f}" for reward in rewards)
        self._write(f"[END] success={str(success).lower()} steps={steps} score={score:.3f} rewards={listed}")

    def _write(self, line: str) -> None:
        with self._interrupts.held():
            try:
                self._stream.write(line.encode("ascii") + b"\n")
                self._stream.flush()
            except BrokenPipeError:
                raise TranscriptError("nobody reads standard output any more") from None
            except OSError as error:
                raise TranscriptError(f"standard output cannot be written: {error.strerror}") from None


def one_line(text: str) -> str:
    """Return a message of somebody else's for people: no credentials, on one line, and not without end."""
    # Cut last: of a credential that is cut through not enough is left to be known by its looks.
    return " ".join(masked_by_looks(text).split())[:_LONGEST_MESSAGE]


def plain(text: str) -> str:
    """Return a text as one word without brackets and equals signs, which forges no field and no marker."""
    return _NOT_PLAIN.sub("_", text)[:_LONGEST] or "_"
