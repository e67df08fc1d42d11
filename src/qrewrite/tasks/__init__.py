"""Tasks: the three tiers, how their circuits are generated, their splits, and the version of it all."""

from qrewrite.tasks.generator import generate, grow
from qrewrite.tasks.splits import PUBLISHED_SEEDS, SPLITS, Split, split_named, task_at
from qrewrite.tasks.tiers import (
    GAME_VERSION,
    MAX_SEED,
    RANDOM,
    TIERS,
    Dials,
    Gadget,
    Tier,
    check_seed,
    tier_of,
)

__all__ = [
    "GAME_VERSION",
    "MAX_SEED",
    "PUBLISHED_SEEDS",
    "RANDOM",
    "SPLITS",
    "TIERS",
    "Dials",
    "Gadget",
    "Split",
    "Tier",
    "check_seed",
    "generate",
    "grow",
    "split_named",
    "task_at",
    "tier_of",
]
