"""Tasks: the three tiers, how their circuits are generated, and the version of it all."""

from qrewrite.tasks.tiers import GAME_VERSION, MAX_SEED, RANDOM, TIERS, Tier, check_seed, tier_of

__all__ = ["GAME_VERSION", "MAX_SEED", "RANDOM", "TIERS", "Tier", "check_seed", "generate", "tier_of"]

from qrewrite.tasks.generator import generate
