"""The four rewrite rules, the only author of legality.

Everything that asks whether something is legal, or whether an episode is over, asks these matchers.
"""

from typing import Final

from qrewrite.circuits import WiredCircuit
from qrewrite.rules.cancel import CANCEL, cancels
from qrewrite.rules.identities import CNOTS, HXH, IDENTITIES, Identity, identity_at, may_be_middle
from qrewrite.rules.rule import INVALID_REWARD, ActionResult, Gap, Rule
from qrewrite.rules.swap import SWAP

RULES: Final[dict[int, Rule]] = {rule.action_type: rule for rule in (CANCEL, SWAP, HXH, CNOTS)}
"""Action type → rule."""


def reduction_at(circuit: WiredCircuit, node: int) -> Rule | None:
    """Return the rule that shortens the circuit with `node` as first gate, at once or after swaps, or None.

    There is never more than one, since all of them look at the same follower.
    """
    if cancels(circuit, node):
        return CANCEL
    identity = identity_at(circuit, node)
    return None if identity is None else RULES[identity.action_type]


__all__ = [
    "CANCEL",
    "CNOTS",
    "HXH",
    "IDENTITIES",
    "INVALID_REWARD",
    "RULES",
    "SWAP",
    "ActionResult",
    "Gap",
    "Identity",
    "Rule",
    "identity_at",
    "may_be_middle",
    "reduction_at",
]
