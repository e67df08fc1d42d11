"""Tasks: the three tiers, how their circuits are generated, and the version of it all."""

from qrewrite.tasks.generator import generate, grow
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
    "RANDOM",
    "TIERS",
    "Dials",
    "Gadget",
    "Tier",
    "check_seed",
    "generate",
    "grow",
    "tier_of",
]
