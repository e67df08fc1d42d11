"""What the playground knows of the game, from the places where it stands."""

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

from qrewrite.game import STEP_LIMIT, Termination
from qrewrite.rules import INVALID_REWARD, RULES, ActionResult
from qrewrite.tasks import GAME_VERSION, MAX_SEED, TIERS
from quantum_circuit_env.server.about import facts

PACKAGE: Final = "quantum_circuit_env.server"
FOLDER: Final = "web"
"""Folder of the package with the playground's files; `episodes` in it has the recorded episodes."""

_WORDS: Final[Mapping[str, str]] = {
    ActionResult.INVALID_INDEX: "there is no such gate",
    ActionResult.EPISODE_OVER: "the episode is over",
    Termination.OPTIMIZED: "Optimized: no more gates are left than par.",
    Termination.DEAD_END: "Dead end: nothing can be reduced any more, even after swaps.",
    Termination.STEP_LIMIT: f"All {STEP_LIMIT} steps are used up.",
}
"""What a result that belongs to no rule, and each end of an episode, means."""


def game_facts() -> dict[str, Any]:
    """Return rules, tasks, words and recorded episodes, ready to be written as JSON."""
    return {
        "version": facts().version,
        "game_version": GAME_VERSION,
        "step_limit": STEP_LIMIT,
        "max_seed": MAX_SEED,
        "invalid_reward": INVALID_REWARD,
        "tasks": [
            {
                "name": tier.name,
                "num_qubits": tier.num_qubits,
                "gate_count": tier.gate_count,
                "par": tier.par,
            }
            for tier in TIERS.values()
        ],
        "rules": [
            {
                "action_type": rule.action_type,
                "name": rule.name,
                "reward": rule.reward,
                "removes": rule.removes,
                "condition": rule.condition,
                "effect": rule.effect,
                "accepted": rule.accepted,
                "refused": rule.refused,
            }
            for rule in RULES.values()
        ],
        "words": _WORDS,
        "recordings": _recordings(),
    }


def _recordings() -> list[dict[str, Any]]:
    """Return the recorded episodes among the page's files, without their actions."""
    found = []
    for file in sorted((files(PACKAGE) / FOLDER / "episodes").iterdir(), key=lambda file: file.name):
        recording = json.loads(file.read_text(encoding="utf-8"))
        told = {name: recording[name] for name in ("task", "seed", "player", "score")}
        found.append({"file": f"episodes/{file.name}", **told, "steps": len(recording["actions"])})
    order = list(TIERS)
    return sorted(found, key=lambda one: (order.index(one["task"]), one["seed"]))
