"""The game as Gymnasium environments: one at a time, and many at once in arrays.

Importing this registers an id for each tier; `docs/gymnasium.md` describes their spaces.

>>> import gymnasium
>>> env = gymnasium.make("QuantumCircuit/Easy-v0")
>>> env.action_space, env.observation_space["gates"].shape
(Discrete(80), (20, 11))
"""

from typing import Final

try:
    import gymnasium
except ModuleNotFoundError as error:
    if error.name != "gymnasium":
        raise
    raise ImportError(
        "gymnasium is not installed: pip install 'openenv-quantum-circuit-env[gym]'", name="gymnasium"
    ) from None

from qrewrite.tasks import TIERS
from quantum_circuit_env.gymnasium_envs.circuit_env import CircuitEnv
from quantum_circuit_env.gymnasium_envs.vector_env import CircuitVectorEnv

__all__ = ["GAME_VERSIONS", "IDS", "CircuitEnv", "CircuitVectorEnv"]

GAME_VERSIONS: Final = ("1.0.0",)
"""Game version that `-v0`, `-v1`, … play; only the last, the current one, has an id."""

IDS: Final = {task: f"QuantumCircuit/{task.capitalize()}-v{len(GAME_VERSIONS) - 1}" for task in TIERS}
"""Tier → id of its environment."""

for _task, _id in IDS.items():
    gymnasium.register(
        _id,
        entry_point=f"{CircuitEnv.__module__}:{CircuitEnv.__name__}",
        vector_entry_point=f"{CircuitVectorEnv.__module__}:{CircuitVectorEnv.__name__}",
        kwargs={"task": _task},
        # Wrappers hide `action_masks`; the environment itself refuses a step before the first reset.
        order_enforce=False,
        disable_env_checker=True,
    )
