"""Ways to play that need no learning; all but the optimal one know only what an agent may see."""

from qrewrite.policies.lookahead import beam_search, best_order, optimal
from qrewrite.policies.orders import cancel_first, identity_first, random_order
from qrewrite.policies.play import Policy, best_of, play
from qrewrite.policies.uniform import random_legal, uniform

__all__ = [
    "Policy",
    "beam_search",
    "best_of",
    "best_order",
    "cancel_first",
    "identity_first",
    "optimal",
    "play",
    "random_legal",
    "random_order",
    "uniform",
]
