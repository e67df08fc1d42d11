"""The smallest piece of an evaluation: one episode of one agent, and its independent random stream."""

import json
from dataclasses import dataclass
from hashlib import sha256
from random import Random


@dataclass(frozen=True, slots=True)
class Unit:
    """One episode that is to be played; equal units are the same episode, wherever and whenever it is played.

    Attributes:
        revision: revision of the evaluator that plays it.
        agent: canonical text of the agent's spec.
        tier, seed: its task.
        sample: number of the episode among those of this agent on this task, from 0.
    """

    revision: str
    agent: str
    tier: str
    seed: int
    sample: int

    @property
    def key(self) -> str:
        """All that identifies the unit, as one line of text."""
        return json.dumps([self.revision, self.agent, self.tier, self.seed, self.sample])

    def rng(self) -> Random:
        """Return the unit's own source of randomness, at its start; its identity alone decides it."""
        return Random(int.from_bytes(sha256(self.key.encode()).digest()))
